/* SPDX-License-Identifier: MIT
 *
 * Trajectories of which keys are dropped.
 */
#pragma once

#include "motion/model/made.h"

/* A motion like another one, but with positions relative to their first key. Release it also on failure. */
pm_status stamped_begin(const pm_motion *motion, pm_motion **near, pm_error *error);

/* What remained of that one, with the times, positions and digits of the motion. */
pm_status stamped_end(const pm_motion *motion, const pm_motion *reduced, pm_motion **far,
                      pm_error *error);
