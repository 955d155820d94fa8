/* SPDX-License-Identifier: MIT
 *
 * Cases that measure files, from a path to a path, through the motion library; and folders of them,
 * resampled as `posemill resample --out-dir` does it. What they are compared with: moving the same bytes
 * without looking at them, with the input in the page cache.
 */
#ifndef POSEMILL_BENCH_FILES_H
#define POSEMILL_BENCH_FILES_H

#include "runner/runner.h"

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

/* A bench_work whose context is a file_source: reads source->path and writes it to a pipe that a thread
 * drains, as `cat FILE | cat >/dev/null` does. */
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
