/* SPDX-License-Identifier: MIT
 *
 * Cases that measure files, from a path to a path, through the motion library; and folders of them,
 * resampled as `posemill resample --out-dir` does it. What they are compared with: moving the same bytes
 * without looking at them, with the input in the page cache.
 */
#ifndef POSEMILL_BENCH_FILES_H
#define POSEMILL_BENCH_FILES_H

#include "runner/runner.h"

#include <posemill/posemill_motion.h>

/* ---- contents: smooth motion from a seed, the same on every machine ------------------- */

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

/* ---- checks -------------------------------------------------------------------- */

/* Largest error of a right result: text has 6 decimals, and keys are float32. */
#define FILE_BOUND 2e-6

/* A file that was resampled. */
typedef struct file_resampled {
    pm_engine *engine;
    const char *input, *output;
    pm_rational ratio; /* of the rates, in lowest terms */
    size_t frames;     /* of the output; set by the check */
} file_resampled;

/* The options for the rate of the source, times the ratio. */
pm_motion_resample_options file_options(const pm_motion *source, pm_rational ratio);

/* Reads both files and compares the output with samples in memory, those with the reference path, and the
 * kept frames with the source. A wrong number of frames or channels, and kept frames that are not the
 * source's, are infinite errors. Raises max_error_rad, the largest angle, or difference of a number
 * relative to numbers above 1; bits are those of the samples in memory. */
cli_exit file_check_resampled(file_resampled *file, bench_result *result);

/* Compares every channel of a motion that was read from a file with the one that it was written from. */
void file_check_same(const pm_motion *motion, const pm_motion *wanted, bench_result *result);

/* ---- ceilings ------------------------------------------------------------------ */

/* A bench_work whose context is a file_source: reads source->path as `cat FILE >/dev/null` does. */
cli_exit file_cat_once(void *context, double *seconds);

/* Reads a file, and stores a file of another size as the library does: writes it under another name,
 * flushes it to the storage (fsync) and renames it. */
typedef struct file_storage {
    const char *input;
    char part[SCRATCH_PATH], output[SCRATCH_PATH];
    size_t bytes_read, bytes_written;
} file_storage;

/* Measures one file_storage. */
cli_exit file_storage_once(void *context, double *seconds);

#endif
