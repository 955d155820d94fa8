/* SPDX-License-Identifier: MIT
 *
 * Poses of a crowd, from keys to the records of PM_OUTPUT, for devices with one lane. A work-group
 * poses a few instances together, stage by stage down the hierarchy: a work-item computes one joint
 * of one instance, and the transforms of joints with children are in the group's shared memory.
 */
#include "pm_joint_pose.h"
#include "pm_joint_record.h"

/* Resolves an instance, and locates the keys of input n where all joints have the same. */
pm_fn void pm_share_instance(pm_shared pm_shared_instance *shared, pm_instance instance,
                             pm_global const pm_crowd_level *levels, const pm_tables *t,
                             pm_u64 index, pm_u32 n) {
    pm_resolved r = pm_instance_resolve(instance, t->size.clips, t->size.masks, t->size.levels);
    pm_input input = n ? r.inputs[1] : r.inputs[0]; /* an index would put them in memory */
#if PM_PER_JOINT
    (void)input;
#else
    shared->cursor[n] = pm_crowd_locate(t->timelines[t->clips[input.clip].timeline], t->times,
                                        input.time, input.clamps);
#endif
    if (n)
        return;
    shared->resolved = r;
    shared->due = pm_is_update_due(t->size.frame, index, levels[r.level]);
}

#if PM_OUTPUT_FORM != PM_FORM_LOCAL

/* Transforms are moved between registers and shared memory four floats at a time. */
pm_fn pm_quat pm_shared_row(pm_shared const float *from) {
#ifdef PM_OPENCL
    float4 q = *(pm_shared const float4 *)from;
    return pm_quat_of(q.x, q.y, q.z, q.w);
#else
    return pm_quat_of(from[0], from[1], from[2], from[3]);
#endif
}

pm_fn void pm_share_row(pm_shared float *to, pm_quat row) {
#ifdef PM_OPENCL
    *(pm_shared float4 *)to = (float4)(row.x, row.y, row.z, row.w);
#else
    pm_put_row(to, row);
#endif
}

#if PM_OUTPUT_FORM == PM_FORM_RIGID
pm_fn pm_model pm_shared_model(pm_shared const float *from) {
    pm_model model;
    model.rotation = pm_shared_row(from);
    model.position = pm_shared_row(from + 4);
    return model;
}

pm_fn void pm_share_model(pm_shared float *to, pm_model model) {
    pm_share_row(to, model.rotation);
    pm_share_row(to + 4, model.position);
}
#else
pm_fn pm_model pm_shared_model(pm_shared const float *from) {
    pm_model model;
    model.x = pm_shared_row(from);
    model.y = pm_shared_row(from + 4);
    model.z = pm_shared_row(from + 8);
    return model;
}

pm_fn void pm_share_model(pm_shared float *to, pm_model model) {
    pm_share_row(to, model.x);
    pm_share_row(to + 4, model.y);
    pm_share_row(to + 8, model.z);
}
#endif
#endif

/* Records are stored in parts as wide as their size and the caller's memory allow. */
#define PM_PART_WORDS (PM_OUTPUT_WORDS % 4 ? 2 : 4)

pm_fn void pm_store_record(pm_global float *to, const real *words, pm_u32 aligned) {
#ifdef PM_OPENCL
    if (aligned) {
        PM_UNROLL
        for (int i = 0; i < PM_OUTPUT_WORDS; i += PM_PART_WORDS) {
#if PM_OUTPUT_WORDS % 4 == 0
            *(pm_global float4 *)(to + i) =
                (float4)(words[i], words[i + 1], words[i + 2], words[i + 3]);
#else
            *(pm_global float2 *)(to + i) = (float2)(words[i], words[i + 1]);
#endif
        }
        return;
    }
#endif
    (void)aligned;
    PM_UNROLL
    for (int i = 0; i < PM_OUTPUT_WORDS; i++)
        to[i] = words[i];
}

/* Work size: one group for each `per_group` instances. Offsets and `stride` are in bytes. `shared`
 * has room for per_group instances, `transforms` for `slots` slots of each. */
PM_FOUR_WAVES pm_kernel void crowd_workgroup(
    pm_global const pm_u8 *restrict instances, pm_u64 instances_offset,
    pm_global const pm_joint *restrict joints, pm_global const pm_clip_layout *restrict clips,
    pm_global const pm_crowd_timeline *restrict timelines,
    pm_global const pm_key_time *restrict times, pm_global const pm_crowd_level *restrict levels,
    pm_global const pm_u8 *restrict level_joints, pm_global const float *restrict masks,
    pm_global const pm_track_layout *restrict layout,
    pm_global const pm_stored_key *restrict rotations, pm_global const float *restrict constants,
    pm_global const float *restrict positions, pm_global const float *restrict scales,
    pm_global const pm_crowd_stage *restrict stages,
    pm_global const pm_stage_joint *restrict stage_joints, pm_global pm_u8 *restrict records,
    pm_u64 records_offset, pm_u64 stride, pm_crowd_size size, pm_u32 per_group, pm_u32 slots,
    pm_shared pm_shared_instance *restrict shared, pm_shared float *restrict transforms) {
    pm_tables t = {clips, timelines, times, rotations, constants, positions, scales, layout, size};
    pm_u32 first = pm_group_id() * per_group;
    pm_u32 count = size.instances - first < per_group ? size.instances - first : per_group;
    pm_global const pm_instance *from =
        (pm_global const pm_instance *)(instances + instances_offset) + first;
    pm_global pm_u8 *to = records + records_offset + first * stride;
    pm_u32 aligned = (((pm_u64)(size_t)to | stride) & (4 * PM_PART_WORDS - 1)) == 0;
    for (pm_u32 k = pm_local_id(); k < PM_INPUTS * count; k += pm_local_size()) {
        pm_u32 i = k / PM_INPUTS;
        pm_share_instance(&shared[i], from[i], levels, &t, size.first + first + i, k % PM_INPUTS);
    }
    pm_barrier();
    for (pm_u32 n = 0; n < size.stages; n++) {
        pm_crowd_stage stage = stages[n];
        for (pm_u32 task = pm_local_id(); task < stage.count * count; task += pm_local_size()) {
            pm_u32 i = (pm_u32)(((pm_u64)(task + 1) * stage.reciprocal) >> 32);
            pm_stage_joint at = stage_joints[stage.first + task - i * stage.count];
            pm_global const pm_joint *joint = joints + at.joint;
            real words[PM_OUTPUT_WORDS];
            if (!shared[i].due)
                continue;
            pm_local pose = pm_joint_pose(&t, &shared[i], joint, level_joints, masks, at.joint);
#if PM_OUTPUT_FORM == PM_FORM_LOCAL
            pm_put_record(words, pose);
#else
            pm_shared float *own = transforms + i * slots * PM_SLOT_FLOATS;
            pm_model model = pm_model_of(pose, joint->scaled);
            if (at.parent != PM_NO_SLOT)
                model = pm_model_product(pm_shared_model(own + at.parent * PM_SLOT_FLOATS), model);
            if (at.slot != PM_NO_SLOT)
                pm_share_model(own + at.slot * PM_SLOT_FLOATS, model);
            pm_put_record(words, model, joint);
#endif
            pm_store_record((pm_global float *)(to + i * stride) + at.joint * PM_OUTPUT_WORDS,
                            words, aligned);
        }
        pm_barrier();
    }
}
