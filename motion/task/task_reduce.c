/* SPDX-License-Identifier: MIT
 *
 * What is the same for a file that is reduced by itself and in a batch.
 */
#include "motion/task/task_reduce.h"

#include <math.h>

/* 10 cm in the unit of the file, as compare takes it: centimetres of BVH, otherwise metres. */
static double default_at(const pm_motion *motion) {
    return pm_motion_get_content(motion)->format == PM_MOTION_BVH ? 10 : 0.1;
}

pm_status task_reduce(const pm_motion *motion, const pm_motion_reduce_options *how,
                      const size_t *clips, size_t clip_count, pm_motion **reduced,
                      pm_motion_reduction **reduction, pm_error *error) {
    pm_motion_reduce_options options = *how;
    options.at = options.at > 0 ? options.at : default_at(motion);
    options.clips = clip_count > 0 ? clips : NULL;
    options.clip_count = clip_count;
    return pm_motion_reduce(motion, &options, reduced, reduction, error);
}

static double bound_of(const pm_motion_error_bound *bound) {
    return isnan(bound->time) ? (double)NAN : bound->bound;
}

task_reduced task_reduced_of(const pm_motion_reduction *reduction) {
    const pm_motion_reduction_numbers *n = pm_motion_reduction_get_numbers(reduction);
    return (task_reduced){.is_done = true,
                          .keys_before = n->keys_before,
                          .keys_after = n->keys_after,
                          .degrees = bound_of(&n->angle),
                          .distance = bound_of(&n->distance),
                          .position = bound_of(&n->position),
                          .scale = bound_of(&n->scale)};
}
