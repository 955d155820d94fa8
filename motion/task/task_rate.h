/* SPDX-License-Identifier: MIT
 *
 * The target of a resampling: the rate, which may be relative to that of the source.
 */
#ifndef POSEMILL_MOTION_TASK_RATE_H
#define POSEMILL_MOTION_TASK_RATE_H

#include <posemill/posemill_motion.h>

#include "motion/base/fault.h"

/* Finds the rate that a text stands for. A relative one requires a clip with a rate. */
pm_status task_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate,
                         pm_error *error);

/* What is said of the end of a clip that is not sampled, and its cure. */
extern const motion_about task_about_end;
void task_describe_end(pm_rational rate, double seconds, pm_error *warning);

#endif
