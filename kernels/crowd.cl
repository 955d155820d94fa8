/* SPDX-License-Identifier: MIT
 *
 * Poses of a crowd, from keys to the records of PM_OUTPUT. A work-item computes PM_LANES instances,
 * one per lane, joint by joint down the hierarchy.
 */
#include "pm_crowd_outputs.h"
#include "pm_instances.h"
#include "pm_records.h"

/* ---- records ------------------------------------------------------------------------- */

pm_fn void pm_put_row(real *words, pm_quat row) {
    words[0] = row.x;
    words[1] = row.y;
    words[2] = row.z;
    words[3] = row.w;
}

#if PM_OUTPUT_FORM == PM_FORM_LOCAL

pm_fn void pm_put_record(real *words, pm_local pose) {
    pm_put_row(words, pose.rotation);
    pm_put_row(words + 4, pose.position);
    pm_put_row(words + 8, pose.scale);
}

#elif PM_OUTPUT_FORM == PM_FORM_RIGID

typedef pm_rigid pm_model;
#define pm_model_product pm_rigid_product

pm_fn pm_model pm_model_of(pm_local pose, pm_u32 scaled) {
    pm_model model;
    (void)scaled;
    model.rotation = pose.rotation;
    model.position = pose.position;
    return model;
}

pm_fn void pm_put_record(real *words, pm_model model, pm_global const pm_joint *joint) {
    pm_rigid bind;
    bind.rotation = pm_spread(joint->bind_rotation);
    bind.position = pm_spread(joint->bind_position);
    pm_rigid skin = pm_rigid_product(model, bind);
    pm_put_row(words, skin.rotation);
    pm_put_row(words + 4, pm_rigid_dual(skin));
}

#else

typedef pm_matrix pm_model;
#define pm_model_product pm_matrix_product

pm_fn pm_model pm_model_of(pm_local pose, pm_u32 scaled) {
    pm_model model = pm_matrix_of(pose.rotation, pose.position);
    return scaled ? pm_matrix_scaled(model, pose.scale) : model;
}

#if PM_OUTPUT_BITS == 16
/* Two float16 in a word. The upper half is multiplied as a signed number, because C leaves a shift
 * into the sign bit undefined. */
pm_fn real pm_two_halves(real low, real high) {
    pm_mask above = pm_half_bits(high);
    above -= (above & PM_BITS(0x8000)) * PM_BITS(2);
    return pm_real_of(pm_half_bits(low) | above * PM_BITS(65536));
}

pm_fn void pm_put_numbers(real *words, pm_quat row, pm_u32 at) {
    words[2 * at] = pm_two_halves(row.x, row.y);
    words[2 * at + 1] = pm_two_halves(row.z, row.w);
}
#else
pm_fn void pm_put_numbers(real *words, pm_quat row, pm_u32 at) {
    pm_put_row(words + 4 * at, row);
}
#endif

pm_fn void pm_put_record(real *words, pm_model model, pm_global const pm_joint *joint) {
    pm_matrix m = model;
#if PM_OUTPUT_BOUND
    pm_matrix bind;
    bind.x = pm_spread(joint->inverse_bind);
    bind.y = pm_spread(joint->inverse_bind + 4);
    bind.z = pm_spread(joint->inverse_bind + 8);
    m = pm_matrix_product(model, bind);
#endif
    (void)joint;
    pm_put_numbers(words, m.x, 0);
    pm_put_numbers(words, m.y, 1);
    pm_put_numbers(words, m.z, 2);
}

#endif

/* Work size: groups of PM_LANES instances. Offsets and `stride` are in bytes. `streams` is not 0
 * where the results exceed the caches and strides are whole lines. */
pm_kernel void crowd(pm_global const pm_u8 *instances, pm_u64 instances_offset,
                     pm_global const pm_joint *joints, pm_global const pm_clip_layout *clips,
                     pm_global const pm_crowd_timeline *timelines, pm_global const pm_u64 *times,
                     pm_global const pm_crowd_level *levels, pm_global const pm_u8 *level_joints,
                     pm_global const float *masks, pm_global const pm_track_layout *layout,
                     pm_global const pm_stored_key *rotations, pm_global const float *constants,
                     pm_global const float *positions, pm_global const float *scales,
                     pm_global pm_u8 *records, pm_u64 records_offset, pm_u64 stride,
                     pm_crowd_size size, pm_u32 streams) {
    pm_u32 first = pm_global_id(0) * PM_LANES;
    if (first >= size.instances)
        return;
    pm_tables t = {clips, timelines, times, rotations, constants, positions, scales, layout, size};
    pm_instance_lanes states;
    pm_lanes_out out;
    real words[PM_RECORD_WORDS_TOTAL];
#if PM_OUTPUT_FORM != PM_FORM_LOCAL
    pm_model slots[PM_SLOTS];
#endif
    out.active = pm_instances_load(
        &states, (pm_global const pm_instance *)(instances + instances_offset), first, levels, &t);
    if (!out.active)
        return;
    for (int i = 0; i < PM_LANES; i++)
        out.to[i] =
            (pm_global float *)(records + records_offset + (pm_u64)(first + (pm_u32)i) * stride);
    out.streams = streams && ((size_t)out.to[0] & (sizeof(real) - 1)) == 0;
    if (!size.per_joint) {
        pm_find_clip_keys(&states.a, &t);
        if (states.any_b)
            pm_find_clip_keys(&states.b, &t);
    }
    pm_poses poses;
    for (pm_u32 j = 0; j < size.joints; j++) {
        pm_global const pm_joint *joint = joints + j;
        if (j % PM_GROUP == 0)
            pm_pose_group(&poses, &t, &states, level_joints, masks, joints, j,
                          size.joints - j < PM_GROUP ? size.joints - j : PM_GROUP);
        pm_local pose = pm_local_of(&poses, joint, j % PM_GROUP);
        real *record = pm_record(words, j, PM_OUTPUT_WORDS);
#if PM_OUTPUT_FORM == PM_FORM_LOCAL
        pm_put_record(record, pose);
#else
        pm_model model = pm_model_of(pose, joint->scaled);
        if (joint->parent != PM_NO_SLOT)
            model = pm_model_product(slots[joint->parent], model);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = model;
        pm_put_record(record, model, joint);
#endif
        pm_send_records(&out, words, j, PM_OUTPUT_WORDS, j + 1 == size.joints);
    }
}
