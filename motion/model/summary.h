/* SPDX-License-Identifier: MIT
 *
 * What a clip is in a few numbers, for people.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/base/counts.h"

/* Counts over a clip. */
typedef struct clip_summary {
    double begin, end; /* seconds */
    size_t keys;       /* of the timeline with most */
    size_t interpolations[PM_MOTION_INTERPOLATION_COUNT];
    size_t paths[PM_MOTION_PATH_COUNT];
    double first_step;  /* degrees: the largest turn of a rotation from key 0 to key 1 */
    double other_step;  /* the largest turn between later keys */
    size_t angle_jumps; /* steps of the angles of joints above half a turn */
} clip_summary;

clip_summary motion_summarise(const pm_motion_clip *clip);

/* The largest number of nodes from a root to a leaf. */
size_t motion_depth(const pm_motion_content *content);
