/* SPDX-License-Identifier: MIT
 *
 * Writing a glTF document again: new samples in place of the keys of some clips, everything else as
 * it was, in either container.
 *
 * The steps work on a copy of the JSON: samplers of the clips get new accessors and views
 * (write_clips.c), what nothing refers to any more is dropped (write_unused.c), the binary data are
 * laid out without gaps (write_layout.c), and all is written (write.c, write_samples.c).
 */
#ifndef POSEMILL_MOTION_GLTF_WRITE_H
#define POSEMILL_MOTION_GLTF_WRITE_H

#include "motion/gltf/document.h"

/* Writes a document with the samples of some clips; other clips, and all else, remain. For the container that is asked for, whatever the document's was. */
pm_status gltf_write(const pm_motion *motion, const motion_samples *samples, size_t count,
                     bool is_binary, const motion_sink *sink, pm_error *error);

/* Writes a document with other keys: `keys` has its clips, with their channels. */
pm_status gltf_write_reduced(const pm_motion *motion, const pm_motion *keys, bool is_binary,
                             const motion_sink *sink, pm_error *error);

/* New data of one clip: its times, and its channels one after another. Where the samples are moved in
 * time, the steps within them have new data, too: each its own times before its keys. */
typedef struct gltf_new_clip {
    const motion_samples *samples;
    /* Instead of samples, channels with fewer keys than those of clip `index`; each has its times before
     * its keys. NULL: samples */
    const pm_motion_clip *keys;
    size_t index;
    json_t *view; /* of all of them. NULL: all channels stay */
    size_t size;
} gltf_new_clip;

/* Bytes of the buffer that is written, in their order. */
typedef struct gltf_piece {
    size_t offset, size;
    const unsigned char *data; /* NULL: those of `clip` */
    const gltf_new_clip *clip;
} gltf_piece;

typedef struct gltf_writer {
    const pm_motion *motion;
    const gltf_document *document;
    json_t *root; /* the copy that is changed */
    gltf_new_clip *clips;
    size_t clip_count;
    bool is_changed;     /* some keys are not those of the document */
    bool *dropped_views; /* by index in the source. NULL: none is dropped */
    gltf_piece *pieces;
    size_t piece_count;
    bool has_data; /* buffer 0 is the one of the pieces */
    size_t size;   /* of its data */
} gltf_writer;

/* Whether a clip's channel gets samples: a step is never blurred. */
static inline bool gltf_is_resampled(const pm_motion_channel *channel) {
    return channel->interpolation != PM_MOTION_STEP;
}

/* Whether a channel gets new data. */
static inline bool gltf_is_replaced(const motion_samples *samples,
                                    const pm_motion_channel *channel) {
    return gltf_is_resampled(channel) || samples->is_moved;
}

/* Sample k lies here, in the precision of the file. */
float gltf_sample_time(const motion_samples *samples, uint64_t k);

pm_status gltf_replace_clips(gltf_writer *writer, const motion_samples *samples, pm_error *error);
/* References to elements that the source does not have are set apart while the others change. */
pm_status gltf_set_beyond_apart(gltf_writer *writer, pm_error *error);
pm_status gltf_put_beyond_back(gltf_writer *writer, pm_error *error);
pm_status gltf_drop_unused(gltf_writer *writer, pm_error *error);
pm_status gltf_lay_out(gltf_writer *writer, pm_error *error);

/* Receives the bytes of the buffer. */
typedef struct gltf_byte_sink {
    pm_status (*put)(void *user, const void *data, size_t size, pm_error *error);
    void *user;
} gltf_byte_sink;

pm_status gltf_write_samples(const gltf_writer *writer, const gltf_new_clip *clip,
                             const gltf_byte_sink *sink, pm_error *error);

pm_status gltf_replace_keys(gltf_writer *writer, const pm_motion_content *keys, pm_error *error);
pm_status gltf_write_keys(const gltf_new_clip *clip, const gltf_byte_sink *sink, pm_error *error);

/* Numbers as float32. */
pm_status gltf_put_floats(const gltf_byte_sink *sink, const float *values, size_t count,
                          pm_error *error);

/* The place of the next data in the view of a clip. */
typedef struct gltf_output_place {
    size_t view, offset;
} gltf_output_place;

/* Adds a clip's view; false if memory is exhausted. */
bool gltf_add_view(gltf_writer *writer, gltf_new_clip *clip, size_t *index);

/* Append accessors of floats for `count` times, and for as many values of a channel. Each is an index, or
 * GLTF_NONE if memory is exhausted. */
size_t gltf_add_input(gltf_writer *writer, gltf_output_place *at, size_t count, double min,
                      double max);
size_t gltf_add_output(gltf_writer *writer, gltf_output_place *at, const pm_motion_channel *channel,
                       size_t count);

/* The array `key` of the copy, which is made if there is none. NULL: memory is exhausted. */
json_t *gltf_array_of(json_t *root, const char *key);

/* A deep copy; NULL: memory is exhausted. */
json_t *gltf_copy(const json_t *value);

/* Sets a member to an integer; false if memory is exhausted. */
bool gltf_set_integer(json_t *object, const char *key, size_t value);

/* The index that a member is, GLTF_NONE if it is none below `count`. */
size_t gltf_index_in(const json_t *holder, const char *key, size_t count);

#endif
