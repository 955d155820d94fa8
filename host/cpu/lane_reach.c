/* SPDX-License-Identifier: MIT
 *
 * The kernels' inverse kinematics and feet on the ground as C, an instance in each lane. Compiled once for each
 * instruction set.
 */
#include "lanes.h"

#include "lane_reaching.h"

#include "kernels/pm_ground.h"

/* Not inlined: each has a copy of the legs. */
PM_FLAT static __attribute__((noinline)) void reach(const pm_reaching *r, pm_u32 chain,
                                                    pm_u32 flags, pm_u32 goal) {
    pm_reach_chain(r, chain, flags, goal);
}

PM_FLAT static __attribute__((noinline)) void stand(const pm_standing *s, pm_u32 chain,
                                                    pm_u32 flags, pm_u32 goal) {
    pm_stand_chain(s, chain, flags, goal);
}

/* What plants the feet of a vector of instances from a place of the batch on. */
static void find_planting(const pm_lane_batch *batch, size_t first, pm_planting *p) {
    const pm_pose_request *r = batch->request;
    const pm_crowd_data *crowd = r->crowd;
    p->clips = crowd->clips;
    p->timelines = crowd->timelines;
    p->markers = (const pm_marker *)(const void *)crowd->markers;
    p->masks = crowd->skeleton->masks;
    p->clip_count = (pm_u32)crowd->clip_count;
    p->mask_count = (pm_u32)crowd->skeleton->mask_count;
    p->joint_count = (pm_u32)crowd->skeleton->joint_count;
    p->now = r->transition_time;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t index = batch->index[pm_lane_place(batch, first, i)];
        const pm_crowd_instance *instances = r->instances.memory;
        p->states[i] = (pm_plant *)((char *)r->plants.memory + index * r->plant_stride);
        memcpy(&p->instances[i], &instances[index], sizeof p->instances[i]);
    }
}

void PM_SET_NAME(pm_lane_chains)(const pm_lane_batch *batch, size_t first, pm_lane_locals *poses) {
    const pm_pose_request *request = batch->request;
    const pm_skeleton *skeleton = request->crowd->skeleton;
    pm_standing s = {.heights = request->heights.memory, .grid = request->grid};
    pm_reaching *r = &s.reaching;
    r->chains = skeleton->chains;
    r->paths = skeleton->chain_paths;
    r->poses = poses;
    r->goals = request->goals.memory;
    r->placements = request->placements.memory;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t index = batch->index[pm_lane_place(batch, first, i)];
        r->goal_at[i] = index * (request->goal_stride / sizeof(float));
        r->placement_at[i] = index * (sizeof(pm_placement) / sizeof(float));
    }
    if (pm_is_given(&request->plants))
        find_planting(batch, first, &s.planting);
    for (pm_u32 n = 0; n < request->chains.count; n++) {
        const pm_u32 chain = request->chains.of[n] & 0xffffu, flags = request->chains.of[n] >> 16;
        if (pm_chain_stands(&request->chains, n))
            stand(&s, chain, flags, n);
        else
            reach(r, chain, flags, n);
    }
}

/* Stores what a chain has changed, in the records of `count` lanes. */
static void store(const pm_lane_locals *p, size_t joints, float *records, size_t pose,
                  size_t count) {
    for (pm_u32 j = 0; j < joints; j++)
        for (pm_u32 c = 0; c < PM_CHANNEL_COUNT; c++) {
            float words[4 * PM_LANES];
            if (!(p->has[j] >> (4 + c) & 1))
                continue;
            const pm_quat_block m = pm_block_of(pm_lane_local_at(p, j, c));
            const real rows[4] = {m.r0, m.r1, m.r2, m.r3};
            memcpy(words, rows, sizeof words);
            for (size_t i = 0; i < count; i++)
                memcpy(records + i * pose + 12 * (size_t)j + 4 * (size_t)c,
                       words + i % 4 * PM_LANES + i / 4 * 4, 4 * sizeof *words);
        }
}

void PM_SET_NAME(pm_lane_reach)(const pm_lane_batch *batch, size_t from, float *records,
                                size_t pose) {
    for (size_t first = from; first < batch->count; first += PM_LANES) {
        const size_t left = batch->count - first, count = left < PM_LANES ? left : PM_LANES;
        float *own = records + (first - from) * pose;
        pm_lane_locals poses;
        pm_lane_locals_begin(batch, &poses);
        for (size_t i = 0; i < PM_LANES; i++)
            poses.given[i] = own + (i < count ? i : 0) * pose;
        PM_SET_NAME(pm_lane_chains)(batch, first, &poses);
        store(&poses, batch->request->crowd->skeleton->joint_count, own, pose, count);
    }
}
