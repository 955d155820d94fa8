/* SPDX-License-Identifier: MIT
 *
 * Instances in lanes, resolved by pm_instance.h, and the poses of a group of joints.
 */
#ifndef PM_INSTANCES_H
#define PM_INSTANCES_H

#include "pm_inputs.h"
#include "pm_instance.h"

/* PM_LANES instances. any_...: whether the condition is true in some lane. */
typedef struct pm_instance_lanes {
    pm_input_lanes inputs[PM_INPUTS];
    pm_u32 in_place[PM_LANES]; /* not 0: joint 0 keeps its rest pose */
    pm_u32 level[PM_LANES];
    pm_u32 index[PM_LANES];  /* of the instance */
    pm_u32 record[PM_LANES]; /* the number of its records */
    pm_u32 any_part, any_in_place;
    pm_u32 plain; /* poses are the samples of input 0, and timelines are not per joint */
} pm_instance_lanes;

/* ---- instances ---------------------------------------------------------------------------- */

/* What is read of a first input, which has no mask. */
pm_fn void pm_input_set_first(pm_input_lanes *lanes, int i, pm_input input) {
    lanes->clip[i] = input.clip;
    lanes->time[i] = input.time;
    lanes->clamps[i] = input.clamps;
    lanes->weight[i] = input.weight;
    lanes->op[i] = (float)input.op;
}

pm_fn void pm_input_set(pm_input_lanes *lanes, int i, pm_input input) {
    pm_input_set_first(lanes, i, input);
    lanes->mask[i] = input.mask;
    lanes->ops |= input.op;
    lanes->masked |= input.mask;
}

pm_fn pm_resolved pm_instance_at(pm_global const pm_instance *instances,
                                 const pm_instance_lanes *states, int i, const pm_tables *t) {
    return pm_instance_resolve(instances[states->index[i]], t->clips, t->size.clips, t->size.masks,
                               t->size.levels);
}

/* Finds the instances of the entries from `first` on, `step` apart, and returns a bit mask of the lanes
 * that have one. The others repeat another instance. */
pm_fn pm_u32 pm_instances_find(pm_instance_lanes *states, pm_global const pm_u32 *list,
                               pm_global const pm_u32 *list_count, pm_u32 first, pm_u32 step,
                               const pm_tables *t) {
    pm_u32 active = 0, entries = pm_entry_count(&t->size, list_count);
    if (!t->size.list && first + (PM_LANES - 1) * step < entries) {
        for (int i = 0; i < PM_LANES; i++)
            states->index[i] = states->record[i] = first + (pm_u32)PM_ITEM_OF(i) * step;
        return (1u << PM_LANES) - 1u;
    }
    pm_u32 other = t->size.instances - 1;
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 entry = first + (pm_u32)PM_ITEM_OF(i) * step;
        pm_u32 index = entry < entries ? pm_entry_instance(&t->size, list, entry) : other;
        pm_u32 here = entry < entries && index < t->size.instances;
        states->index[i] = other = here ? index : other;
        states->record[i] = here ? pm_entry_record(&t->size, entry, index) : 0;
        active |= here << i;
    }
    return active;
}

/* Loads the instances of the lanes in `active`, and returns those that are updated in this frame. */
pm_fn pm_u32 pm_instances_load(pm_instance_lanes *states, pm_global const pm_instance *instances,
                               pm_u32 active, pm_global const pm_crowd_level *levels,
                               const pm_tables *t) {
    pm_u32 any_in_place = 0, ops = 0, ops_of_b = 0;
    for (int i = 0; i < PM_LANES; i++) {
        pm_resolved r = pm_instance_at(instances, states, i, t);
        pm_input_set_first(&states->inputs[0], i, r.inputs[0]);
        states->in_place[i] = r.in_place;
        states->level[i] = r.level;
        any_in_place |= r.in_place;
        ops |= r.inputs[0].op;
        ops_of_b |= r.inputs[1].op;
    }
    states->inputs[0].ops = ops;
    states->inputs[1].ops = ops_of_b;
    states->inputs[0].masked = states->inputs[1].masked = 0;
    /* Clip B in a pass of its own, because most crowds do not need it. */
    for (int i = 0; i < PM_LANES && ops_of_b != PM_OP_NONE; i++)
        pm_input_set(&states->inputs[1], i, pm_instance_at(instances, states, i, t).inputs[1]);
    states->any_in_place = any_in_place;
    states->any_part = 0;
    for (int i = 0; i < PM_LANES && t->size.levelled; i++) {
        pm_crowd_level level = levels[states->level[i]];
        states->any_part |= !level.whole;
        if (!pm_is_update_due(t->size.frame, t->size.first + states->index[i], level))
            active &= ~(1u << i);
    }
    states->plain = !(states->any_part | states->any_in_place | t->size.per_joint) &&
                    states->inputs[0].ops == PM_OP_SET && states->inputs[1].ops == PM_OP_NONE;
    return active;
}

/* ---- poses ----------------------------------------------------------------------------- */

pm_fn real pm_weight_at(const pm_input_lanes *input, pm_global const float *masks, pm_u32 joints,
                        pm_u32 joint) {
    real weight = pm_reals_of(input->weight);
    if (!input->masked)
        return weight;
    float joint_weight[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        joint_weight[i] = masks[(pm_u64)input->mask[i] * joints + joint];
    return weight * pm_reals_of(joint_weight);
}

/* Applies the samples of an input for a group of joints to the poses so far, which are the rest pose
 * for the first input. */
pm_fn void pm_apply_group(pm_poses *poses, const pm_poses *samples, pm_u32 is_first,
                          const pm_tables *t, const pm_input_lanes *input,
                          pm_global const float *masks, pm_global const pm_joint *joints,
                          pm_u32 first, pm_u32 count) {
    for (pm_u32 k = 0; k < count; k++) {
        pm_global const pm_joint *joint = joints + first + k;
        real weight =
            pm_weight_at(input, masks, t->size.joints, pm_joint_number(joints, first + k));
        for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
            if (!pm_is_animated(joint, c))
                continue;
            pm_quat rest = pm_rest_of(joint, c);
            poses->of[c][k] = pm_input_applied(c, input->ops, pm_reals_of(input->op),
                                               is_first ? rest : poses->of[c][k], samples->of[c][k],
                                               rest, pm_spread(joint->unscale), weight);
        }
    }
}

#if PM_LAYERED
/* The layers of the lanes' instances. Lane i has those from first[i] on. */
typedef struct pm_layer_lanes {
    pm_input_lanes kept[PM_KEPT_LAYERS]; /* located where timelines are common */
    pm_global const pm_layer *layers;
    pm_u32 first[PM_LANES], count[PM_LANES];
    pm_u32 most; /* the largest count */
} pm_layer_lanes;

/* Resolves layer n of all lanes, and locates its keys where timelines are common. */
pm_fn void pm_layer_find(pm_input_lanes *input, const pm_layer_lanes *from, pm_u32 n,
                         const pm_tables *t) {
    pm_layer none = {0};
    input->ops = input->masked = 0;
    for (int i = 0; i < PM_LANES; i++)
        pm_input_set(input, i,
                     pm_layer_resolve(n < from->count[i] ? from->layers[from->first[i] + n] : none,
                                      t->clips, t->size.clips, t->size.masks));
    if (!t->size.per_joint && input->ops != PM_OP_NONE)
        pm_find_clip_keys(input, t);
}

pm_fn void pm_layers_load(pm_layer_lanes *to, const pm_instance_lanes *states,
                          pm_global const pm_layer *layers, pm_global const pm_range *ranges,
                          const pm_tables *t) {
    to->layers = layers;
    to->most = 0;
    for (int i = 0; i < PM_LANES; i++) {
        pm_range range = pm_range_within(ranges[states->index[i]], t->size.layers);
        to->first[i] = range.first;
        to->count[i] = range.count;
        to->most = range.count > to->most ? range.count : to->most;
    }
    for (pm_u32 n = 0; n < to->most && n < PM_KEPT_LAYERS; n++)
        pm_layer_find(&to->kept[n], to, n, t);
}

/* Applies the samples of a layer where this layer or one before it has a mean in some lane. */
pm_rare_fn void pm_apply_means(pm_poses *poses, const pm_poses *samples,
                               pm_mean means[PM_CHANNELS][PM_GROUP], pm_u32 seen,
                               const pm_tables *t, const pm_input_lanes *input,
                               pm_global const float *masks, pm_global const pm_joint *joints,
                               pm_u32 first, pm_u32 count) {
    for (pm_u32 k = 0; k < count; k++) {
        pm_global const pm_joint *joint = joints + first + k;
        real weight =
            pm_weight_at(input, masks, t->size.joints, pm_joint_number(joints, first + k));
        for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
            if (!pm_is_animated(joint, c))
                continue;
            if (!(seen & PM_OP_MEAN))
                means[c][k] = pm_mean_begin();
            poses->of[c][k] = pm_layer_applied(
                c, input->ops, pm_reals_of(input->op), poses->of[c][k], samples->of[c][k],
                pm_rest_of(joint, c), pm_spread(joint->unscale), weight, seen, &means[c][k]);
        }
    }
}

pm_rare_fn void pm_end_means(pm_poses *poses, pm_mean means[PM_CHANNELS][PM_GROUP],
                             pm_global const pm_joint *joints, pm_u32 first, pm_u32 count) {
    for (pm_u32 k = 0; k < count; k++)
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (pm_is_animated(joints + first + k, c))
                poses->of[c][k] = pm_layers_ended(c, poses->of[c][k], PM_OP_MEAN, &means[c][k]);
}

/* Applies the layers to the poses of a group of joints. Channel c is animated where bit c of `animated` is
 * set for some joint. */
pm_rare_fn void pm_apply_layers(pm_poses *poses, const pm_tables *t, pm_layer_lanes *layers,
                                pm_global const float *masks, pm_global const pm_joint *joints,
                                pm_u32 first, pm_u32 count, pm_u32 animated) {
    pm_mean means[PM_CHANNELS][PM_GROUP];
    pm_u32 seen = 0;
    for (pm_u32 n = 0; n < layers->most; n++) {
        pm_input_lanes found, *input = n < PM_KEPT_LAYERS ? &layers->kept[n] : &found;
        pm_poses samples;
        if (n >= PM_KEPT_LAYERS)
            pm_layer_find(&found, layers, n, t);
        if (input->ops == PM_OP_NONE)
            continue;
        pm_sample_input(&samples, t, input, joints, first, count, animated);
        if ((input->ops | seen) & PM_OP_MEAN)
            pm_apply_means(poses, &samples, means, seen, t, input, masks, joints, first, count);
        else
            pm_apply_group(poses, &samples, 0, t, input, masks, joints, first, count);
        seen |= input->ops;
    }
    if (seen & PM_OP_MEAN)
        pm_end_means(poses, means, joints, first, count);
}
#endif

/* Sets the joints that keep their rest pose, by pm_keeps_rest in each lane. `j` is the joint's
 * number. */
pm_fn void pm_apply_level(pm_poses *poses, const pm_tables *t, const pm_instance_lanes *states,
                          pm_global const pm_u8 *level_joints, pm_global const pm_joint *joint,
                          pm_u32 j, pm_u32 k) {
    float still[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 has = level_joints[(pm_u64)states->level[i] * t->size.joints + j];
        still[i] = pm_keeps_rest(has, j, states->in_place[i]) ? 1.0f : 0.0f;
    }
    for (pm_u32 c = 0; c < PM_CHANNELS; c++)
        if (pm_is_animated(joint, c))
            poses->of[c][k] = pm_quat_select(pm_reals_of(still) != PM_REAL(0.0f),
                                             pm_rest_of(joint, c), poses->of[c][k]);
}

/* Whether the level of some lane includes a joint. */
pm_fn pm_u32 pm_is_needed(const pm_tables *t, const pm_instance_lanes *states,
                          pm_global const pm_u8 *level_joints, pm_u32 j) {
    pm_u32 needed = !states->any_part;
    for (int i = 0; i < PM_LANES && !needed; i++)
        needed = level_joints[(pm_u64)states->level[i] * t->size.joints + j];
    return needed;
}

pm_fn pm_quat pm_channel_of(const pm_poses *poses, pm_global const pm_joint *joint, pm_u32 c,
                            pm_u32 k) {
    return pm_is_animated(joint, c) ? poses->of[c][k] : pm_rest_of(joint, c);
}

pm_fn pm_local pm_local_of(const pm_poses *poses, pm_global const pm_joint *joint, pm_u32 k) {
    pm_local pose;
    pose.rotation = pm_channel_of(poses, joint, PM_CHANNEL_ROTATIONS, k);
    pose.position = pm_channel_of(poses, joint, PM_CHANNEL_POSITIONS, k);
    pose.scale = pm_channel_of(poses, joint, PM_CHANNEL_SCALES, k);
    return pose;
}

#endif
