/* SPDX-License-Identifier: MIT
 *
 * The rules for instances, shared by the kernels and the host: correcting invalid fields, when an
 * instance is updated, and what its inputs do to a pose.
 */
#ifndef PM_INSTANCE_H
#define PM_INSTANCE_H

#include "pm_body.h"
#include "pm_crowd.h"
#include "pm_memory.h"
#include "pm_pose.h"

/* 1: instances have layers. */
#ifndef PM_LAYERED
#define PM_LAYERED 0
#endif

/* 1: local poses come from outside, in place of instances' clips. */
#ifndef PM_GIVEN
#define PM_GIVEN 0
#endif

/* 1: instances may be in transition (pm_transition.h). */
#ifndef PM_TRANSITIONS
#define PM_TRANSITIONS 0
#endif

/* What an input does to the pose so far, which is the rest pose before the first one. Bits, so that
 * the ops of several lanes can be united. */
#define PM_OP_NONE 1u  /* nothing */
#define PM_OP_SET 2u   /* replaces it with the sample; the first input only */
#define PM_OP_MIX 4u   /* crossfades to the sample */
#define PM_OP_ADD 8u   /* adds the difference of the sample from the rest pose */
#define PM_OP_MEAN 16u /* of layers: crossfades to the mean of neighbouring inputs of this op */

/* An input of a pose: a clip at a time, and the effect of its sample. Without effect the weight is 0. */
typedef struct pm_input {
    pm_s64 time; /* ticks */
    pm_u32 clip;
    float weight; /* in [0, 1]; 1 for PM_OP_SET */
    pm_u16 mask;  /* 0: none */
    pm_u8 op;
    pm_u8 clamps; /* not 0: the time is clamped to the clip's ends */
} pm_input;

/* The inputs of an instance, before its layers. */
#define PM_INPUTS 2

/* An input whose time is located. */
typedef struct pm_located {
    pm_input input;
    pm_cursor cursor; /* not set where timelines are per joint */
} pm_located;

/* Layers that are located once for all joints; those behind them are located for each. */
#define PM_KEPT_LAYERS 8

/* An instance with invalid fields corrected. Inputs without effect are valid: the first is clip 0 at
 * time 0, the second has the clip and the time of the first. */
typedef struct pm_resolved {
    pm_input inputs[PM_INPUTS]; /* A, B; in the order of their effects */
    pm_u32 in_place;
    pm_u32 level;
} pm_resolved;

/* An instance that the work-items of a group share. */
typedef struct pm_shared_instance {
    pm_located inputs[PM_INPUTS];
    pm_u32 in_place;
    pm_u32 level;
    pm_u32 due;    /* 0: not updated in this frame, or no such instance */
    pm_u32 index;  /* of the instance */
    pm_u32 record; /* the number of its records */
    pm_range layers;
    int low[3], high[3]; /* bounds, as pm_ordered_bits */
} pm_shared_instance;

/* An instance whose states of bodies the work-items of a group compute. */
typedef struct pm_shared_state {
    pm_s64 time; /* of clip A */
    pm_u32 clip, clamps;
    float weight;
    pm_sides sides; /* not set where timelines are per joint */
    float speed;
    pm_u32 in_place, level, due, index, record; /* as in pm_shared_instance */
} pm_shared_state;

/* Its first layers. */
typedef struct pm_shared_layers {
    pm_located kept[PM_KEPT_LAYERS];
} pm_shared_layers;

/* 2^-60, the least weight that is not 0, as in the tables that the host stores (PM_LEAST_STORED). */
#define PM_LEAST_WEIGHT 8.67361738e-19f

/* A level beyond the last is the last. */
pm_fn pm_u32 pm_level_index(pm_u32 level, pm_u32 levels) {
    return level < levels ? level : levels - 1;
}

/* Resolves an instance, with the table of `clips` clips. Any 32 bytes are accepted: see pm_crowd_instance
 * in the public header. */
pm_fn pm_resolved pm_instance_resolve(pm_instance instance, pm_global const pm_clip_layout *table,
                                      pm_u32 clips, pm_u32 masks, pm_u32 levels) {
    pm_resolved r;
    pm_input a, b;
    float weight = instance.weight >= PM_LEAST_WEIGHT ? instance.weight : 0.0f; /* 0 for NaN too */
    pm_u32 has_a = pm_clip_exists(table, clips, instance.clip_a);
    a.clip = has_a ? instance.clip_a : 0;
    a.time = has_a ? instance.time_a : 0;
    a.weight = has_a ? 1.0f : 0.0f;
    a.op = has_a ? PM_OP_SET : PM_OP_NONE;
    a.mask = 0;
    a.clamps = instance.flags & PM_CLAMP_A;
    pm_u32 blends = weight > 0.0f && pm_clip_exists(table, clips, instance.clip_b);
    b.weight = !blends ? 0.0f : weight < 1.0f ? weight : 1.0f;
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

/* Resolves a layer. Any 24 bytes are accepted: see pm_crowd_layer in the public header. */
pm_fn pm_input pm_layer_resolve(pm_layer layer, pm_global const pm_clip_layout *table, pm_u32 clips,
                                pm_u32 masks) {
    pm_input r;
    pm_u32 works = layer.weight >= PM_LEAST_WEIGHT && layer.op <= PM_LAYER_OP_MEAN &&
                   pm_clip_exists(table, clips, layer.clip);
    r.weight = !works ? 0.0f : layer.weight < 1.0f ? layer.weight : 1.0f;
    r.clip = works ? layer.clip : 0;
    r.time = works ? layer.time : 0;
    r.op = !works                         ? PM_OP_NONE
           : layer.op == PM_LAYER_OP_OVER ? PM_OP_MIX
           : layer.op == PM_LAYER_OP_ADD  ? PM_OP_ADD
                                          : PM_OP_MEAN;
    r.mask = works && layer.mask <= masks ? layer.mask : 0;
    r.clamps = works ? layer.flags & PM_LAYER_CLAMPS : 0;
    return r;
}

/* A joint's local poses from outside, in place of instances' clips: those that begin `at` floats
 * further on. */
pm_fn pm_local pm_local_given(pm_global const float *poses, const pm_u64 at[PM_LANES]) {
    pm_local pose;
    pose.rotation = pm_gather_quats_at(poses, at);
    pose.position = pm_gather_quats_at(poses + 4, at);
    pose.scale = pm_gather_quats_at(poses + 8, at);
    pose.position.w = pose.scale.w = PM_REAL(0.0f);
    return pose;
}

/* The instance of an entry; size.instances where there is none. */
pm_fn pm_u32 pm_instance_of(const pm_crowd_size *size, pm_global const pm_u32 *list, pm_u32 entry,
                            pm_u32 entries) {
    pm_u32 index = entry < entries ? pm_entry_instance(size, list, entry) : size->instances;
    return index < size->instances ? index : size->instances;
}

/* Whether an instance is updated in a frame; `index` is its number in the whole job. */
pm_fn pm_u32 pm_is_update_due(pm_u64 frame, pm_u64 index, pm_crowd_level level) {
    pm_u64 turn = frame + index / PM_INSTANCE_GROUP;
    return pm_divide(turn, level.update_every, level.reciprocal).rest == 0;
}

/* Likewise for instance `index` of a call, by its level of detail. */
pm_fn pm_u32 pm_is_instance_due(pm_u32 level, const pm_crowd_size *size,
                                pm_global const pm_crowd_level *levels, pm_u64 index) {
    return pm_is_update_due(size->frame, size->first + index,
                            levels[pm_level_index(level, size->levels)]);
}

/* The instance of an entry whose local poses a step of chains changes; size->instances: there is none, or its records
 * stay as they are. */
pm_fn pm_u32 pm_staged_instance(const pm_crowd_size *size, const pm_crowd_offsets *offsets,
                                pm_global const pm_u8 *instances, pm_global const pm_u8 *list,
                                pm_global const pm_u8 *list_count,
                                pm_global const pm_crowd_level *levels, pm_u32 entry) {
    if (entry >= size->entries)
        return size->instances;
    pm_u32 entries =
        pm_entry_count(size, (pm_global const pm_u32 *)(list_count + offsets->list_count));
    pm_u32 index =
        pm_instance_of(size, (pm_global const pm_u32 *)(list + offsets->list), entry, entries);
    pm_global const pm_instance *from =
        (pm_global const pm_instance *)(instances + offsets->instances);
    pm_u32 poses =
        index < size->instances && (!(offsets->staged & PM_STAGED_LEVELS) ||
                                    pm_is_instance_due(from[index].level, size, levels, index));
    return poses ? index : size->instances;
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

/* A channel of the pose so far after an input. `ops` has the ops of all lanes, `op` that of each.
 * With a weight of 0 a lane keeps its value exactly. `rest` is the rest pose,
 * `unscale` one over its scale: they are read for PM_OP_ADD only. */
pm_fn pm_quat pm_input_applied(pm_u32 c, pm_u32 ops, real op, pm_quat value, pm_quat sample,
                               pm_quat rest, pm_quat unscale, real weight) {
    if (ops & PM_OP_SET)
        return ops & PM_OP_NONE ? pm_quat_select(weight == PM_REAL(0.0f), value, sample) : sample;
    pm_quat mixed = ops & PM_OP_MIX ? pm_channel_mixed(c, value, sample, weight) : value;
    if (!(ops & PM_OP_ADD))
        return mixed;
    pm_quat added = pm_channel_added(c, value, sample, rest, unscale, weight);
    return ops & PM_OP_MIX ? pm_quat_select(op == PM_REAL((float)PM_OP_ADD), added, mixed) : added;
}

/* ---- layers ----------------------------------------------------------------------- */

/* A group of neighbouring inputs of PM_OP_MEAN, for a channel of a joint. */
typedef struct pm_mean {
    pm_quat first; /* the first sample of a weight above 0 */
    pm_quat
        sum; /* of the samples times their weights, rotations with the sign nearer to the first */
    pm_quat lost; /* what the sum's roundings lost, so that the order of a group does not count */
    real first_weight;
    real weight, lost_weight; /* of all, likewise. 0: the group has no effect */
} pm_mean;

/* sum + a b, and what its rounding loses: Knuth's two-sum of the product, whose own loss fma gives. */
pm_fn real pm_sum_exactly(real sum, real a, real b, real *lost) {
    real product = a * b, total = sum + product, part = total - sum;
    *lost = *lost + ((sum - (total - part)) + (product - part)) + pm_fma(a, b, -product);
    return total;
}

pm_fn pm_mean pm_mean_begin(void) {
    pm_mean mean;
    real zero = PM_REAL(0.0f);
    mean.first = mean.sum = mean.lost = pm_quat_of(zero, zero, zero, zero);
    mean.first_weight = mean.weight = mean.lost_weight = zero;
    return mean;
}

/* Below PM_LEAST_WEIGHT a weight is 0. */
pm_fn void pm_mean_add(pm_mean *mean, pm_u32 c, pm_quat sample, real weight) {
    real zero = PM_REAL(0.0f);
    weight = pm_select(weight < PM_REAL(PM_LEAST_WEIGHT), zero, weight);
    pm_mask begins = mean->weight == zero;
    mean->first = pm_quat_select(begins, sample, mean->first);
    mean->first_weight = pm_select(begins, weight, mean->first_weight);
    real signed_weight = weight;
    if (c == PM_CHANNEL_ROTATIONS)
        signed_weight = pm_select(pm_quat_dot(mean->first, sample) < zero, -weight, weight);
    pm_quat nothing = pm_quat_of(zero, zero, zero, zero);
    pm_quat sum = pm_quat_select(begins, nothing, mean->sum);
    pm_quat lost = pm_quat_select(begins, nothing, mean->lost);
    sum.x = pm_sum_exactly(sum.x, signed_weight, sample.x, &lost.x);
    sum.y = pm_sum_exactly(sum.y, signed_weight, sample.y, &lost.y);
    sum.z = pm_sum_exactly(sum.z, signed_weight, sample.z, &lost.z);
    if (c == PM_CHANNEL_ROTATIONS)
        sum.w = pm_sum_exactly(sum.w, signed_weight, sample.w, &lost.w);
    mean->sum = sum;
    mean->lost = lost;
    real lost_weight = pm_select(begins, zero, mean->lost_weight);
    mean->weight = pm_sum_exactly(mean->weight, weight, PM_REAL(1.0f), &lost_weight);
    mean->lost_weight = lost_weight;
}

/* The mean of a group; exactly the sample of a group of one. Rotations that cancel, to less than 2^-20
 * of their weight, have the first of them as their mean. */
pm_fn pm_quat pm_mean_value(const pm_mean *mean, pm_u32 c) {
    real one = PM_REAL(1.0f);
    pm_mask single = mean->weight == mean->first_weight;
    real weight = pm_select(single, one, mean->weight + mean->lost_weight);
    pm_quat value = pm_quat_scaled(pm_quat_sum(mean->sum, mean->lost), pm_exact_inverse(weight));
    if (c == PM_CHANNEL_ROTATIONS) {
        real squares = pm_quat_dot(value, value);
        pm_mask cancels = squares < PM_REAL(9.09494702e-13f); /* 2^-40 */
        single = single | cancels;
        real length = pm_exact_root(pm_select(single, one, squares));
        value = pm_quat_scaled(value, pm_exact_inverse(length));
    }
    return pm_quat_select(single, mean->first, value);
}

/* Ends the group in the lanes of `ends`: their pose so far is crossfaded to the mean, and a group
 * begins anew. */
pm_fn pm_quat pm_mean_applied(pm_mean *mean, pm_u32 c, pm_quat value, pm_mask ends) {
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    real weight = pm_select(ends, mean->weight, zero);
    value =
        pm_channel_mixed(c, value, pm_mean_value(mean, c), pm_select(weight < one, weight, one));
    mean->weight = pm_select(ends, zero, mean->weight);
    mean->first_weight = pm_select(ends, zero, mean->first_weight); /* a group of none is single */
    return value;
}

/* A channel of the pose so far after a layer, as pm_input_applied. `seen` has the ops of the layers
 * before it. After the last layer, pm_layers_ended. */
pm_fn pm_quat pm_layer_applied(pm_u32 c, pm_u32 ops, real op, pm_quat value, pm_quat sample,
                               pm_quat rest, pm_quat unscale, real weight, pm_u32 seen,
                               pm_mean *mean) {
    real zero = PM_REAL(0.0f);
    pm_mask averages = op == PM_REAL((float)PM_OP_MEAN);
    if (ops & (PM_OP_MIX | PM_OP_ADD)) {
        pm_mask ends = (op == PM_REAL((float)PM_OP_MIX)) | (op == PM_REAL((float)PM_OP_ADD));
        if (seen & PM_OP_MEAN)
            value = pm_mean_applied(mean, c, value, ends);
        value = pm_input_applied(c, ops, op, value, sample, rest, unscale,
                                 pm_select(averages, zero, weight));
    }
    if (ops & PM_OP_MEAN)
        pm_mean_add(mean, c, sample, pm_select(averages, weight, zero));
    return value;
}

pm_fn pm_quat pm_layers_ended(pm_u32 c, pm_quat value, pm_u32 seen, pm_mean *mean) {
    return seen & PM_OP_MEAN ? pm_mean_applied(mean, c, value, mean->weight >= PM_REAL(0.0f))
                             : value;
}

/* ---- bounds ---------------------------------------------------------------------- */

/* Integers in the order of float32 numbers, for atomic minima: not of NaN, nor of -0. */
pm_fn int pm_ordered_bits(int bits) {
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

#endif
