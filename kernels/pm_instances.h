/* SPDX-License-Identifier: MIT
 *
 * Instances in lanes: what each does, and the poses of a group of joints that come of it.
 */
#ifndef PM_INSTANCES_H
#define PM_INSTANCES_H

#include "pm_inputs.h"
#include "pm_pose.h"

/* PM_LANES instances; any_... says whether something is so in some lane. */
typedef struct pm_instance_lanes {
    pm_input_lanes a, b;
    float no_clip[PM_LANES]; /* not 0: A shows the rest pose */
    float weight[PM_LANES];
    float added[PM_LANES];    /* not 0: B is laid on top */
    float in_place[PM_LANES]; /* not 0: joint 0 keeps its rest pose */
    pm_u32 mask[PM_LANES];
    pm_u32 level[PM_LANES];
    pm_u32 any_b, any_added, any_mixed, any_mask, any_part, any_no_clip, any_in_place;
} pm_instance_lanes;

/* ---- instances ---------------------------------------------------------------------------- */

pm_fn void pm_instance_enter(pm_instance_lanes *states, int i, pm_instance instance,
                             const pm_tables *t) {
    pm_u32 exists_a = instance.clip_a < t->size.clips, exists_b = instance.clip_b < t->size.clips;
    float weight = instance.weight > 0.0f ? instance.weight : 0.0f; /* NaN is not */
    states->weight[i] = exists_b ? (weight < 1.0f ? weight : 1.0f) : 0.0f;
    pm_u32 blends = states->weight[i] > 0.0f;
    states->a.clip[i] = exists_a ? instance.clip_a : 0;
    states->a.time[i] = exists_a ? instance.time_a : 0;
    states->a.clamps[i] = instance.flags & PM_CLAMP_A;
    states->b.clip[i] = blends ? instance.clip_b : states->a.clip[i];
    states->b.time[i] = blends ? instance.time_b : states->a.time[i];
    states->b.clamps[i] = blends ? instance.flags & PM_CLAMP_B : states->a.clamps[i];
    states->no_clip[i] = exists_a ? 0.0f : 1.0f;
    states->added[i] = instance.flags & PM_ADDITIVE ? 1.0f : 0.0f;
    states->in_place[i] = instance.flags & PM_IN_PLACE ? 1.0f : 0.0f;
    states->mask[i] = instance.mask <= t->size.masks ? instance.mask : 0;
    states->level[i] = instance.level < t->size.levels ? instance.level : t->size.levels - 1;
    states->any_no_clip |= !exists_a;
    states->any_b |= blends;
    states->any_added |= blends && instance.flags & PM_ADDITIVE;
    states->any_mixed |= blends && !(instance.flags & PM_ADDITIVE);
    states->any_mask |= blends && states->mask[i] != 0;
    states->any_in_place |= instance.flags & PM_IN_PLACE;
}

/* Lanes past the end repeat the last instance, and write nothing. */
pm_fn pm_u32 pm_instances_enter(pm_instance_lanes *states, pm_global const pm_instance *instances,
                                pm_u32 first, pm_global const pm_crowd_level *levels,
                                const pm_tables *t) {
    pm_u32 active = 0;
    states->any_b = states->any_added = states->any_mixed = states->any_mask = 0;
    states->any_part = states->any_no_clip = states->any_in_place = 0;
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 index = first + (pm_u32)i;
        pm_u32 here = index < t->size.instances;
        pm_instance_enter(states, i, instances[here ? index : t->size.instances - 1], t);
        pm_crowd_level level = levels[states->level[i]];
        states->any_part |= !level.whole;
        pm_u64 turn = t->size.frame + (t->size.first + index) / PM_INSTANCE_GROUP;
        if (here && turn % level.update_every == 0)
            active |= 1u << i;
    }
    return active;
}

/* ---- blending -------------------------------------------------------------------------- */

pm_fn real pm_weight_at(const pm_instance_lanes *states, pm_global const float *masks,
                        pm_u32 joints, pm_u32 joint) {
    real weight = pm_reals_of(states->weight);
    if (!states->any_mask)
        return weight;
    float share[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        share[i] = masks[(pm_u64)states->mask[i] * joints + joint];
    return weight * pm_reals_of(share);
}

/* B's share of a channel. */
pm_fn pm_quat pm_blended(const pm_instance_lanes *states, pm_global const pm_joint *joint, pm_u32 c,
                         pm_quat a, pm_quat b, real weight) {
    pm_quat rest = pm_rest_of(joint, c), mixed = a, added = a;
    if (states->any_mixed)
        mixed = c == PM_CHANNEL_ROTATIONS ? pm_rotations_mixed(a, b, weight)
                                          : pm_vectors_mixed(a, b, weight);
    if (!states->any_added)
        return mixed;
    if (c == PM_CHANNEL_ROTATIONS)
        added = pm_rotation_added(a, b, rest, weight);
    else if (c == PM_CHANNEL_POSITIONS)
        added = pm_position_added(a, b, rest, weight);
    else
        added = pm_scale_added(a, b, pm_spread(joint->unscale), weight);
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

/* Has joints at rest in lanes that are set. */
pm_fn void pm_put_to_rest(pm_poses *poses, pm_global const pm_joint *joint, pm_u32 k,
                          const float *lanes) {
    for (pm_u32 c = 0; c < PM_CHANNELS; c++)
        if (pm_is_animated(joint, c))
            poses->of[c][k] = pm_quat_select(pm_reals_of(lanes) != PM_REAL(0.0f),
                                             pm_rest_of(joint, c), poses->of[c][k]);
}

/* Joints that a lane's level lacks, and joint 0 in place. */
pm_fn void pm_keep_still(pm_poses *poses, const pm_tables *t, const pm_instance_lanes *states,
                         pm_global const pm_u8 *level_joints, pm_global const pm_joint *joint,
                         pm_u32 j, pm_u32 k) {
    float still[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 has = level_joints[(pm_u64)states->level[i] * t->size.joints + j];
        still[i] = has && !(j == 0 && states->in_place[i] != 0.0f) ? 0.0f : 1.0f;
    }
    pm_put_to_rest(poses, joint, k, still);
}

/* Whether some lane's level has a joint. */
pm_fn pm_u32 pm_is_wanted(const pm_tables *t, const pm_instance_lanes *states,
                          pm_global const pm_u8 *level_joints, pm_u32 j) {
    pm_u32 wanted = !states->any_part;
    for (int i = 0; i < PM_LANES && !wanted; i++)
        wanted = level_joints[(pm_u64)states->level[i] * t->size.joints + j];
    return wanted;
}

/* The poses of a group of joints in each lane. */
pm_fn void pm_pose_group(pm_poses *poses, const pm_tables *t, pm_instance_lanes *states,
                         pm_global const pm_u8 *level_joints, pm_global const float *masks,
                         pm_global const pm_joint *joints, pm_u32 first, pm_u32 count) {
    pm_u32 animated = 0;
    for (pm_u32 k = 0; k < count; k++)
        if (pm_is_wanted(t, states, level_joints, first + k))
            animated |= joints[first + k].animated;
    if (animated) {
        pm_sample_input(poses, t, &states->a, joints, first, count, animated);
        for (pm_u32 k = 0; k < count && states->any_no_clip; k++)
            pm_put_to_rest(poses, joints + first + k, k, states->no_clip);
    }
    if (animated && states->any_b) {
        pm_poses b;
        pm_sample_input(&b, t, &states->b, joints, first, count, animated);
        pm_blend_group(poses, &b, t, states, masks, joints, first, count);
    }
    for (pm_u32 k = 0; k < count; k++)
        if (states->any_part || (states->any_in_place && first + k == 0))
            pm_keep_still(poses, t, states, level_joints, joints + first + k, first + k, k);
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
