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
             pm_global pm_u8 *restrict plants, pm_global const pm_clip_layout *restrict clips,
             pm_global const pm_crowd_timeline *restrict timelines,
             pm_global const pm_marker *restrict markers, pm_global const float *restrict masks,
             pm_crowd_offsets offsets, pm_u64 goals_offset, pm_u64 goal_stride,
             pm_u64 placements_offset, pm_u64 heights_offset, pm_u64 plants_offset,
             pm_u64 plant_stride, pm_height_grid grid,
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
    if (PM_PLANTED && flags & PM_REACH_PLANTS) {
        s.planting.clips = clips;
        s.planting.timelines = timelines;
        s.planting.markers = markers;
        s.planting.masks = masks;
        s.planting.clip_count = size.clips;
        s.planting.mask_count = size.masks;
        s.planting.joint_count = size.joints;
        s.planting.now = offsets.transition_time;
        s.planting.states[0] =
            (pm_global pm_plant *)(plants + plants_offset + index * plant_stride);
        s.planting.instances[0] =
            ((pm_global const pm_instance *)(instances + offsets.instances))[index];
    }
    pm_stand_chain(&s, chain, flags, goal);
}
