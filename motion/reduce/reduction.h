/* SPDX-License-Identifier: MIT
 *
 * What a reduction is asked for, and its report.
 */
#ifndef POSEMILL_MOTION_REDUCTION_H
#define POSEMILL_MOTION_REDUCTION_H

#include "motion/base/arena.h"
#include "motion/reduce/channel.h"

#include <posemill/posemill_motion.h>

struct pm_motion_reduction {
    pm_motion_reduction_numbers numbers;
    const pm_motion_content *source; /* until it is made */
    pm_motion_reduce_options options;
    motion_arena arena;
    char *json; /* malloc'ed */
};

/* What does not depend on the motion. */
pm_status reduction_check_options(const pm_motion_reduce_options *options, pm_error *error);

/* Makes the report of channels that are done. `distance` has a node as its channel. NULL: memory is exhausted. */
pm_motion_reduction *reduction_make(const pm_motion_content *source,
                                    const pm_motion_content *result,
                                    const pm_motion_reduce_options *options,
                                    const reduced_channel *channels, size_t count,
                                    const pm_motion_error_bound *distance, size_t distance_clip);

#endif
