/* SPDX-License-Identifier: MIT
 *
 * Members of the JSON document of a glTF file, each with its place: a chain of keys and indices that
 * becomes the JSON pointer at the beginning of a message, `/accessors/3/count: ...`. The text is made
 * only when something is refused.
 */
#ifndef POSEMILL_MOTION_GLTF_PLACE_H
#define POSEMILL_MOTION_GLTF_PLACE_H

#include <posemill/posemill.h>

#include <jansson.h>

typedef struct gltf_place {
    const struct gltf_place *in; /* NULL: the whole document */
    const char *key;             /* NULL: element `index` of an array */
    size_t index;
} gltf_place;

#define GLTF_KEY(in, key) (&(const gltf_place){(in), (key), 0})
#define GLTF_ITEM(in, index) (&(const gltf_place){(in), NULL, (index)})
#define GLTF_ITEM_OF(key, index) GLTF_ITEM(GLTF_KEY(NULL, (key)), (index))

/* Fills the error with the pointer and the message; returns PM_ERROR_FILE. */
pm_status gltf_refuse(pm_error *error, const gltf_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { GLTF_POINTER = 160 };
/* The JSON pointer of a place, cut to fit. */
void gltf_pointer(const gltf_place *place, char text[GLTF_POINTER]);

/* No index, no size. */
#define GLTF_NONE SIZE_MAX

/* Each of these reads the member `key` of the object at `place`. A member of another type is refused,
 * and so is one that is missing, if it is required. */

/* Missing: NULL, whose size is 0. */
pm_status gltf_get_array(const json_t *object, const gltf_place *place, const char *key,
                         bool required, const json_t **array, pm_error *error);
pm_status gltf_get_object(const json_t *object, const gltf_place *place, const char *key,
                          bool required, const json_t **member, pm_error *error);
/* Missing: NULL. */
pm_status gltf_get_text(const json_t *object, const gltf_place *place, const char *key,
                        bool required, const json_t **text, pm_error *error);
/* An index below `count`. Missing: GLTF_NONE. */
pm_status gltf_get_index(const json_t *object, const gltf_place *place, const char *key,
                         size_t count, bool required, size_t *index, pm_error *error);
/* An integer of at least `min`. Missing: `otherwise`; if that is GLTF_NONE, it is required. */
pm_status gltf_get_size(const json_t *object, const gltf_place *place, const char *key, size_t min,
                        size_t otherwise, size_t *size, pm_error *error);
/* Missing: false. */
pm_status gltf_get_bool(const json_t *object, const gltf_place *place, const char *key, bool *value,
                        pm_error *error);
/* An array of exactly `count` numbers. Missing: *found false, and nothing is written. */
pm_status gltf_get_numbers(const json_t *object, const gltf_place *place, const char *key,
                           size_t count, double *values, bool *found, pm_error *error);

/* The same for an element of an array. */
pm_status gltf_index_of(const json_t *value, const gltf_place *place, size_t count, size_t *index,
                        pm_error *error);
pm_status gltf_object_of(const json_t *value, const gltf_place *place, pm_error *error);

#endif
