/* SPDX-License-Identifier: MIT
 *
 * The node that moves a figure: the hips, mostly.
 */
#ifndef POSEMILL_MOTION_MOVER_H
#define POSEMILL_MOTION_MOVER_H

#include "motion/model/model.h"

/* Whether the keys of a channel are all equal, and so is the curve between them. */
bool motion_is_constant(const pm_motion_channel *channel, const pm_timeline *timeline);

/* Finds the first joint of the first skin, or without skins the first node, whose position changes
 * in a clip, or the highest of its ancestors that does. UINT32_MAX: none. `away`: only positions
 * count that end far from where they begin, unlike those of a cycle. False: memory is exhausted. */
bool motion_find_mover(const pm_motion_content *content, bool away, uint32_t *node);

#endif
