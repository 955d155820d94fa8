/* SPDX-License-Identifier: MIT
 *
 * Poses of a crowd, from keys to the records of PM_OUTPUT, on CPU devices. A work-item computes
 * PM_LANES instances, one per lane, joint by joint down the hierarchy. With one lane the host
 * launches crowd_workgroup.cl.
 */
#ifndef PM_LANES
#define PM_LANES 4
#endif

#include "pm_instances.h"
#include "pm_joint_record.h"
#include "pm_records.h"

/* Whether poses can be the samples of one clip. */
#define PM_MAY_BE_PLAIN (!PM_GIVEN && !PM_LAYERED)

#if PM_LAYERED
#define PM_LAYER_PARAMETER pm_layer_lanes *layers,
#define PM_LAYER_ARGUMENT &layer_lanes,
#else
#define PM_LAYER_PARAMETER
#define PM_LAYER_ARGUMENT
#endif

#if !PM_GIVEN
/* Computes the poses of a group of joints in each lane. A function of its own, because the registers of
 * plain poses would otherwise hold what it needs. */
pm_rare_fn void pm_pose_group(pm_poses *poses, const pm_tables *t, pm_instance_lanes *states,
                              PM_LAYER_PARAMETER pm_global const pm_u8 *level_joints,
                              pm_global const float *masks, pm_global const pm_joint *joints,
                              pm_u32 first, pm_u32 count) {
    pm_u32 animated = 0;
    for (pm_u32 k = 0; k < count; k++)
        if (pm_is_needed(t, states, level_joints, pm_joint_number(joints, first + k)))
            animated |= joints[first + k].animated;
    for (pm_u32 n = 0; n < PM_INPUTS && animated; n++) {
        pm_input_lanes *input = &states->inputs[n];
        pm_poses others, *samples = n == 0 ? poses : &others;
        if (n > 0 && input->ops == PM_OP_NONE)
            continue;
        if (input->ops != PM_OP_NONE)
            pm_sample_input(samples, t, input, joints, first, count, animated);
        if (input->ops != PM_OP_SET)
            pm_apply_group(poses, samples, n == 0, t, input, masks, joints, first, count);
    }
#if PM_LAYERED
    if (animated && layers->most)
        pm_apply_layers(poses, t, layers, masks, joints, first, count, animated);
#endif
    pm_u32 root_alone = states->any_in_place && first == 0 ? 1 : 0;
    pm_u32 partial = states->any_part ? count : root_alone;
    for (pm_u32 k = 0; k < partial; k++)
        pm_apply_level(poses, t, states, level_joints, joints + first + k,
                       pm_joint_number(joints, first + k), k);
}

/* The same for plain poses of all joints where they are not sampled ahead, without what the others test for
 * each joint. */
#if PM_MAY_BE_PLAIN && !PM_SUBSET && PM_LANES < 16
pm_rare_fn void pm_plain_group(pm_poses *poses, const pm_tables *t, const pm_input_lanes *input,
                               pm_global const pm_joint *joints, pm_u32 first, pm_u32 count) {
    pm_u32 channels = pm_animated_channels(joints + first, count);
    for (pm_u32 c = 0; c < PM_CHANNELS; c++)
        if (channels >> c & 1)
            pm_sample_common(poses, t, input, c, first, count);
}
#endif

/* Of `rest` joints, those of the next group. */
pm_fn pm_u32 pm_group_count(pm_u32 rest) {
    return rest < PM_GROUP ? rest : PM_GROUP;
}
#endif

/* Work size: groups of PM_LANES entries. The offsets, and `stride`, are in bytes. `streams` is not 0
 * where the results exceed the caches. */
pm_kernel void
crowd(pm_global const pm_u8 *instances, pm_global const pm_u8 *layers,
      pm_global const pm_u8 *ranges, pm_global const pm_u8 *list, pm_global const pm_u8 *list_count,
      pm_global const pm_u8 *given, pm_crowd_offsets offsets, pm_global const pm_joint *joints,
      pm_global const pm_clip_layout *clips, pm_global const pm_crowd_timeline *timelines,
      pm_global const pm_key_time *times, pm_global const pm_crowd_level *levels,
      pm_global const pm_u8 *level_joints, pm_global const float *masks,
      pm_global const pm_track_layout *layout, pm_global const pm_stored_key *rotations,
      pm_global const float *constants, pm_global const float *positions,
      pm_global const float *scales, pm_global pm_u8 *records, pm_u64 records_offset, pm_u64 stride,
      pm_crowd_size size, pm_u32 streams) {
    (void)instances, (void)layers, (void)ranges, (void)given; /* programs read some of them */
    (void)levels, (void)level_joints, (void)masks;
    pm_u32 item = pm_global_id(0), first = item * PM_LANES;
    if (first >= size.entries)
        return;
#if PM_SUBSET || PM_OUTPUT_FORM == PM_FORM_BOUNDS
    streams = 0; /* single records */
#endif
    pm_u32 step =
        size.levelled ? 1 : pm_lanes_step(streams, stride); /* updates are of neighbours */
    pm_u32 begin = item / step * step * PM_LANES;
    if (size.entries - begin < step * PM_LANES)
        step = 1;
    else
        first = begin + item % step;
    pm_tables t = {clips, timelines, times, rotations, constants, positions, scales, layout, size};
    pm_instance_lanes states;
    pm_lanes_out out;
    real words[PM_RECORD_WORDS_TOTAL];
#if PM_OUTPUT_FORM != PM_FORM_LOCAL
    pm_model slots[PM_SLOTS];
#endif
#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
    pm_box box = pm_box_begin();
#endif
    out.active = pm_instances_find(&states, (pm_global const pm_u32 *)(list + offsets.list),
                                   (pm_global const pm_u32 *)(list_count + offsets.list_count),
                                   first, step, &t);
#if !PM_GIVEN
    out.active =
        pm_instances_load(&states, (pm_global const pm_instance *)(instances + offsets.instances),
                          out.active, levels, &t);
#endif
    if (!out.active)
        return;
    for (int i = 0; i < PM_LANES; i++) /* items, so that pm_put_four_lines writes to neighbours */
        out.to[i] =
            (pm_global float *)(records + records_offset + (pm_u64)states.record[i] * stride);
    pm_lanes_begin(&out, size.posed * PM_OUTPUT_WORDS, streams);
#if !PM_GIVEN
    if (!size.per_joint) {
        pm_find_clip_keys(&states.inputs[0], &t);
        if (states.inputs[1].ops != PM_OP_NONE)
            pm_find_clip_keys(&states.inputs[1], &t);
    }
#endif
#if PM_LAYERED
    pm_layer_lanes layer_lanes;
    pm_layers_load(&layer_lanes, &states, (pm_global const pm_layer *)(layers + offsets.layers),
                   (pm_global const pm_range *)(ranges + offsets.ranges), &t);
#endif
#if !PM_GIVEN
    /* Joint n is sampled and joint j placed. Where poses are plain and registers many, j is a group
     * behind n: sampling is a long chain of dependent arithmetic, which overlaps with the matrices and
     * stores of another joint. Otherwise whole groups are posed together. */
    pm_u32 lead = PM_LANES == 16 && PM_MAY_BE_PLAIN && states.plain ? PM_GROUP : 0;
    pm_u32 ahead = lead ? size.posed : 0, together = size.posed - ahead;
#if !PM_SUBSET
    pm_planes planes[PM_CHANNELS]; /* of neighbours, whose keys are too */
#endif
    pm_poses poses;
#else
    const pm_u32 lead = 0;
    pm_global const float *poses = (pm_global const float *)(given + offsets.poses);
    pm_u64 pose_of[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        pose_of[i] = states.index[i] * (offsets.pose_stride / sizeof(float));
#endif
    for (pm_u32 n = 0; n < size.posed + lead; n++) {
        pm_u32 j = n - lead;
#if !PM_GIVEN
        pm_u32 k = n % PM_GROUP;
#if !PM_SUBSET
        if (k == 0 && n < ahead) {
            pm_u32 channels = pm_animated_channels(joints + n, pm_group_count(ahead - n));
            for (pm_u32 c = 0; c < PM_CHANNELS; c++)
                if (channels >> c & 1)
                    pm_gather_common(&planes[c], &t, &states.inputs[0], c, n);
        }
#endif
#if PM_MAY_BE_PLAIN && !PM_SUBSET && PM_LANES < 16
        if (k == 0 && states.plain)
            pm_plain_group(&poses, &t, &states.inputs[0], joints, n,
                           pm_group_count(size.posed - n));
        else
#endif
            if (k == 0 && n < together)
            pm_pose_group(&poses, &t, &states, PM_LAYER_ARGUMENT level_joints, masks, joints, n,
                          pm_group_count(together - n));
#endif
        if (n >= lead) {
            pm_global const pm_joint *joint = joints + j;
            (void)joint;
#if PM_GIVEN
            pm_local pose =
                pm_local_given(poses + 12 * (pm_u64)pm_joint_number(joints, j), pose_of);
#else
            pm_local pose = pm_local_of(&poses, joint, k);
#endif
#if PM_OUTPUT_FORM != PM_FORM_LOCAL
            pm_model model = pm_model_of(pose, joint);
            if (joint->parent != PM_NO_SLOT)
                model = pm_model_product(slots[joint->parent], model);
            if (joint->slot != PM_NO_SLOT)
                slots[joint->slot] = model;
#endif
            if (!PM_SUBSET || joint->record != PM_NO_RECORD) {
#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
                pm_box_add(&box, pm_box_about(model, joint->radius));
#else
#if PM_SUBSET
                real *record = words;
#else
                real *record = pm_record(&out, words, j, PM_OUTPUT_WORDS);
#endif
#if PM_OUTPUT_FORM == PM_FORM_LOCAL
                pm_put_record(record, pose);
#else
                pm_put_record(record, model, joint);
#endif
#if PM_SUBSET
                pm_send_record(&out, words, joint->record, PM_OUTPUT_WORDS);
#endif
#endif
            }
        }
#if !PM_GIVEN
        if (n < ahead)
            for (pm_u32 c = 0; c < PM_CHANNELS; c++)
                if (pm_is_animated(joints + n, c))
#if PM_SUBSET
                    poses.of[c][k] = pm_sample_joint(&t, &states.inputs[0], c, joints[n].number,
                                                     4 * joints[n].number);
#else
                    poses.of[c][k] =
                        pm_sample_gathered(&planes[c], &t, &states.inputs[0], c, n - k, k);
#endif
#endif
#if PM_OUTPUT_FORM != PM_FORM_BOUNDS && !PM_SUBSET
        if (n >= lead)
            pm_send_records(&out, words, j, PM_OUTPUT_WORDS, j + 1 == size.posed);
#endif
    }
#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
    pm_put_row(words, box.low);
    pm_put_row(words + 4, box.high);
    pm_send_record(&out, words, 0, PM_OUTPUT_WORDS);
#endif
}
