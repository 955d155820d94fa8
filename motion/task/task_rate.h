/* SPDX-License-Identifier: MIT
 *
 * The target of a resampling: the rate, which may be relative to that of the source.
 */
#ifndef POSEMILL_MOTION_TASK_RATE_H
#define POSEMILL_MOTION_TASK_RATE_H

#include <posemill/posemill_motion.h>

/* Finds the rate that a text stands for. A relative one requires a clip with a rate. */
pm_status task_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate,
                         pm_error *error);

#define TASK_END_HINT                                                                              \
    "resample --end-rule include adds a sample there, --end-rule fit omits this warning"

/* What is said of the end of a clip that is not sampled. */
enum { TASK_END_TEXT = 320 };
void task_describe_end(pm_rational rate, double seconds, char text[TASK_END_TEXT]);

#endif
