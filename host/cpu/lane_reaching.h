/* SPDX-License-Identifier: MIT
 *
 * What chains of a vector of instances read and write, for files that are compiled once for each instruction set.
 */
#ifndef PM_HOST_LANE_REACHING_H
#define PM_HOST_LANE_REACHING_H

#include "float_lanes.h"

#include "lane_batch.h"

#include "kernels/pm_reach.h"

/* Of the instances of a batch from `first` on, whose local poses are `poses`, `pose` floats each. Lanes without an
 * instance repeat the first. */
static inline void pm_lane_reaching(const pm_lane_batch *batch, float *poses, size_t pose,
                                    size_t first, pm_reaching *r) {
    const pm_pose_request *request = batch->request;
    const pm_skeleton *s = request->crowd->skeleton;
    r->chains = s->chains;
    r->paths = s->chain_paths;
    r->poses = poses;
    r->goals = request->goals.memory;
    r->placements = request->placements.memory;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t place = first + i < batch->count ? first + i : first;
        r->pose_at[i] = place * pose;
        r->goal_at[i] = batch->index[place] * (request->goal_stride / sizeof(float));
        r->placement_at[i] = batch->index[place] * (sizeof(pm_placement) / sizeof(float));
    }
}

#endif
