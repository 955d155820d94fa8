/* SPDX-License-Identifier: MIT
 *
 * Writing glTF. There is one path: a document, read or made of a motion, in which the animations of some
 * clips get new data; everything else is as it was. Each of these files calls only those above it:
 *
 *     write_members.c    members of the JSON
 *     write_still.c      which channels of a clip do not move, and which of them are dropped
 *     write_data.c       the new data of a clip, from samples or from keys, as bytes
 *     write_packed.c     the same in fewer bytes: int16, and compressed by meshoptimizer
 *     write_clips.c      their views and accessors, and the samplers that refer to them
 *     write_rest.c       rest poses and inverse binds that are not the document's
 *     write_new.c        a document of the nodes, skins and clips of a motion, without data of clips
 *     write_unused.c     drops what nothing refers to any more
 *     write_layout.c     lays out the binary data without gaps
 *     write_container.c  the bytes of either container
 *     write.c            all of it
 */
#pragma once

#include "motion/gltf/document.h"

/* Writes a file, for the container that is asked for, whatever that of the document was. */
pm_status gltf_write(const motion_writing *writing, bool is_binary, const motion_sink *sink,
                     pm_error *error);

/* What one new accessor has: times, or the values of a channel. */
typedef struct gltf_part {
    const pm_motion_channel *channel; /* of the clip. NULL: times */
    bool is_sampled;                  /* at the samples of the clip; else at `keys` */
    bool is_still;                    /* at the still times of the clip: its first key at each */
    motion_kept_keys keys;
    size_t numbers;
    bool is_int16; /* normalised */
} gltf_part;

/* Elements of one size, of all clips, which become one compressed view. */
typedef struct gltf_stream {
    size_t width;
    const char *filter; /* NULL: none */
    unsigned char *words;
    size_t size, capacity;
    unsigned char *packed;
    size_t packed_size;
    json_t *view;
    size_t view_index;
} gltf_stream;

enum { GLTF_STREAMS = 8 };

/* How a channel is written. A still one has one value at all times, as float32. */
typedef enum gltf_kind { GLTF_MOVES = 0, GLTF_STILL, GLTF_DROPPED } gltf_kind;

/* New data of one clip: its parts one after another. */
typedef struct gltf_new_clip {
    const pm_motion_clip *clip;
    size_t index;                  /* of the clip, for messages */
    const motion_samples *samples; /* NULL: its keys */
    json_t *animation;
    const size_t
        *json_channels;         /* by channel: its index in the animation. GLTF_NONE: it has none */
    const pm_motion_node *rest; /* with which channels that are still are dropped. NULL: none is */
    gltf_kind *kinds;           /* by channel */
    /* Of the still channels: the first time of the clip, and the last one if no other channel has it. */
    double still_times[2];
    size_t still_count;
    gltf_part *parts;
    size_t part_count;
    json_t *view; /* of all of them. NULL: there are none */
    size_t view_index, size;
} gltf_new_clip;

/* Bytes of the buffer that is written, in their order. */
typedef struct gltf_piece {
    size_t offset, size;
    const unsigned char *data; /* NULL: those of `clip` */
    const gltf_new_clip *clip;
} gltf_piece;

typedef struct gltf_writer {
    const gltf_document *document;
    json_t *root; /* the copy that is changed */
    gltf_new_clip *clips;
    size_t clip_count;
    size_t accessor_count, view_count; /* in `root` before clips have new ones */
    bool *dropped_views;               /* by index in the source */
    gltf_piece *pieces;
    size_t piece_count;
    json_t *binds_view; /* of new inverse binds. NULL: there are none */
    size_t binds_index;
    unsigned char *binds;
    size_t binds_size;
    motion_packing packing;
    gltf_stream streams[GLTF_STREAMS];
    size_t stream_count;
    bool has_data; /* buffer 0 is the one of the pieces */
    size_t size;   /* of its data */
} gltf_writer;

/* ---- members ------------------------------------------------------------------------------- */

/* The array `key` of the copy, which is made if there is none. NULL: memory is exhausted. */
json_t *gltf_array_of(json_t *root, const char *key);

/* A deep copy; NULL: memory is exhausted. */
json_t *gltf_copy(const json_t *value);

/* Sets a member to an integer; false if memory is exhausted. */
bool gltf_set_integer(json_t *object, const char *key, size_t value);

/* Appends a view of buffer 0, unless *view is there, whose place is set later. Sets its index. False: memory is
 * exhausted. */
bool gltf_add_view(json_t *root, json_t **view, size_t *index);

/* Appends an accessor of `count` floats, vectors or matrices at an offset of a view. NULL: memory is exhausted. */
json_t *gltf_add_accessor(json_t *root, json_int_t view, size_t offset, size_t count,
                          const char *type);

/* The index that a member is, GLTF_NONE if it is none below `count`. */
size_t gltf_index_in(const json_t *holder, const char *key, size_t count);

/* A reference to element k of those that an array of the copy has got. Others of a document may refer
 * beyond the end, and stay beyond it. The integer is larger than those that documents have. */
#define GLTF_NEW INT64_C(2000000000000000000)

/* ---- new data of clips --------------------------------------------------------------------- */

/* Whether a channel is written at the samples: a step is never blurred. */
static inline bool gltf_is_sampled(const gltf_new_clip *clip, const pm_motion_channel *channel) {
    return clip->samples && channel->interpolation != PM_MOTION_STEP &&
           clip->kinds[channel - clip->clip->channels] == GLTF_MOVES;
}

/* Whether a channel gets new data. Steps beside samples keep theirs. */
static inline bool gltf_is_replaced(const gltf_new_clip *clip, size_t channel) {
    const pm_motion_channel *of = &clip->clip->channels[channel];
    const gltf_kind kind = clip->kinds[channel];
    return clip->json_channels[channel] != GLTF_NONE && kind != GLTF_DROPPED &&
           (!clip->samples || of->interpolation != PM_MOTION_STEP || clip->samples->is_moved ||
            (clip->rest && kind == GLTF_STILL));
}

/* The keys of a channel that is not sampled. */
motion_kept_keys gltf_keys_of(const gltf_new_clip *clip, const pm_motion_channel *channel);

/* Elements a key: CUBICSPLINE has tangents before and after it. A spline needs two keys; a value that is
 * constant is the same by any interpolation. */
static inline size_t gltf_elements_of(const gltf_part *part) {
    return part->channel->interpolation == PM_MOTION_CUBICSPLINE && !part->is_still &&
                   !part->is_sampled && part->keys.count > 1
               ? 3
               : 1;
}

/* A number of a part, which is none of values at samples. */
float gltf_number_of(const gltf_new_clip *clip, const gltf_part *part, size_t index);

/* Finds the kinds of the channels of a clip, and the still times. */
void gltf_find_kinds(gltf_new_clip *clip);

/* Takes the channels that are dropped, and samplers that no channel has then, out of the animation. False:
 * memory is exhausted. */
bool gltf_drop_channels(const gltf_new_clip *clip);

/* Writes the bytes of a clip's view. */
pm_status gltf_write_clip(const gltf_new_clip *clip, const motion_sink *sink, pm_error *error);

/* Gives the channels of a clip accessors for its samples or keys. */
pm_status gltf_replace_clip(gltf_writer *writer, gltf_new_clip *clip, pm_error *error);

/* Finds how the values of a part can be packed without a change, and appends them to the stream of such, if it
 * is compressed. *stream is GLTF_NONE if it is not. */
pm_status gltf_pack_part(gltf_writer *writer, const gltf_new_clip *clip, gltf_part *part,
                         size_t components, size_t *stream, pm_error *error);

/* Compresses the streams. */
pm_status gltf_compress(gltf_writer *writer, pm_error *error);

/* Says in the document where the streams are, and that it has them; their buffer is `fallback`. False: memory is
 * exhausted. */
bool gltf_describe_streams(const gltf_writer *writer, json_t *buffers);

/* ---- rest poses ---------------------------------------------------------------------------- */

/* Writes the rest poses and the inverse binds of a motion over those of its document, where they differ. */
pm_status gltf_replace_rest(gltf_writer *writer, const motion_writing *writing, pm_error *error);

/* Appends the inverse binds of a skin, whose number messages have, as 4x4 columns of a file. */
pm_status gltf_store_binds(const pm_motion_skin *skin, size_t index, unsigned char **binds,
                           size_t *size, pm_error *error);

/* ---- documents ----------------------------------------------------------------------------- */

/* A document of a motion. Its animations have the channels that glTF can hold, without data. */
typedef struct gltf_new_document {
    gltf_document document; /* with unknown references, so that it stays as it is */
    gltf_buffer buffer;     /* of skins */
    gltf_new_clip *clips;   /* of the animations */
    size_t clip_count;
} gltf_new_document;

pm_status gltf_make_document(const motion_writing *writing, gltf_new_document *made,
                             pm_error *error);
void gltf_release_document(gltf_new_document *made);

pm_status gltf_drop_unused(gltf_writer *writer, pm_error *error);
pm_status gltf_lay_out(gltf_writer *writer, pm_error *error);
pm_status gltf_write_container(const gltf_writer *writer, bool is_binary, const motion_sink *sink,
                               pm_error *error);
