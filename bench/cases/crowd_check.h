/* SPDX-License-Identifier: MIT
 *
 * Holds poses against those of the reference path, of some sixty instances.
 */
#ifndef POSEMILL_BENCH_CROWD_CHECK_H
#define POSEMILL_BENCH_CROWD_CHECK_H

#include "check.h"
#include "crowd_scenes.h"

/* Sets max_error_rad, the largest difference of a number, and bits of the result. What is not
 * updated must be poison still. */
cli_exit crowd_check(const crowd_made *made, check_read read, void *context, bench_result *result);

/* Likewise of one instance that pm_crowd_pose_one posed, against pm_crowd_pose. */
cli_exit crowd_check_one(const crowd_made *made, const float *records, bench_result *result);

#endif
