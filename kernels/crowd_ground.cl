/* SPDX-License-Identifier: MIT
 *
 * Pelvis and feet of a crowd on uneven ground: as crowd_reach.cl, for a chain that stands.
 */
#include "pm_ground.h"

/* Work size: entries. The offsets, and `goal_stride`, are in bytes. */
pm_kernel void
crowd_ground(pm_global const pm_u8 *restrict instances, pm_global const pm_u8 *restrict list,
             pm_global const pm_u8 *restrict list_count, pm_global const pm_u8 *restrict goals,
             pm_global const pm_u8 *restrict placements, pm_global const pm_u8 *restrict heights,
             pm_crowd_offsets offsets, pm_u64 goals_offset, pm_u64 goal_stride,
             pm_u64 placements_offset, pm_u64 heights_offset, pm_height_grid grid,
             pm_global const pm_crowd_level *restrict levels,
             pm_global const pm_chain_row *restrict chains, pm_global const pm_u32 *restrict paths,
             pm_global pm_u8 *restrict records, pm_u64 records_offset, pm_u64 stride,
             pm_crowd_size size, pm_u32 chain, pm_u32 flags, pm_u32 goal) {
    pm_u32 entry = pm_global_id(0);
    pm_u32 index = pm_staged_instance(&size, &offsets, instances, list, list_count, levels, entry);
    if (index == size.instances)
        return;
    pm_standing s;
    s.reaching.chains = chains;
    s.reaching.paths = paths;
    s.reaching.poses = (pm_global float *)(records + records_offset);
    s.reaching.goals = (pm_global const float *)(goals + goals_offset);
    s.reaching.placements = (pm_global const float *)(placements + placements_offset);
    s.reaching.pose_at[0] = entry * (stride / sizeof(float));
    s.reaching.goal_at[0] = index * (goal_stride / sizeof(float));
    s.reaching.placement_at[0] = (pm_u64)index * 8;
    s.heights = (pm_global const float *)(heights + heights_offset);
    s.grid = grid;
    pm_stand_chain(&s, chain, flags, goal);
}
