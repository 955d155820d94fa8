/* SPDX-License-Identifier: MIT
 *
 * A comparison that callers keep: two motions, how they are compared, and what is found.
 */
#ifndef POSEMILL_MOTION_COMPARISON_H
#define POSEMILL_MOTION_COMPARISON_H

#include "motion/compare/outcome.h"

struct pm_motion_comparison {
    subject subjects[2];
    joint_pairs pairs;
    comparison numbers; /* its arena has the texts too */
    scene_hints hints;
    outcome outcome;
    pm_motion_differences found;
    char *json; /* malloc'ed */
};

/* Checks the arguments and makes all that a comparison takes, which is not prepared yet. `b` NULL: A alone.
 * On failure *made is NULL. */
pm_status comparison_begin(const pm_motion *a, const pm_motion *b,
                           const pm_motion_compare_options *options, pm_motion_comparison **made,
                           pm_error *error);

/* After compare_run: fills in what callers see. */
pm_status comparison_end(pm_motion_comparison *made, pm_error *error);

/* The number of times that are not too many. */
uint64_t comparison_most_times(const pm_motion_compare_options *options);

#endif
