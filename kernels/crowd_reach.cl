/* SPDX-License-Identifier: MIT
 *
 * Inverse kinematics of a crowd: a chain changes the local poses that an earlier step left. A work-item computes it for
 * one entry. A launch for each chain, because a list of them would be in private memory.
 */
#include "pm_reach.h"

/* Work size: entries. The offsets, and `goal_stride`, are in bytes. */
pm_kernel void
crowd_reach(pm_global const pm_u8 *restrict instances, pm_global const pm_u8 *restrict list,
            pm_global const pm_u8 *restrict list_count, pm_global const pm_u8 *restrict goals,
            pm_global const pm_u8 *restrict placements, pm_crowd_offsets offsets,
            pm_u64 goals_offset, pm_u64 goal_stride, pm_u64 placements_offset,
            pm_global const pm_crowd_level *restrict levels,
            pm_global const pm_chain_row *restrict chains, pm_global const pm_u32 *restrict paths,
            pm_global pm_u8 *restrict records, pm_u64 records_offset, pm_u64 stride,
            pm_crowd_size size, pm_u32 chain, pm_u32 flags, pm_u32 goal) {
    pm_u32 entry = pm_global_id(0);
    pm_u32 index = pm_staged_instance(&size, &offsets, instances, list, list_count, levels, entry);
    if (index == size.instances)
        return;
    pm_reaching r;
    r.chains = chains;
    r.paths = paths;
    r.poses = (pm_global float *)(records + records_offset);
    r.goals = (pm_global const float *)(goals + goals_offset);
    r.placements = (pm_global const float *)(placements + placements_offset);
    r.pose_at[0] = entry * (stride / sizeof(float));
    r.goal_at[0] = index * (goal_stride / sizeof(float));
    r.placement_at[0] = (pm_u64)index * 8;
    pm_reach_chain(&r, chain, flags, goal);
}
