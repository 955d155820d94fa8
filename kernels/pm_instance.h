/* SPDX-License-Identifier: MIT
 *
 * The rules for instances, shared by the kernels and the host: correcting invalid fields, when an
 * instance is updated, and what its inputs do to a pose.
 */
#ifndef PM_INSTANCE_H
#define PM_INSTANCE_H

#include "pm_crowd.h"
#include "pm_pose.h"

/* What an input does to the pose so far, which is the rest pose before the first one. Bits, so that
 * the ops of several lanes can be united. */
#define PM_OP_NONE 1u /* nothing */
#define PM_OP_SET 2u  /* replaces it with the sample; the first input only */
#define PM_OP_MIX 4u  /* crossfades to the sample */
#define PM_OP_ADD 8u  /* adds the difference of the sample from the rest pose */

/* An input of a pose: a clip at a time, and the effect of its sample. Without effect the weight is 0. */
typedef struct pm_input {
    pm_s64 time; /* ticks */
    pm_u32 clip;
    float weight; /* in [0, 1]; 1 for PM_OP_SET */
    pm_u16 mask;  /* 0: none */
    pm_u8 op;
    pm_u8 clamps; /* not 0: the time is clamped to the clip's ends */
} pm_input;

/* The inputs of an instance. */
#define PM_INPUTS 2

/* An instance with invalid fields corrected. Inputs without effect are valid: the first is clip 0 at
 * time 0, the second has the clip and the time of the first. */
typedef struct pm_resolved {
    pm_input inputs[PM_INPUTS]; /* A, B; in the order of their effects */
    pm_u32 in_place;
    pm_u32 level;
} pm_resolved;

/* An instance that the work-items of a group share. */
typedef struct pm_shared_instance {
    pm_resolved resolved;
    pm_cursor cursor[PM_INPUTS]; /* not set where timelines are per joint */
    pm_u32 due;                  /* 0: not updated in this frame */
} pm_shared_instance;

/* 2^-60, the least weight that is not 0, as in the tables that the host stores (PM_LEAST_STORED). */
#define PM_LEAST_WEIGHT 8.67361738e-19f

/* A level beyond the last is the last. */
pm_fn pm_u32 pm_level_index(pm_u32 level, pm_u32 levels) {
    return level < levels ? level : levels - 1;
}

/* Resolves an instance. Any 32 bytes are accepted: see pm_crowd_instance in the public header. */
pm_fn pm_resolved pm_instance_resolve(pm_instance instance, pm_u32 clips, pm_u32 masks,
                                      pm_u32 levels) {
    pm_resolved r;
    pm_input a, b;
    float weight = instance.weight >= PM_LEAST_WEIGHT ? instance.weight : 0.0f; /* 0 for NaN too */
    pm_u32 has_a = instance.clip_a < clips;
    a.clip = has_a ? instance.clip_a : 0;
    a.time = has_a ? instance.time_a : 0;
    a.weight = has_a ? 1.0f : 0.0f;
    a.op = has_a ? PM_OP_SET : PM_OP_NONE;
    a.mask = 0;
    a.clamps = instance.flags & PM_CLAMP_A;
    b.weight = instance.clip_b < clips ? (weight < 1.0f ? weight : 1.0f) : 0.0f;
    pm_u32 blends = b.weight > 0.0f;
    b.clip = blends ? instance.clip_b : a.clip;
    b.time = blends ? instance.time_b : a.time;
    b.op = !blends ? PM_OP_NONE : instance.flags & PM_ADDITIVE ? PM_OP_ADD : PM_OP_MIX;
    b.mask = blends && instance.mask <= masks ? instance.mask : 0;
    b.clamps = blends ? instance.flags & PM_CLAMP_B : a.clamps;
    r.inputs[0] = a;
    r.inputs[1] = b;
    r.in_place = instance.flags & PM_IN_PLACE;
    r.level = pm_level_index(instance.level, levels);
    return r;
}

/* Whether an instance is updated in a frame; `index` is its number in the whole job. */
pm_fn pm_u32 pm_is_update_due(pm_u64 frame, pm_u64 index, pm_crowd_level level) {
    pm_u64 turn = frame + index / PM_INSTANCE_GROUP;
    return pm_divide(turn, level.update_every, level.reciprocal).rest == 0;
}

/* Whether a joint keeps its rest pose: a joint that the level lacks, or joint 0 of an instance in
 * place. */
pm_fn pm_u32 pm_keeps_rest(pm_u32 level_has, pm_u32 joint, pm_u32 in_place) {
    return !level_has || (joint == 0 && in_place);
}

pm_fn pm_quat pm_channel_mixed(pm_u32 c, pm_quat value, pm_quat sample, real weight) {
    return c == PM_CHANNEL_ROTATIONS ? pm_rotations_mixed(value, sample, weight)
                                     : pm_vectors_mixed(value, sample, weight);
}

pm_fn pm_quat pm_channel_added(pm_u32 c, pm_quat value, pm_quat sample, pm_quat rest,
                               pm_quat unscale, real weight) {
    if (c == PM_CHANNEL_ROTATIONS)
        return pm_rotation_added(value, sample, rest, weight);
    if (c == PM_CHANNEL_POSITIONS)
        return pm_position_added(value, sample, rest, weight);
    return pm_scale_added(value, sample, unscale, weight);
}

/* A channel of the pose so far after an input. `ops` has the ops of all lanes, `adds` is not 0 in
 * those of PM_OP_ADD. With a weight of 0 a lane keeps its value exactly. `rest` is the rest pose,
 * `unscale` one over its scale: they are read for PM_OP_ADD only. */
pm_fn pm_quat pm_input_applied(pm_u32 c, pm_u32 ops, real adds, pm_quat value, pm_quat sample,
                               pm_quat rest, pm_quat unscale, real weight) {
    if (ops & PM_OP_SET)
        return ops & PM_OP_NONE ? pm_quat_select(weight == PM_REAL(0.0f), value, sample) : sample;
    pm_quat mixed = ops & PM_OP_MIX ? pm_channel_mixed(c, value, sample, weight) : value;
    if (!(ops & PM_OP_ADD))
        return mixed;
    pm_quat added = pm_channel_added(c, value, sample, rest, unscale, weight);
    return ops & PM_OP_MIX ? pm_quat_select(adds != PM_REAL(0.0f), added, mixed) : added;
}

#endif
