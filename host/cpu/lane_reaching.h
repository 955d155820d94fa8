/* SPDX-License-Identifier: MIT
 *
 * Chains of a vector of instances, for files that are compiled once for each instruction set.
 */
#ifndef PM_HOST_LANE_REACHING_H
#define PM_HOST_LANE_REACHING_H

#include "float_lanes.h"

#include "lane_batch.h"

#include "kernels/pm_reach.h"

/* Local poses in the memory of a batch: none is there yet, and all are those of the rest pose. */
static inline void pm_lane_locals_begin(const pm_lane_batch *batch, pm_lane_locals *p) {
    const pm_crowd_data *crowd = batch->request->crowd;
    const size_t joints = crowd->skeleton->joint_count;
    p->of = batch->local;
    p->has = (pm_u8 *)(pm_lane_local_records(batch) + 12 * PM_MOST_LANES * joints);
    p->given[0] = NULL;
    p->joints = crowd->joints;
    memset(p->has, 0, joints);
}

/* All chains of the batch's request, for the instances of the lanes from `first` on. */
void PM_SET_NAME(pm_lane_chains)(const pm_lane_batch *batch, size_t first, pm_lane_locals *poses);

#endif
