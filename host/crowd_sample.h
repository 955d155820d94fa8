/* SPDX-License-Identifier: MIT
 *
 * One clip of a crowd at one time, sampled on the host, a joint at a time.
 */
#ifndef PM_HOST_CROWD_SAMPLE_H
#define PM_HOST_CROWD_SAMPLE_H

#include "../kernels/pm_pose.h"
#include "crowd.h"

/* A clip at a time of an instance. */
typedef struct pm_crowd_side {
    size_t clip;
    int64_t time;
    bool clamps;
    pm_place place; /* of all joints, unless the crowd is apart */
} pm_crowd_side;

pm_crowd_side pm_crowd_side_of(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps);

/* An instance's weight of B, put right; and at joint j. */
float pm_crowd_weight(const pm_crowd *crowd, const pm_crowd_instance *instance);
float pm_crowd_weight_at(const pm_crowd *crowd, const pm_crowd_instance *instance, size_t j);

/* The local pose of joint j; what clips do not move stays at rest. */
pm_local pm_crowd_sample(const pm_crowd *crowd, const pm_crowd_side *side, size_t j, pm_local rest);

#endif
