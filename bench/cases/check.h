/* SPDX-License-Identifier: MIT
 *
 * Compares results with the reference path: samples at some hundred positions, and the poses of some
 * sixty instances of a crowd. Both set max_error_rad and bits of the result.
 */
#ifndef POSEMILL_BENCH_CHECK_H
#define POSEMILL_BENCH_CHECK_H

#include "crowd_scenes.h"
#include "runner/runner.h"

/* Results in host memory; NULL: in the output of the device. */
typedef struct check_output {
    bench_device *device;
    const void *host;
} check_output;

/* Samples of a clip or, unless that is NULL, of a filter. */
cli_exit check_samples(const pm_clip *clip, const pm_filter *filter, const pm_sample_job *job,
                       check_output output, bench_result *result);

/* The error is the largest difference of a number. Instances that are not updated must still contain the
 * poison. `one`: pm_crowd_pose_one is compared with pm_crowd_pose. */
cli_exit check_crowd(const crowd_setup *setup, bool one, check_output output, bench_result *result);

#endif
