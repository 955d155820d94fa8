/* SPDX-License-Identifier: MIT
 *
 * A glTF file in memory: its JSON document, its binary data in place, and which JSON channel each
 * channel of the motion was read from. This is what is carried over when it is written.
 *
 * Each of these files calls only those above it; those that write are in write.h.
 *
 *     plain_json.c, glb.c, matrix.c              text, containers and numbers
 *     place.c                                    members with their places, and refusals
 *     reader.c                                   warnings, memory and bounds
 *     uri.c, meshopt.c                           bytes of buffers and of compressed views
 *     extensions.c, buffers.c, nodes.c           what accessors and animations refer to
 *     accessor.c, values.c                       accessors, and their values as floats
 *     timelines.c, channels.c, skins.c           what is made of them
 *     animations.c                               clips
 *     read.c                                     the whole file
 *     meshes.c                                   how far meshes reach, when somebody asks
 *     references.c                               where a document refers to accessors and views
 */
#pragma once

#include <jansson.h>
#include <string.h>

#include "motion/base/counts.h"
#include "motion/model/model.h"

/* Members of the document, each with its place: a chain of keys and indices that becomes the JSON pointer at the
 * beginning of a message, `/accessors/3/count: ...`. The text is made only when something is refused. */
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

/* Of a node's extras: three numbers, where a bone without children ends. */
#define GLTF_TAIL "posemill_tail"
/* Of an animation: its rate, such as "30000/1001", where keys alone may not tell it. */
#define GLTF_RATE "posemill_rate"

/* The words for interpolations and paths, and by path the type of the elements of accessors. */
enum { GLTF_PATHS = PM_MOTION_WEIGHTS + 1 };
#define GLTF_ALWAYS_LINEAR "alwaysLinear" /* in the extras of a sampler */
extern const char *const gltf_interpolations[PM_MOTION_INTERPOLATION_COUNT];
extern const char *const gltf_paths[GLTF_PATHS];
extern const char *const gltf_type_of[GLTF_PATHS];

typedef struct gltf_buffer {
    const unsigned char *data; /* NULL: none, as of the uncompressed data of a compressed file */
    size_t size;
    char *owned; /* of a file beside the document */
    bool is_external;
    uint64_t device, inode; /* of that file, which is read once */
    size_t read_size;       /* of that file, while `size` is what the document says */
    size_t same_as;         /* the first buffer with these data, itself if no other has them */
} gltf_buffer;

/* EXT_meshopt_compression of a buffer view. */
typedef struct gltf_compression {
    const char *name; /* of the extension */
    size_t buffer, offset, size;
    size_t stride, count;
    const char *mode, *filter;
} gltf_compression;

typedef struct gltf_view {
    size_t buffer, offset, size;
    size_t stride; /* 0: tightly packed */
    const gltf_compression *compression;
    const unsigned char *data; /* of `size` bytes. NULL: not there, or still compressed */
} gltf_view;

/* What was made of an accessor already: many samplers may refer to one. */
typedef struct gltf_accessor_cache {
    pm_timeline timeline; /* key_count 0: not made */
    pm_rational rate;     /* of the timeline, 0/0: not uniform */
    size_t clip;          /* clip + 1 that has the timeline last */
    uint32_t timeline_index;
    const float *values;  /* NULL: not made */
    const float *unit[2]; /* values as unit quaternions; [1]: as keys of CUBICSPLINE, checked */
} gltf_accessor_cache;

typedef struct gltf_document {
    json_t *root;
    const json_t *nodes, *accessors; /* of the root */
    gltf_buffer *buffers;
    size_t buffer_count;
    gltf_view *views;
    size_t view_count;
    size_t accessor_count;
    const unsigned char *chunks; /* of GLB, of unknown types, with their headers */
    size_t chunks_size;
    /* Refers to accessors or views in places that are not known, so that they keep their indices. */
    bool has_unknown_references;
    const size_t **json_channels; /* by clip: by channel, its index in the JSON */
} gltf_document;

/* State of reading. */
struct gltf_reader {
    const motion_input *input;
    pm_motion *motion;
    gltf_document *document;
    gltf_accessor_cache *cache;
    pm_error error; /* status PM_OK: nothing is refused */
    size_t warnings;
    size_t bytes;           /* of all buffers, each file once */
    size_t decoded, values; /* bytes that were made of them */
    bool is_too_much;       /* for the whole file, not for a clip */
};

/* A warning. No more than some of one file are given. */
void gltf_warn(gltf_reader *reader, const gltf_place *place, const char *message);

/* A warning, or with `strict` a refusal. */
bool gltf_note(gltf_reader *reader, const gltf_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Zeroed memory that lives as long as the motion. NULL: it is refused. */
void *gltf_allocate(gltf_reader *reader, size_t count, size_t size);

/* Count `count` elements of `size` bytes that are decompressed or made of accessors, before they are.
 * Refused are many times the bytes of the buffers: accessors and views may all refer to the same
 * bytes, and those of sparse accessors to none. */
bool gltf_count_decoded(gltf_reader *reader, const gltf_place *place, size_t count, size_t size);
bool gltf_count_values(gltf_reader *reader, const gltf_place *place, size_t count, size_t size);

/* The steps of reading, in their order. */
bool gltf_read_extensions(gltf_reader *reader);
bool gltf_read_buffers(gltf_reader *reader, const unsigned char *bin, size_t bin_size);
bool gltf_read_views(gltf_reader *reader);
bool gltf_read_nodes(gltf_reader *reader);
bool gltf_read_skins(gltf_reader *reader);
bool gltf_read_animations(gltf_reader *reader);

/* The data that a URI stands for: those in it, or a file below the document's folder. Fills data, size and
 * owned of the buffer; is_external if it is a file. */
bool gltf_load_uri(gltf_reader *reader, const gltf_place *place, const char *uri, size_t size,
                   gltf_buffer *buffer);

/* The bytes of a view, which are decompressed first where necessary. `place` is what refers to it. */
bool gltf_view_data(gltf_reader *reader, size_t view, const gltf_place *place,
                    const unsigned char **data);

/* Finds how far the meshes of a motion's document reach, by node; the rows are 0 before. PM_ERROR_FILE: vertices
 * cannot be read. */
pm_status gltf_find_reach(const pm_motion *motion, pm_motion_reach *nodes, pm_error *error);

/* Whether a node has a mesh and no skin. */
bool gltf_has_rigid_mesh(const pm_motion *motion, size_t node);

/* Whether floats in memory have the bytes of those in files. */
static inline bool gltf_is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Whether a view can be decompressed in this build. */
bool gltf_can_decompress(void);
bool gltf_decompress(gltf_reader *reader, size_t view, const unsigned char **data);

/* Compresses elements of `width` bytes, a multiple of 4 up to 256, in mode ATTRIBUTES. *packed is malloc'ed. False:
 * memory is exhausted, or this build has no meshoptimizer. */
bool gltf_encode(const unsigned char *words, size_t count, size_t width, unsigned char **packed,
                 size_t *size);

/* Reads a whole file: the document of either container. */
pm_status gltf_read(const motion_input *input, const unsigned char *json, size_t json_size,
                    const unsigned char *bin, size_t bin_size, const unsigned char *chunks,
                    size_t chunks_size, pm_motion *motion, pm_error *error);

/* Translation, rotation (x y z w) and scale of a matrix. A mirror becomes a negative scale along x.
 * False if the columns are not at right angles, to 1e-3, or one is 0: then the result is near. */
bool matrix_decompose(const double m[16], double translation[3], double rotation[4],
                      double scale[3]);
