/* SPDX-License-Identifier: MIT
 *
 * Poses of a crowd, from keys to the records of PM_OUTPUT, for devices with one lane. A work-group
 * poses a few instances together, stage by stage down the hierarchy: a work-item computes one joint
 * of one instance, and the transforms of joints with children are in the group's shared memory.
 */
#include "pm_joint_pose.h"
#include "pm_joint_record.h"

#if !PM_GIVEN
/* Resolves an instance, and locates the keys of input n where all joints have the same. */
pm_fn void pm_share_instance(pm_shared pm_shared_instance *shared, pm_instance instance,
                             pm_global const pm_crowd_level *levels, const pm_tables *t,
                             pm_u64 index, pm_u32 n) {
    pm_resolved r =
        pm_instance_resolve(instance, t->clips, t->size.clips, t->size.masks, t->size.levels);
    pm_input input = n ? r.inputs[1] : r.inputs[0]; /* an index would put them in memory */
    shared->inputs[n] = pm_input_located(t, input);
    if (n)
        return;
    shared->in_place = r.in_place;
    shared->level = r.level;
    shared->due = pm_is_update_due(t->size.frame, t->size.first + index, levels[r.level]);
}
#endif

#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
/* Minima and maxima of ordered bits, which joints of a stage write together. */
#ifdef PM_OPENCL
#define pm_shared_least(to, bits) atomic_min((to), (bits))
#define pm_shared_greatest(to, bits) atomic_max((to), (bits))
#else
#define pm_shared_least(to, bits) (*(to) = (bits) < *(to) ? (bits) : *(to))
#define pm_shared_greatest(to, bits) (*(to) = (bits) > *(to) ? (bits) : *(to))
#endif

pm_fn void pm_share_number(pm_shared int *low, pm_shared int *high, real least, real greatest) {
    if (least == least)
        pm_shared_least(low, pm_ordered_bits(pm_bits_of(least)));
    if (greatest == greatest)
        pm_shared_greatest(high, pm_ordered_bits(pm_bits_of(greatest)));
}

pm_fn void pm_share_box(pm_shared pm_shared_instance *to, pm_box box) {
    pm_share_number(&to->low[0], &to->high[0], box.low.x, box.high.x);
    pm_share_number(&to->low[1], &to->high[1], box.low.y, box.high.y);
    pm_share_number(&to->low[2], &to->high[2], box.low.z, box.high.z);
}

pm_fn void pm_store_box(pm_global float *to, pm_shared const pm_shared_instance *from) {
    PM_UNROLL
    for (int i = 0; i < 3; i++) {
        to[i] = pm_real_of(pm_ordered_bits(from->low[i]));
        to[4 + i] = pm_real_of(pm_ordered_bits(from->high[i]));
    }
    to[3] = to[7] = 0.0f;
}
#endif

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

/* Work size: one group for each `per_group` entries. The offsets, and `stride`, are in bytes. `shared`
 * has room for per_group instances, as has `shared_layers` where instances have layers, and
 * `transforms` for `slots` slots of each. */
PM_FOUR_WAVES pm_kernel void crowd_workgroup(
    pm_global const pm_u8 *restrict instances, pm_global const pm_u8 *restrict layers,
    pm_global const pm_u8 *restrict ranges, pm_global const pm_u8 *restrict list,
    pm_global const pm_u8 *restrict list_count, pm_global const pm_u8 *restrict given,
    pm_global const pm_u8 *restrict transitions, pm_crowd_offsets offsets,
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
    pm_shared pm_shared_instance *restrict shared,
    pm_shared pm_shared_layers *restrict shared_layers, pm_shared float *restrict transforms) {
    pm_tables t = {clips, timelines, times, rotations, constants, positions, scales, layout, size};
    (void)layers, (void)ranges, (void)given, (void)transitions; /* programs read some of them */
    (void)levels, (void)level_joints, (void)masks;
    (void)shared_layers, (void)slots, (void)transforms;
    pm_u32 first = pm_group_id() * per_group;
    pm_u32 entries =
        pm_entry_count(&size, (pm_global const pm_u32 *)(list_count + offsets.list_count));
    pm_u32 count = size.entries - first < per_group ? size.entries - first : per_group;
    pm_global pm_u8 *to = records + records_offset;
    pm_u32 aligned = (((pm_u64)(size_t)to | stride) & (4 * PM_PART_WORDS - 1)) == 0;
    (void)t, (void)aligned;
    pm_global const pm_u32 *list_of = (pm_global const pm_u32 *)(list + offsets.list);
    pm_global const pm_instance *from =
        (pm_global const pm_instance *)(instances + offsets.instances);
#if PM_LAYERED
    pm_layer_tables of_layers;
    of_layers.layers = (pm_global const pm_layer *)(layers + offsets.layers);
    pm_global const pm_range *range_of = (pm_global const pm_range *)(ranges + offsets.ranges);
#endif
    for (pm_u32 k = pm_local_id(); k < PM_INPUTS * count; k += pm_local_size()) {
        pm_u32 i = k / PM_INPUTS, n = k % PM_INPUTS;
        pm_u32 index = pm_instance_of(&size, list_of, first + i, entries);
        if (n == 0) {
            shared[i].index = index;
            shared[i].record = pm_entry_record(&size, first + i, index);
#if PM_GIVEN
            shared[i].due = index < size.instances &&
                            (!(offsets.staged & PM_STAGED_LEVELS) ||
                             pm_is_instance_due(from[index].level, &size, levels, index));
#else
            shared[i].due = 0;
#endif
#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
            for (int axis = 0; axis < 3; axis++) {
                shared[i].low[axis] = pm_ordered_bits(pm_bits_of(INFINITY));
                shared[i].high[axis] = pm_ordered_bits(pm_bits_of(-INFINITY));
            }
#endif
        }
        if (index == size.instances)
            continue;
#if PM_LAYERED
        if (n == 0)
            shared[i].layers = pm_range_within(range_of[index], size.layers);
#endif
#if !PM_GIVEN
        pm_share_instance(&shared[i], from[index], levels, &t, index, n);
#endif
    }
#if PM_LAYERED
    for (pm_u32 k = pm_local_id(); k < PM_KEPT_LAYERS * count; k += pm_local_size()) {
        pm_u32 i = k / PM_KEPT_LAYERS, n = k % PM_KEPT_LAYERS;
        pm_u32 index = pm_instance_of(&size, list_of, first + i, entries);
        if (index == size.instances)
            continue;
        pm_range range = pm_range_within(range_of[index], size.layers);
        if (n < range.count)
            shared_layers[i].kept[n] =
                pm_input_located(&t, pm_layer_resolve(of_layers.layers[range.first + n], t.clips,
                                                      size.clips, size.masks));
    }
#endif
    pm_barrier();
    for (pm_u32 n = 0; n < size.stages; n++) {
        pm_crowd_stage stage = stages[n];
        for (pm_u32 task = pm_local_id(); task < stage.count * count; task += pm_local_size()) {
            pm_u32 i = (pm_u32)(((pm_u64)(task + 1) * stage.reciprocal) >> 32);
            pm_stage_joint at = stage_joints[stage.first + task - i * stage.count];
            pm_global const pm_joint *joint = joints + at.joint;
            (void)joint;
            if (!shared[i].due)
                continue;
#if PM_GIVEN
            const pm_u64 pose_at[PM_LANES] = {(offsets.staged ? first + i : shared[i].index) *
                                                  (offsets.pose_stride / sizeof(float)) +
                                              12 * at.joint};
            pm_local pose =
                pm_local_given((pm_global const float *)(given + offsets.poses), pose_at);
#else
#if PM_LAYERED
            of_layers.kept = shared_layers + i;
            const pm_layer_tables *l = &of_layers;
#else
            const pm_layer_tables *l = 0;
#endif
            pm_u32 moves = pm_joint_moves(&t, &shared[i], joint, level_joints, at.joint);
            pm_local pose = pm_joint_pose(&t, &shared[i], l, joint, masks, at.joint, moves);
#if PM_TRANSITIONS
            pose = pm_joint_in_transition(&t, pose,
                                          transitions + offsets.transitions +
                                              shared[i].index * offsets.transition_stride,
                                          offsets.transition_time, at.joint, moves);
#endif
#endif
#if PM_OUTPUT_FORM != PM_FORM_LOCAL
            pm_shared float *own = transforms + i * slots * PM_SLOT_FLOATS;
            pm_model model = pm_model_of(pose, joint);
            if (at.parent != PM_NO_SLOT)
                model = pm_model_product(pm_shared_model(own + at.parent * PM_SLOT_FLOATS), model);
            if (at.slot != PM_NO_SLOT)
                pm_share_model(own + at.slot * PM_SLOT_FLOATS, model);
#endif
            if (at.record == PM_NO_RECORD)
                continue;
#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
            pm_share_box(&shared[i], pm_box_about(model, joint->radius));
#else
            real words[PM_OUTPUT_WORDS];
#if PM_OUTPUT_FORM == PM_FORM_LOCAL
            pm_put_record(words, pose);
#else
            pm_put_record(words, model, joint);
#endif
            pm_store_record((pm_global float *)(to + shared[i].record * stride) +
                                at.record * PM_OUTPUT_WORDS,
                            words, aligned);
#endif
        }
        pm_barrier();
    }
#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
    for (pm_u32 i = pm_local_id(); i < count; i += pm_local_size())
        if (shared[i].due)
            pm_store_box((pm_global float *)(to + shared[i].record * stride), &shared[i]);
#endif
}
