/* SPDX-License-Identifier: MIT
 *
 * A motion in memory, and what a format does: read a document into a motion, and write the document
 * again with other samples in place of its clips.
 */
#ifndef POSEMILL_MOTION_MODEL_H
#define POSEMILL_MOTION_MODEL_H

#include <posemill/posemill_motion.h>

#include "motion/base/arena.h"
#include "motion/base/fault.h"

/* The bytes of a file. */
typedef struct motion_input {
    const char *data; /* not NUL-terminated */
    size_t size;
    const char *folder; /* of the files that it refers to; NULL: none may be read */
    const pm_motion_read_options *options; /* never NULL */
    motion_warnings warnings;
} motion_input;

/* Receives the bytes of an output in their order. */
typedef struct motion_sink {
    pm_status (*write)(void *user, const void *data, size_t size, pm_error *error);
    void *user;
} motion_sink;

/* A source key that a sample falls on, or none. */
#define MOTION_NOT_A_KEY UINT64_MAX

/* Samples of all channels of a clip, which replace its keys. They are read in pieces, in order. */
typedef struct motion_samples {
    size_t clip;       /* of the motion */
    uint64_t count;    /* of samples, at least 1 */
    pm_rational rate;  /* sample k is at start + k / rate; the last one at `end` if has_end */
    double start, end; /* seconds */
    bool has_end;
    /* Computes `count` samples from `first`. channels[c] receives (count, components) float32 of the
     * clip's channel c; on_key[k] the index of the key of uniform clips that sample k falls on, or
     * MOTION_NOT_A_KEY: then the writer takes the source's values. */
    pm_status (*read)(void *user, uint64_t first, size_t count, float *const channels[],
                      uint64_t on_key[], pm_error *error);
    /* Computes the derivatives per second at the samples of the last `read`. velocities[c], where it
     * is not NULL, receives for a rotation (count, 3) float32, its angular velocity in radians, in
     * the frame in which the rotation stands (that of the parent, or the world for no node); for
     * any other channel (count, components). NULL: not supported; files with velocities are then
     * refused. */
    pm_status (*read_velocities)(void *user, uint64_t first, size_t count,
                                 float *const velocities[], pm_error *error);
    void *user;
} motion_samples;

typedef struct motion_format motion_format;

struct pm_motion {
    pm_motion_content content;
    motion_arena arena; /* of everything that `content` points to */
    char *file;         /* the bytes of a file that was opened; NULL: the caller's */
    const motion_format *format;
    void *document; /* the format's own: what is carried over unchanged */
};

/* A row of the table of formats. */
struct motion_format {
    pm_motion_format id;
    const char *name;
    const char *extension; /* without the dot */
    /* Whether a file with these first bytes can be of the format. */
    bool (*recognise)(const char *bytes, size_t size);
    /* Fills motion->content and motion->document, which the caller releases on failure too. Data
     * that stay valid as long as the input may be pointed to. */
    pm_status (*read)(const motion_input *input, pm_motion *motion, pm_error *error);
    /* Writes the document with the samples of some clips; clips that are not listed, and everything
     * else, remain. */
    pm_status (*write)(const pm_motion *motion, const motion_samples *samples, size_t count,
                       const motion_sink *sink, pm_error *error);
    void (*release)(void *document); /* NULL is ignored */
};

extern const motion_format motion_bvh, motion_gltf, motion_glb, motion_npz, motion_csv;

#endif
