/* SPDX-License-Identifier: MIT
 *
 * The kernel's feet on the ground as C, an instance in each lane. Compiled once for each instruction set, apart from
 * lane_reach.c: legs are inlined here too.
 */
#include "lane_reaching.h"

#include "kernels/pm_ground.h"

PM_FLAT void PM_SET_NAME(pm_lane_stand)(const pm_lane_batch *batch, float *poses, size_t pose,
                                        pm_u32 n) {
    const pm_u32 use = batch->request->chains.of[n];
    pm_standing s = {.heights = batch->request->heights.memory, .grid = batch->request->grid};
    for (size_t first = 0; first < batch->count; first += PM_LANES) {
        pm_lane_reaching(batch, poses, pose, first, &s.reaching);
        pm_stand_chain(&s, use & 0xffffu, use >> 16, n);
    }
}
