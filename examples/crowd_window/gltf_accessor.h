/* SPDX-License-Identifier: MIT
 *
 * GLB files and their accessors, as far as meshes need them: numbers in the file's own binary chunk,
 * neither sparse nor compressed.
 */
#ifndef EXAMPLES_CROWD_WINDOW_GLTF_ACCESSOR_H
#define EXAMPLES_CROWD_WINDOW_GLTF_ACCESSOR_H

#include <jansson.h>
#include <stdbool.h>

#include <posemill/posemill.h>

typedef struct glb {
    unsigned char *bytes;
    size_t size;
    json_t *json;
    const unsigned char *binary;
    size_t binary_size;
} glb;

/* Numbers in rows of `components`. */
typedef struct accessor {
    const unsigned char *data;
    size_t count, stride;
    unsigned components;
    json_int_t type; /* of glTF's componentType */
    bool normalised;
} accessor;

pm_status glb_open(glb *g, const char *path, pm_error *error);
void glb_close(glb *g);

/* The element of an array of the document that `index` names, such as json_object_get(node, "mesh").
 * NULL where there is none. */
const json_t *glb_element(const glb *g, const char *array, const json_t *index);

/* Refused: an accessor whose rows do not have `components` numbers or do not lie in the binary
 * chunk. `what` is for the message. */
pm_status glb_accessor(const glb *g, const json_t *index, unsigned components, const char *what,
                       accessor *a, pm_error *error);

/* A number of a row, which exist; where it is normalised, from -1 or 0 to 1. */
double accessor_number(const accessor *a, size_t row, unsigned component);

#endif
