/* SPDX-License-Identifier: MIT
 *
 * A motion in another unit of length, or with another axis up.
 */
#ifndef POSEMILL_MOTION_ADJUST_H
#define POSEMILL_MOTION_ADJUST_H

#include "motion/model/model.h"

/* A copy of a motion with lengths multiplied by `scale` and its roots turned. NULL: memory is
 * exhausted. */
pm_motion *motion_adjusted(const pm_motion *motion, double scale, pm_motion_turn turn);

#endif
