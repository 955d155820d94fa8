/* SPDX-License-Identifier: MIT
 *
 * Begins transitions: captures the states of listed instances from their local poses before and after a change.
 */
#include "pm_instance.h"
#include "pm_transition.h"

/* Work size: joints x entries. `given` has the poses of all entries four times, `apart` bytes from one another: before
 * the change and after it, each a step before it and at it. Offsets and strides are in bytes. The root's rates are 0,
 * because the host alone has them. */
pm_kernel void crowd_capture(pm_global const pm_u8 *restrict list,
                             pm_global const pm_u8 *restrict list_count,
                             pm_global const pm_u8 *restrict given,
                             pm_global pm_u8 *restrict transitions, pm_crowd_offsets offsets,
                             pm_u64 apart, pm_crowd_size size, pm_u32 root_positions,
                             float duration, float rate) {
    pm_u32 joint = pm_global_id(0), entry = pm_global_id(1);
    if (joint >= size.joints || entry >= size.entries)
        return;
    pm_u32 entries =
        pm_entry_count(&size, (pm_global const pm_u32 *)(list_count + offsets.list_count));
    pm_u32 index =
        pm_instance_of(&size, (pm_global const pm_u32 *)(list + offsets.list), entry, entries);
    if (index == size.instances)
        return;
    pm_global const float *poses =
        (pm_global const float *)(given + offsets.poses + entry * offsets.pose_stride) +
        12 * (pm_u64)joint;
    pm_u64 next = apart / sizeof(float);
    pm_global float *state =
        (pm_global float *)(transitions + offsets.transitions + index * offsets.transition_stride);
    PM_NO_UNROLL
    for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
        if (!(size.channels >> c & 1) || (c == PM_CHANNEL_POSITIONS && root_positions && joint))
            continue;
        pm_quat before[2], after[2];
        before[0] = pm_load_quats(poses + 4 * c);
        before[1] = pm_load_quats(poses + 4 * c + next);
        after[0] = pm_load_quats(poses + 4 * c + 2 * next);
        after[1] = pm_load_quats(poses + 4 * c + 3 * next);
        pm_store_items(state + pm_transition_row(size.channels, size.joints, c, joint),
                       pm_offset_row(c, pm_offset_between(c, before, after, rate)), 1, 0);
    }
    if (joint)
        return;
    pm_transition_head head = {offsets.transition_time, duration, 0};
    *(pm_global pm_transition_head *)state = head;
    PM_UNROLL
    for (pm_u32 i = 0; i < 6; i++)
        state[PM_TRANSITION_ROOT / sizeof(float) + i] = 0.0f;
}
