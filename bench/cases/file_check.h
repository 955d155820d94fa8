/* SPDX-License-Identifier: MIT
 *
 * Reads the files that a case wrote, or what it made of a file that it opened, and compares them
 * with what they should be. A wrong number of frames or channels, and kept frames that are not the
 * source's, are infinite errors.
 */
#ifndef POSEMILL_BENCH_FILE_CHECK_H
#define POSEMILL_BENCH_FILE_CHECK_H

#include "file_content.h"
#include "runner/runner.h"

#include <posemill/posemill_motion.h>

/* A file that was resampled. */
typedef struct file_resampled {
    pm_engine *engine;
    const file_source *source;
    pm_rational ratio; /* of the rates, in lowest terms */
    pm_motion_resample_report report;
} file_resampled;

/* The options for the rate of the source, times the ratio. */
pm_motion_resample_options file_options(const pm_motion *source, pm_rational ratio);

/* Compares source->output with the samples in memory, those with the reference path, and the kept
 * frames with the source. Sets max_error_rad, the largest angle, or difference of a number relative
 * to numbers above 1, and bits, which are those of the samples in memory. */
cli_exit file_check_resampled(const file_resampled *file, bench_result *result);

/* Compares every channel of a motion that was read from a GLB file with the numbers in it. */
cli_exit file_check_glb(const pm_motion *motion, bool own_times, bench_result *result);

/* Largest error of a right result: text has 6 decimals, and keys are float32. */
#define FILE_BOUND 2e-6

#endif
