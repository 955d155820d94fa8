/* SPDX-License-Identifier: MIT
 *
 * Compares the poses of some sixty instances with the reference path.
 */
#ifndef POSEMILL_BENCH_CROWD_CHECK_H
#define POSEMILL_BENCH_CROWD_CHECK_H

#include "check.h"
#include "crowd_scenes.h"

/* Sets max_error_rad, the largest difference of a number, and bits of the result. Instances that
 * are not updated must still contain the poison. */
cli_exit crowd_check(const crowd_setup *setup, check_read read, void *context,
                     bench_result *result);

/* The same for one instance: pm_crowd_pose_one is compared with pm_crowd_pose. */
cli_exit crowd_check_one(const crowd_setup *setup, const float *records, bench_result *result);

#endif
