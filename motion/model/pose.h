/* SPDX-License-Identifier: MIT
 *
 * Poses of nodes: their channels in a clip, what they are at a time, and the order in which they are
 * placed.
 */
#pragma once

#include "motion/base/arena.h"
#include "motion/model/evaluate.h"
#include "motion/model/placed.h"

/* The channels of a node: rotation, translation, scale. NULL: it has its rest pose. */
typedef struct node_channels {
    const pm_motion_channel *of[3];
} node_channels;

/* How many numbers each of them has. */
extern const uint32_t pose_components[3];

/* Of each of `count` nodes; of two channels of one property the later. NULL: memory is exhausted. */
node_channels *pose_find_channels(motion_arena *arena, const pm_motion_clip *clip, size_t count);

/* A property of a node at a time, as its channel or its rest pose has it. */
void pose_value(const pm_motion_node *node, const node_channels *own, const pm_motion_clip *clip,
                pm_motion_path path, double time, double *value);

/* The pose of a node relative to its parent; of the scale, the first number. */
similarity pose_local(const pm_motion_node *node, const node_channels *own,
                      const pm_motion_clip *clip, double time);

/* The nodes, parents before their children. False: memory is exhausted. */
bool pose_order(const pm_motion_content *content, uint32_t *order);
