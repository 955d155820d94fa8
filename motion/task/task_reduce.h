/* SPDX-License-Identifier: MIT
 *
 * Drops the keys of one file.
 */
#ifndef POSEMILL_MOTION_TASK_REDUCE_H
#define POSEMILL_MOTION_TASK_REDUCE_H

#include <posemill/posemill_motion.h>

/* What became of the keys of a file: the bounds that no time exceeds. NaN: nothing is bounded. */
typedef struct task_reduced {
    bool is_done;
    uint64_t keys_before, keys_after;
    double degrees, distance, position, scale;
} task_reduced;

/* Refuses formats that cannot hold the keys of a reduction, and NPZ for cubicspline. PM_MOTION_ANY holds all. */
pm_status task_check_reduce(pm_motion_format format, pm_method curve, pm_error *error);

/* pm_motion_reduce of the clips at these indices, of all if there are none, with the default of `at`, for a
 * format: the keys for NPZ are common, and what it cannot hold within the bounds is refused. */
pm_status task_reduce(const pm_motion *motion, const pm_motion_reduce_options *how,
                      pm_motion_format format, const size_t *clips, size_t clip_count,
                      pm_motion **reduced, pm_motion_reduction **reduction, pm_error *error);

task_reduced task_reduced_of(const pm_motion_reduction *reduction);

#endif
