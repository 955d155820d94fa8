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

/* Local poses of joints from `first` on; `count` is a multiple of PM_TRACK_GROUP and at most
 * PM_SPAN_JOINTS. */
void PM_LANE_NAME(pm_crowd_pose_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                        size_t first, size_t count, pm_pose_span *to);
/* Of all joints, as matrices relative to the parent. */
void PM_LANE_NAME(pm_crowd_place_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                         const pm_joint_rows *to);
/* From there to matrices relative to the model. */
void PM_LANE_NAME(pm_crowd_walk_joints)(const pm_crowd *crowd, const pm_joint_rows *from,
                                        float (*models)[PM_MODEL_FLOATS]);
/* And from there to the records of an output of matrices. */
void PM_LANE_NAME(pm_crowd_bind_joints)(const pm_crowd *crowd, float (*models)[PM_MODEL_FLOATS],
                                        pm_crowd_output output, unsigned char *records);

#endif
