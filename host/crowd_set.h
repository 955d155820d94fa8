/* SPDX-License-Identifier: MIT
 *
 * The part of posing on the host that is compiled once for each instruction set.
 */
#ifndef PM_HOST_CROWD_SET_H
#define PM_HOST_CROWD_SET_H

#include "crowd_actor.h"

/* The name that something has in this instruction set's copy: PM_LANE_SET is defined by the
 * build. */
#ifndef PM_LANE_NAME
#define PM_LANE_JOIN_(name, set) name##_##set
#define PM_LANE_JOIN(name, set) PM_LANE_JOIN_(name, set)
#define PM_LANE_NAME(name) PM_LANE_JOIN(name, PM_LANE_SET)
#endif

/* PM_POSE_JOINTS joints from a multiple of that on, relative to their parents: as rotations,
 * positions and scales, or as matrices. */
void PM_LANE_NAME(pm_crowd_pose_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                        size_t first, bool matrices, pm_pose_block *to);

/* `count` of them down the hierarchy, from such matrices: into 12 numbers each of model
 * matrices, or of palettes, at `to`. Matrices of parents wait in `slots`. */
void PM_LANE_NAME(pm_crowd_walk_joints)(const pm_crowd *crowd, size_t first, size_t count,
                                        const pm_pose_block *local, bool binds,
                                        float slots[PM_SLOTS][12], float *to);

#endif
