/* SPDX-License-Identifier: MIT
 *
 * Writing a new glTF document from a motion of any format: one scene with the nodes, skins, and an
 * animation for each clip. The parts become JSON (compose.c, compose_clips.c) and binary data
 * (compose_data.c), and write.c writes both in either container.
 */
#ifndef POSEMILL_MOTION_GLTF_COMPOSE_H
#define POSEMILL_MOTION_GLTF_COMPOSE_H

#include "motion/gltf/document.h"

/* Of a node's extras: three numbers, where a bone without children ends. */
#define GLTF_TAIL "posemill_tail"
/* Of an animation: its rate, such as "30000/1001", where keys alone may not tell it. */
#define GLTF_RATE "posemill_rate"

/* As motion_format.compose, for the container that is asked for. */
pm_status gltf_compose(const pm_motion *motion, const motion_writing *options, bool is_binary,
                       const motion_sink *sink, pm_error *error);

/* The document so far. */
typedef struct gltf_composer {
    const pm_motion_content *content;
    const motion_writing *options;
    json_t *root, *accessors, *views; /* arrays that are empty in the end are not written */
    unsigned char *data;              /* of buffer 0 */
    size_t size, capacity;
    size_t view_begin; /* of the view that is being filled */
    bool failed;       /* memory is exhausted */
} gltf_composer;

/* These take over `value`; with NULL, and when memory is exhausted, the composer has failed. */
void gltf_set(gltf_composer *c, json_t *object, const char *key, json_t *value);
void gltf_append(gltf_composer *c, json_t *array, json_t *value);
/* A name; an empty one is left out, and bytes that are not UTF-8 become U+FFFD. */
void gltf_set_name(gltf_composer *c, json_t *object, pm_motion_name name);
json_t *gltf_index(size_t index);

/* Accessors between these two share a view. */
void gltf_begin_view(gltf_composer *c);
void gltf_end_view(gltf_composer *c);

/* Appends an accessor of floats, whose index is *index, and returns memory for its data. NULL: the
 * composer has failed. */
unsigned char *gltf_add_accessor(gltf_composer *c, size_t count, size_t components,
                                 const char *type, size_t *index);

/* Whether a number is finite in float32, as which it is stored. */
bool gltf_store_float(unsigned char *at, double number);

pm_status gltf_compose_clips(gltf_composer *c, pm_error *error);

#endif
