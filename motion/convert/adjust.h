/* SPDX-License-Identifier: MIT
 *
 * A motion in another unit of length, or with another axis up.
 */
#pragma once

#include "motion/model/adjustment.h"
#include "motion/model/model.h"

/* The motion with lengths multiplied and its roots turned. A body model with joints turns about the rest
 * place of its pelvis, and its rest pose stays. NULL: memory is exhausted. */
pm_motion *motion_adjusted(const pm_motion *motion, motion_adjustment by);

/* Whether that place is known where the arrays of a body model are written again. */
bool motion_knows_pelvis(const pm_motion *motion);

/* The same for the velocity of a channel of a file without nodes; of a rotation it is angular. */
void motion_adjust_velocity(const pm_motion *motion, size_t channel, motion_adjustment by,
                            double *velocity);
