/* SPDX-License-Identifier: MIT
 *
 * The kernel's inverse kinematics as C, an instance in each lane. Compiled once for each instruction set.
 */
#include "float_lanes.h"

#include "lane_batch.h"

#include "kernels/pm_reach.h"

PM_FLAT void PM_SET_NAME(pm_lane_reach)(const pm_lane_batch *batch, float *poses, size_t pose) {
    const pm_pose_request *request = batch->request;
    const pm_skeleton *s = request->crowd->skeleton;
    pm_reaching r = {.chains = s->chains,
                     .paths = s->chain_paths,
                     .poses = poses,
                     .goals = request->goals.memory,
                     .placements = request->placements.memory};
    for (size_t first = 0; first < batch->count; first += PM_LANES) {
        for (size_t i = 0; i < PM_LANES; i++) {
            /* lanes without an instance repeat the first */
            const size_t place = first + i < batch->count ? first + i : first;
            r.pose_at[i] = place * pose;
            r.goal_at[i] = batch->index[place] * (request->goal_stride / sizeof(float));
            r.placement_at[i] = batch->index[place] * (sizeof(pm_placement) / sizeof(float));
        }
        for (pm_u32 n = 0; n < request->chains.count; n++)
            pm_reach_chain(&r, request->chains.of[n] & 0xffffu, request->chains.of[n] >> 16, n);
    }
}
