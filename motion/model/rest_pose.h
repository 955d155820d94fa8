/* SPDX-License-Identifier: MIT
 *
 * The rest pose as matrices, rows of 3x4, and skins that say nothing beside it.
 */
#pragma once

#include "motion/model/model.h"

/* Of a node, relative to its parent. */
void rest_pose_local(const pm_motion_node *node, double m[3][4]);

/* Of all nodes, in the world. False: memory is exhausted. */
bool rest_pose_worlds(const pm_motion_content *content, double (*world)[3][4]);

/* What a skin has for a joint with this rest pose. Where that has no inverse in float32, as with a scale of
 * 0, under which nothing can be seen, it is the identity. */
void rest_pose_inverse(double world[3][4], float inverse[12]);

/* Finds how many skins say more than a skin that is made of the rest pose: they have a name, other joints
 * than a node and all below it, in the order of nodes, or other binds. False: memory is exhausted. */
bool rest_pose_count_skins(const pm_motion_content *content, size_t *count);
