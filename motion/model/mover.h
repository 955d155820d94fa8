/* SPDX-License-Identifier: MIT
 *
 * The node that carries a figure: the hips, mostly.
 */
#pragma once

#include "motion/model/model.h"

/* Whether the keys of a channel are all equal, and so is the curve between them. */
bool motion_is_constant(const pm_motion_channel *channel, const pm_timeline *timeline);

/* Sets content->mover. A node travels if in a clip a key of its position is at least a twentieth of the
 * figure's size away from the first one, across the axis that points up, with what is above it at rest. Of
 * the joints of the first skin or, without skins, of all nodes, the first that travels is taken, or the
 * highest above it that does. */
pm_status motion_find_mover(pm_motion_content *content, pm_error *error);

/* Refuses a motion of which it is not known which axis points up; *up receives it: 1 y, 2 z. `given` has
 * precedence. */
pm_status motion_require_up(const pm_motion_content *content, pm_motion_up given, int *up,
                            pm_error *error);
