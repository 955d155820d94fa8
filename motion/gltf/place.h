/* SPDX-License-Identifier: MIT
 *
 * Members of the JSON document of a glTF file, each with its place: a chain of keys and indices that
 * becomes the JSON pointer at the beginning of a message, `/accessors/3/count: ...`. The text is made
 * only when something is refused.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include <jansson.h>
#include <stdbool.h>

typedef struct gltf_place {
    const struct gltf_place *in; /* NULL: the whole document */
    const char *key;             /* NULL: element `index` of an array */
    size_t index;
} gltf_place;

#define GLTF_KEY(in, key) (&(const gltf_place){(in), (key), 0})
#define GLTF_ITEM(in, index) (&(const gltf_place){(in), NULL, (index)})
#define GLTF_ITEM_OF(key, index) GLTF_ITEM(GLTF_KEY(NULL, (key)), (index))

typedef struct gltf_reader gltf_reader;

/* Functions of reading are false once something is refused: the reader keeps the first failure. */

/* Refuses the file, with the pointer before the message. */
bool gltf_refuse(gltf_reader *reader, const gltf_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool gltf_refuse_memory(gltf_reader *reader);

enum { GLTF_POINTER = 160 };
/* The JSON pointer of a place, cut to fit. */
void gltf_pointer(const gltf_place *place, char text[GLTF_POINTER]);

/* No index, no size. */
#define GLTF_NONE SIZE_MAX

/* Each of these reads the member `key` of the object at `place`. A member of another type is refused,
 * and so is one that is missing, if it is required. */

/* Missing: NULL, whose size is 0. */
bool gltf_get_array(gltf_reader *reader, const json_t *object, const gltf_place *place,
                    const char *key, bool required, const json_t **array);
bool gltf_get_object(gltf_reader *reader, const json_t *object, const gltf_place *place,
                     const char *key, bool required, const json_t **member);
/* Missing: NULL. */
bool gltf_get_text(gltf_reader *reader, const json_t *object, const gltf_place *place,
                   const char *key, bool required, const json_t **text);
/* An index below `count`. Missing: GLTF_NONE. */
bool gltf_get_index(gltf_reader *reader, const json_t *object, const gltf_place *place,
                    const char *key, size_t count, bool required, size_t *index);
/* An integer of at least `min`. Missing: `otherwise`; if that is GLTF_NONE, it is required. */
bool gltf_get_size(gltf_reader *reader, const json_t *object, const gltf_place *place,
                   const char *key, size_t min, size_t otherwise, size_t *size);
/* Missing: false. */
bool gltf_get_bool(gltf_reader *reader, const json_t *object, const gltf_place *place,
                   const char *key, bool *value);
/* An array of exactly `count` numbers. Missing: *found false, and nothing is written. */
bool gltf_get_numbers(gltf_reader *reader, const json_t *object, const gltf_place *place,
                      const char *key, size_t count, double *values, bool *found);
/* Missing: empty. */
bool gltf_get_name(gltf_reader *reader, const json_t *object, const gltf_place *place,
                   pm_motion_name *name);

/* The same for an element of an array. */
bool gltf_index_of(gltf_reader *reader, const json_t *value, const gltf_place *place, size_t count,
                   size_t *index);
bool gltf_object_of(gltf_reader *reader, const json_t *value, const gltf_place *place);
