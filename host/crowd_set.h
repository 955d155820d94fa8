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

/* Local poses of PM_POSE_JOINTS joints from a multiple of that on. */
void PM_LANE_NAME(pm_crowd_pose_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                        size_t first, pm_pose_block *to);
/* Likewise as matrices: 12 numbers each, and 4 that are left over. `to` has room for as many. */
void PM_LANE_NAME(pm_crowd_place_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                         size_t first, float (*to)[16]);

/* All joints' matrices, from relative to the parent to relative to the model. */
void PM_LANE_NAME(pm_crowd_walk_joints)(const pm_crowd *crowd, float (*matrices)[16]);
/* And from there to palettes: 12 numbers each, `stride` bytes apart, which may be the matrices'
 * own. */
void PM_LANE_NAME(pm_crowd_bind_joints)(const pm_crowd *crowd, float (*matrices)[16],
                                        unsigned char *to, size_t stride);

#endif
