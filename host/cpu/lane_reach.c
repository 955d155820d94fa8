/* SPDX-License-Identifier: MIT
 *
 * The kernel's inverse kinematics as C, an instance in each lane. Compiled once for each instruction set.
 */
#include "lane_reaching.h"

PM_FLAT void PM_SET_NAME(pm_lane_reach)(const pm_lane_batch *batch, float *poses, size_t pose,
                                        pm_u32 n) {
    const pm_u32 use = batch->request->chains.of[n];
    for (size_t first = 0; first < batch->count; first += PM_LANES) {
        pm_reaching r;
        pm_lane_reaching(batch, poses, pose, first, &r);
        pm_reach_chain(&r, use & 0xffffu, use >> 16, n);
    }
}
