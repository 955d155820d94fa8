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
    pm_input_lanes a, b;
    float no_clip[PM_LANES]; /* not 0: A is the rest pose */
    float weight[PM_LANES];
    float added[PM_LANES];    /* not 0: B is additive */
    float in_place[PM_LANES]; /* not 0: joint 0 keeps its rest pose */
    pm_u32 mask[PM_LANES];
    pm_u32 level[PM_LANES];
    pm_u32 any_b, any_added, any_mixed, any_mask, any_part, any_no_clip, any_in_place;
    pm_u32 plain; /* poses are the samples of A, and timelines are not per joint */
} pm_instance_lanes;

/* ---- instances ---------------------------------------------------------------------------- */

pm_fn void pm_input_set(pm_input_lanes *lanes, int i, pm_input input) {
    lanes->clip[i] = input.clip;
    lanes->time[i] = input.time;
    lanes->clamps[i] = input.clamps;
}

pm_fn void pm_instance_set(pm_instance_lanes *states, int i, pm_instance instance,
                           const pm_tables *t) {
    pm_resolved r = pm_instance_resolve(instance, t->size.clips, t->size.masks, t->size.levels);
    pm_input_set(&states->a, i, r.a);
    pm_input_set(&states->b, i, r.b);
    states->no_clip[i] = r.has_a ? 0.0f : 1.0f;
    states->weight[i] = r.weight;
    states->added[i] = r.additive ? 1.0f : 0.0f;
    states->in_place[i] = r.in_place ? 1.0f : 0.0f;
    states->mask[i] = r.mask;
    states->level[i] = r.level;
    states->any_no_clip |= !r.has_a;
    states->any_b |= r.blends;
    states->any_added |= r.additive ? r.blends : 0;
    states->any_mixed |= r.additive ? 0 : r.blends;
    states->any_mask |= r.blends ? r.mask : 0;
    states->any_in_place |= r.in_place;
}

/* Loads the instances from `first` on and returns a bit mask of the lanes to be written. Lanes past
 * the end repeat the last instance and are not written. */
pm_fn pm_u32 pm_instances_load(pm_instance_lanes *states, pm_global const pm_instance *instances,
                               pm_u32 first, pm_global const pm_crowd_level *levels,
                               const pm_tables *t) {
    pm_u32 active = 0;
    states->any_b = states->any_added = states->any_mixed = states->any_mask = 0;
    states->any_part = states->any_no_clip = states->any_in_place = 0;
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 index = first + (pm_u32)PM_ITEM_OF(i);
        pm_u32 here = index < t->size.instances;
        pm_instance_set(states, i, instances[here ? index : t->size.instances - 1], t);
        pm_crowd_level level = levels[states->level[i]];
        states->any_part |= !level.whole;
        if (here && pm_is_update_due(t->size.frame, t->size.first + index, level))
            active |= 1u << i;
    }
    states->plain = !(states->any_b | states->any_part | states->any_no_clip |
                      states->any_in_place | t->size.per_joint);
    return active;
}

/* ---- blending -------------------------------------------------------------------------- */

pm_fn real pm_weight_at(const pm_instance_lanes *states, pm_global const float *masks,
                        pm_u32 joints, pm_u32 joint) {
    real weight = pm_reals_of(states->weight);
    if (!states->any_mask)
        return weight;
    float joint_weight[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        joint_weight[i] = masks[(pm_u64)states->mask[i] * joints + joint];
    return weight * pm_reals_of(joint_weight);
}

/* A channel of A blended with B, crossfaded or additive by lane. */
pm_fn pm_quat pm_blended(const pm_instance_lanes *states, pm_global const pm_joint *joint, pm_u32 c,
                         pm_quat a, pm_quat b, real weight) {
    pm_quat mixed = states->any_mixed ? pm_channel_mixed(c, a, b, weight) : a;
    if (!states->any_added)
        return mixed;
    pm_quat added =
        pm_channel_added(c, a, b, pm_rest_of(joint, c), pm_spread(joint->unscale), weight);
    return pm_quat_select(pm_reals_of(states->added) != PM_REAL(0.0f), added, mixed);
}

pm_fn void pm_blend_group(pm_poses *a, const pm_poses *b, const pm_tables *t,
                          const pm_instance_lanes *states, pm_global const float *masks,
                          pm_global const pm_joint *joints, pm_u32 first, pm_u32 count) {
    for (pm_u32 k = 0; k < count; k++) {
        real weight = pm_weight_at(states, masks, t->size.joints, first + k);
        pm_global const pm_joint *joint = joints + first + k;
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (pm_is_animated(joint, c))
                a->of[c][k] = pm_blended(states, joint, c, a->of[c][k], b->of[c][k], weight);
    }
}

/* Sets a joint to the rest pose in the lanes that are not 0. */
pm_fn void pm_set_rest(pm_poses *poses, pm_global const pm_joint *joint, pm_u32 k,
                       const float *lanes) {
    for (pm_u32 c = 0; c < PM_CHANNELS; c++)
        if (pm_is_animated(joint, c))
            poses->of[c][k] = pm_quat_select(pm_reals_of(lanes) != PM_REAL(0.0f),
                                             pm_rest_of(joint, c), poses->of[c][k]);
}

/* Sets the joints that keep their rest pose, by pm_keeps_rest in each lane. */
pm_fn void pm_apply_level(pm_poses *poses, const pm_tables *t, const pm_instance_lanes *states,
                          pm_global const pm_u8 *level_joints, pm_global const pm_joint *joint,
                          pm_u32 j, pm_u32 k) {
    float still[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 has = level_joints[(pm_u64)states->level[i] * t->size.joints + j];
        still[i] = pm_keeps_rest(has, j, states->in_place[i] != 0.0f) ? 1.0f : 0.0f;
    }
    pm_set_rest(poses, joint, k, still);
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
