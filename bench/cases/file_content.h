/* SPDX-License-Identifier: MIT
 *
 * The motion files that are measured: smooth motion from a seed, the same on every machine.
 */
#ifndef POSEMILL_BENCH_FILE_CONTENT_H
#define POSEMILL_BENCH_FILE_CONTENT_H

#include "runner/scratch.h"

#include <posemill/posemill_motion.h>

typedef enum file_content {
    FILE_BVH,          /* 60 joints at 30 Hz, 6 decimals */
    FILE_NPZ_STORED,   /* as AMASS has them: poses (N, 156) and trans (N, 3), float64, at 120 Hz */
    FILE_NPZ_DEFLATED, /* the same numbers */
    FILE_GLB,          /* 50 clips of 100 joints, each with a translation and a rotation */
    FILE_GLB_TIMES,    /* the same keys; every channel has key times of its own */
    FILE_CONTENT_COUNT
} file_content;

typedef struct file_source {
    char path[SCRATCH_PATH], output[SCRATCH_PATH];
    uint64_t seed;
    size_t bytes;  /* 0: not written yet */
    size_t frames; /* of GLB: keys of a channel */
    size_t joints; /* rotations per frame; of GLB: channels */
} file_source;

/* "bvh", "npz" or "glb". */
const char *file_extension(file_content content);

/* Rotations per frame of BVH and NPZ. */
size_t file_joints(file_content content);

/* Writes source->path from source->seed with about `samples` rotations, and sets the sizes. GLB has one
 * size. */
cli_exit file_content_write(file_content content, size_t samples, file_source *source);

/* What a file of BVH or GLB has, with the frames of the source. NULL: memory is exhausted. */
pm_motion *file_content_motion(file_content content, const file_source *source);

#endif
