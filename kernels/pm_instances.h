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
    float in_place[PM_LANES]; /* not 0: joint 0 keeps its rest pose */
    pm_u32 level[PM_LANES];
    pm_u32 any_part, any_in_place;
    pm_u32 plain; /* poses are the samples of input 0, and timelines are not per joint */
} pm_instance_lanes;

/* ---- instances ---------------------------------------------------------------------------- */

pm_fn void pm_input_set(pm_input_lanes *lanes, int i, pm_input input) {
    lanes->clip[i] = input.clip;
    lanes->time[i] = input.time;
    lanes->clamps[i] = input.clamps;
    lanes->weight[i] = input.weight;
    lanes->adds[i] = input.op == PM_OP_ADD ? 1.0f : 0.0f;
    lanes->mask[i] = input.mask;
    lanes->ops |= input.op;
    lanes->masked |= input.mask;
}

pm_fn void pm_instance_set(pm_instance_lanes *states, int i, pm_instance instance,
                           const pm_tables *t) {
    pm_resolved r = pm_instance_resolve(instance, t->size.clips, t->size.masks, t->size.levels);
    PM_UNROLL
    for (int n = 0; n < PM_INPUTS; n++)
        pm_input_set(&states->inputs[n], i, r.inputs[n]);
    states->in_place[i] = r.in_place ? 1.0f : 0.0f;
    states->level[i] = r.level;
    states->any_in_place |= r.in_place;
}

/* Loads the instances from `first` on and returns a bit mask of the lanes to be written. Lanes past
 * the end repeat the last instance and are not written. */
pm_fn pm_u32 pm_instances_load(pm_instance_lanes *states, pm_global const pm_instance *instances,
                               pm_u32 first, pm_global const pm_crowd_level *levels,
                               const pm_tables *t) {
    pm_u32 active = 0;
    states->any_part = states->any_in_place = 0;
    for (int n = 0; n < PM_INPUTS; n++)
        states->inputs[n].ops = states->inputs[n].masked = 0;
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 index = first + (pm_u32)PM_ITEM_OF(i);
        pm_u32 here = index < t->size.instances;
        pm_instance_set(states, i, instances[here ? index : t->size.instances - 1], t);
        pm_crowd_level level = levels[states->level[i]];
        states->any_part |= !level.whole;
        if (here && pm_is_update_due(t->size.frame, t->size.first + index, level))
            active |= 1u << i;
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
        real weight = pm_weight_at(input, masks, t->size.joints, first + k);
        pm_global const pm_joint *joint = joints + first + k;
        for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
            if (!pm_is_animated(joint, c))
                continue;
            pm_quat rest = pm_rest_of(joint, c);
            poses->of[c][k] = pm_input_applied(c, input->ops, pm_reals_of(input->adds),
                                               is_first ? rest : poses->of[c][k], samples->of[c][k],
                                               rest, pm_spread(joint->unscale), weight);
        }
    }
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
