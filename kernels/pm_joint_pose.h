/* SPDX-License-Identifier: MIT
 *
 * The pose of one joint of one instance, for kernels in which a work-group shares its instances.
 */
#ifndef PM_JOINT_POSE_H
#define PM_JOINT_POSE_H

#include "pm_channels.h"
#include "pm_instance.h"
#include "pm_transition.h"

#if PM_LANES != 1
#error "PM_LANES is not 1: pm_joint_pose.h computes one joint per work-item"
#endif

/* 1: the clips have timelines per joint, which are located for each joint. 0: a common timeline. */
#ifndef PM_PER_JOINT
#define PM_PER_JOINT 0
#endif

/* Positions and scales: with timelines per joint in a loop, because programs then contain the
 * locating of keys twice, not three times. Otherwise one after the other, which takes fewer
 * registers: Intel's compiler has room for 16 lanes in place of 8. */
#if PM_PER_JOINT == 1
#define PM_VECTOR_CHANNELS PM_NO_UNROLL
#elif PM_PER_JOINT == 0
#define PM_VECTOR_CHANNELS PM_UNROLL
#else
#error "PM_PER_JOINT is 0 or 1"
#endif

/* Locates an input where timelines are common. */
pm_fn pm_located pm_input_located(const pm_tables *t, pm_input input) {
    pm_located at;
    at.input = input;
#if !PM_PER_JOINT
    at.cursor = pm_crowd_locate(t->timelines[t->clips[input.clip].timeline], t->times, input.time,
                                input.clamps);
#else
    (void)t;
#endif
    return at;
}

/* The place of a joint's keys for the cursor of an input. */
pm_fn pm_key_address pm_key_address_at(const pm_tables *t, pm_u32 clip, pm_cursor cursor, pm_u32 c,
                                       pm_u32 joint) {
    pm_key_address at;
#if PM_PER_JOINT
    pm_track_layout data = t->layout[(pm_u64)t->clips[clip].layout + c * t->size.joints + joint];
    at.row = data.row;
    at.plane = data.plane;
    at.key = data.first;
    at.spacing = PM_SPACING_FLOATS * (pm_u64)data.rates;
#else
    at.row = t->clips[clip].row[c];
    at.plane = t->clips[clip].plane[c];
    at.key = t->clips[clip].first[c] + 4 * joint;
    at.spacing = t->clips[clip].constants;
#endif
    at.key += (pm_u64)cursor.segment * at.row;
    at.spacing += PM_SPACING_FLOATS * (pm_u64)cursor.segment;
    at.u = cursor.u;
    return at;
}

/* The timeline of a joint's keys in a clip. */
pm_fn pm_u32 pm_timeline_of(const pm_tables *t, pm_u32 clip, pm_u32 c, pm_u32 joint) {
#if PM_PER_JOINT
    return t->layout[(pm_u64)t->clips[clip].layout + c * t->size.joints + joint].timeline;
#else
    (void)c;
    (void)joint;
    return t->clips[clip].timeline;
#endif
}

pm_fn pm_key_address pm_key_address_of(const pm_tables *t, const pm_located *from, pm_u32 c,
                                       pm_u32 joint) {
    pm_u32 clip = from->input.clip;
#if PM_PER_JOINT
    pm_cursor cursor = pm_crowd_locate(t->timelines[pm_timeline_of(t, clip, c, joint)], t->times,
                                       from->input.time, from->input.clamps);
#else
    pm_cursor cursor = from->cursor;
#endif
    return pm_key_address_at(t, clip, cursor, c, joint);
}

/* The segment of a joint's rotation. */
pm_fn pm_segment_data pm_rotation_segment(const pm_tables *t, pm_u32 clip, pm_key_address at,
                                          pm_u32 joint) {
#if PM_CONSTANTS > 0
    return pm_key_data(t->rotations, t->constants, at, t->clips[clip].constants + 4 * joint,
                       t->clips[clip].plane[PM_CHANNEL_ROTATIONS]);
#else
    (void)clip;
    (void)joint;
    return pm_key_data(t->rotations, t->constants, at, 0, 0);
#endif
}

/* The rotation of a joint by an input. */
pm_fn pm_quat pm_rotation_sample(const pm_tables *t, const pm_located *from, pm_u32 joint) {
    pm_key_address at = pm_key_address_of(t, from, PM_CHANNEL_ROTATIONS, joint);
    pm_segment_data data = pm_rotation_segment(t, from->input.clip, at, joint);
    real basis[PM_BASIS_SIZE];
    PM_OF(basis)(at.u, basis);
    return pm_rotation_value(&data, at.u, pm_any_on_key(at.u), basis);
}

/* The segment of a joint's position (c = 1) or scale (c = 2). */
pm_fn pm_segment_data pm_vector_segment(const pm_tables *t, pm_u32 c, pm_key_address at) {
    return pm_vector_key_data(c == PM_CHANNEL_POSITIONS ? t->positions : t->scales, at);
}

pm_fn pm_quat pm_vector_sample(const pm_tables *t, const pm_located *from, pm_u32 c, pm_u32 joint) {
    pm_key_address at = pm_key_address_of(t, from, c, joint);
    pm_segment_data data = pm_vector_segment(t, c, at);
    return pm_vector_value(&data, at.u, pm_any_on_key(at.u));
}

/* The weight of an input for a joint. */
pm_fn float pm_joint_weight(const pm_tables *t, const pm_input *input, pm_global const float *masks,
                            pm_u32 j) {
    return input->mask ? input->weight * masks[(pm_u64)input->mask * t->size.joints + j]
                       : input->weight;
}

/* The layers of the instances of a job; NULL where PM_LAYERED is 0. */
typedef struct pm_layer_tables {
    pm_global const pm_layer *layers;
    pm_shared const pm_shared_layers *kept; /* the instance's first layers */
} pm_layer_tables;

/* Input n of an instance: clips A and B, then its layers. */
pm_fn pm_located pm_input_of(const pm_tables *t, pm_shared const pm_shared_instance *s,
                             const pm_layer_tables *l, pm_u32 n) {
#if PM_LAYERED
    if (n >= PM_INPUTS && n - PM_INPUTS < PM_KEPT_LAYERS)
        return l->kept->kept[n - PM_INPUTS];
    if (n >= PM_INPUTS)
        return pm_input_located(t, pm_layer_resolve(l->layers[s->layers.first + n - PM_INPUTS],
                                                    t->clips, t->size.clips, t->size.masks));
#else
    (void)t;
    (void)l;
#endif
    return s->inputs[n];
}

/* A channel of a joint's pose. A loop over the inputs, so that programs contain a curve once. */
pm_fn pm_quat pm_channel_pose(const pm_tables *t, pm_shared const pm_shared_instance *s,
                              const pm_layer_tables *l, pm_global const pm_joint *joint,
                              pm_global const float *masks, pm_u32 c, pm_u32 j) {
    pm_quat rest = pm_rest_of(joint, c), value = rest;
#if PM_LAYERED
    pm_mean mean = pm_mean_begin();
    pm_u32 seen = 0, inputs = PM_INPUTS + s->layers.count;
#else
    const pm_u32 inputs = PM_INPUTS;
#endif
    PM_NO_UNROLL
    for (pm_u32 n = 0; n < inputs; n++) {
        pm_located from = pm_input_of(t, s, l, n);
        pm_u32 op = from.input.op;
        if (op == PM_OP_NONE)
            continue;
        pm_quat sample = c == PM_CHANNEL_ROTATIONS ? pm_rotation_sample(t, &from, j)
                                                   : pm_vector_sample(t, &from, c, j);
        float weight = pm_joint_weight(t, &from.input, masks, j);
#if PM_LAYERED
        if (n >= PM_INPUTS) {
            value = pm_layer_applied(c, op, PM_REAL((float)op), value, sample, rest,
                                     pm_spread(joint->unscale), weight, seen, &mean);
            seen |= op;
            continue;
        }
#endif
        value = pm_input_applied(c, op, PM_REAL((float)op), value, sample, rest,
                                 pm_spread(joint->unscale), weight);
    }
#if PM_LAYERED
    value = pm_layers_ended(c, value, seen, &mean);
#endif
    return value;
}

/* A channel that `moves` does not name has the value of the rest pose. */
pm_fn pm_quat pm_channel_or_rest(const pm_tables *t, pm_shared const pm_shared_instance *s,
                                 const pm_layer_tables *l, pm_global const pm_joint *joint,
                                 pm_global const float *masks, pm_u32 c, pm_u32 j, pm_u32 moves) {
    return moves >> c & 1 ? pm_channel_pose(t, s, l, joint, masks, c, j) : pm_rest_of(joint, c);
}

/* The channels that move a joint of an instance: bits. */
pm_fn pm_u32 pm_joint_moves(const pm_tables *t, pm_shared const pm_shared_instance *s,
                            pm_global const pm_joint *joint, pm_global const pm_u8 *level_joints,
                            pm_u32 j) {
    pm_u32 has = level_joints[(pm_u64)s->level * t->size.joints + j];
    return pm_keeps_rest(has, j, s->in_place) ? 0 : joint->animated;
}

pm_fn pm_local pm_joint_pose(const pm_tables *t, pm_shared const pm_shared_instance *s,
                             const pm_layer_tables *l, pm_global const pm_joint *joint,
                             pm_global const float *masks, pm_u32 j, pm_u32 moves) {
    pm_local pose;
    pose.rotation = pm_channel_or_rest(t, s, l, joint, masks, PM_CHANNEL_ROTATIONS, j, moves);
    PM_VECTOR_CHANNELS
    for (pm_u32 c = PM_CHANNEL_POSITIONS; c < PM_CHANNELS; c++) {
        pm_quat value = pm_channel_or_rest(t, s, l, joint, masks, c, j, moves);
        if (c == PM_CHANNEL_POSITIONS)
            pose.position = value;
        else
            pose.scale = value;
    }
    return pose;
}

#if PM_TRANSITIONS
/* The pose with what remains of a transition, whose state begins at `state`. */
pm_fn pm_local pm_joint_in_transition(const pm_tables *t, pm_local pose,
                                      pm_global const pm_u8 *state, pm_s64 now, pm_u32 j,
                                      pm_u32 moves) {
    pm_transit at = pm_transit_of(*(pm_global const pm_transition_head *)state, now);
    pm_global const float *rows = (pm_global const float *)state;
    pm_remains decay = pm_remains_of(at.duration, at.passed);
    if (at.duration == 0.0f)
        return pose;
    PM_NO_UNROLL
    for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
        if (!(moves >> c & 1))
            continue;
        pm_quat row =
            pm_load_quats(rows + pm_transition_row(t->size.channels, t->size.joints, c, j));
        if (c == PM_CHANNEL_ROTATIONS)
            pose.rotation = pm_transition_applied(c, pose.rotation, row, &decay);
        else if (c == PM_CHANNEL_POSITIONS)
            pose.position = pm_transition_applied(c, pose.position, row, &decay);
        else
            pose.scale = pm_transition_applied(c, pose.scale, row, &decay);
    }
    return pose;
}
#endif

#endif
