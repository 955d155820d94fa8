/* SPDX-License-Identifier: MIT
 *
 * An instance on the reference path: what is left of it once its bad numbers are put right.
 */
#ifndef PM_HOST_CROWD_ACTOR_H
#define PM_HOST_CROWD_ACTOR_H

#include "crowd.h"

/* A clip at a time. */
typedef struct pm_crowd_side {
    size_t clip;
    int64_t time;
    bool clamps;
    pm_place place; /* of all joints, unless the crowd is apart */
} pm_crowd_side;

typedef struct pm_crowd_actor {
    pm_crowd_side a, b; /* b counts where weight is not 0 */
    bool has_a;         /* without, A is the rest pose */
    bool additive, in_place;
    float weight;
    const float *mask;   /* of all joints */
    const pm_u8 *joints; /* those of its level; NULL: all */
} pm_crowd_actor;

pm_crowd_side pm_crowd_side_of(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps);
pm_crowd_actor pm_crowd_actor_of(const pm_crowd *crowd, const pm_crowd_instance *instance);

/* Joints that are posed at once. */
enum { PM_POSE_JOINTS = 16 };

/* Their rotations, positions and scales. */
typedef struct pm_pose_block {
    float of[PM_CHANNEL_COUNT][PM_POSE_JOINTS][4];
} pm_pose_block;

#endif
