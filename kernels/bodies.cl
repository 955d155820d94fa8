/* SPDX-License-Identifier: MIT
 *
 * The states of bodies: positions, rotations and velocities of joints in the world and relative to
 * their parents, in the arrays that a job asks for, on CPU devices. A work-item computes PM_LANES
 * instances, one per lane, joint by joint down the hierarchy. Instances show their clip A. With one
 * lane the host launches bodies_workgroup.cl.
 */
#ifndef PM_LANES
#define PM_LANES 4
#endif

#include "pm_body_states.h"
#include "pm_instances.h"

/* The segments of all lanes' times, and of the other sides of keys. */
typedef struct pm_body_input {
    pm_input_lanes sides[2];
    float rates[2][PM_LANES]; /* segments per second, times the instance's speed */
    float speed[PM_LANES];
    pm_u32 side_count; /* 2: some lane is on a key between two segments */
} pm_body_input;

/* A group of joints with their derivatives by time. With hinges its positions are a group of numbers, four to a
 * quad: those of a row are the position of joint 0 and the angles of hinges. */
typedef struct pm_body_group {
    pm_poses poses;
    pm_quat velocity[PM_GROUP], spin[PM_GROUP];
} pm_body_group;
#define PM_GROUP_NUMBERS (4 * PM_GROUP)

/* ---- locating keys ----------------------------------------------------------------- */

/* Locates the lanes' times among the keys of a joint, or of all joints where timelines are common. */
pm_fn void pm_body_locate(pm_body_input *input, const pm_tables *t,
                          pm_global const pm_timeline_rate *rates, pm_u32 joint) {
    pm_input_lanes *from = &input->sides[0];
    input->side_count = 1;
    for (int i = 0; i < PM_LANES; i++) {
        pm_clip_layout clip = t->clips[from->clip[i]];
        pm_u64 row = (pm_u64)clip.layout + joint;
        pm_u32 timeline = t->size.per_joint ? t->layout[row].timeline : clip.timeline;
        pm_sides sides = pm_crowd_sides(t->timelines[timeline], rates[timeline], t->times,
                                        from->time[i], from->clamps[i]);
        if (sides.rate[1] != 0.0f)
            input->side_count = 2;
        for (int s = 0; s < 2; s++) {
            input->rates[s][i] = sides.rate[s] * input->speed[i];
            input->sides[s].lanes.u[i] = sides.cursor[s].u;
            pm_set_spacing_lane(&input->sides[s].lanes, i, t,
                                t->size.per_joint ? PM_SPACING_FLOATS * (pm_u64)t->layout[row].rates
                                                  : clip.constants,
                                sides.cursor[s].segment);
            for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
                if (!(t->size.channels >> c & 1))
                    continue;
                pm_u64 first = clip.first[c];
                pm_u32 stride = clip.row[c], plane = clip.plane[c];
                if (t->size.per_joint) {
                    pm_track_layout at = t->layout[row + c * t->size.joints];
                    first = at.first;
                    stride = at.row;
                    plane = at.plane;
                }
                pm_set_key_lane(&input->sides[s].lanes, i, c, first, stride, plane,
                                sides.cursor[s].segment);
            }
        }
    }
    pm_prepare_u(from);
}

/* ---- prefetching ------------------------------------------------------------------- */

/* The rows of tables that locate the keys of all lanes. Each names the next, and lanes would wait one after
 * another. */
pm_fn void pm_body_prefetch_tables(const pm_body_input *input, const pm_tables *t,
                                   pm_global const pm_timeline_rate *rates) {
    pm_global const pm_clip_layout *clips[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        clips[i] = t->clips + input->sides[0].clip[i];
        pm_prefetch(clips[i], PM_CACHE_LINE);
    }
    for (int i = 0; i < PM_LANES; i++) {
        pm_prefetch(t->timelines + clips[i]->timeline, PM_CACHE_LINE);
        pm_prefetch(rates + clips[i]->timeline, 1);
    }
}

/* The keys of whole rows of all lanes, without those beside segments and without coefficients. */
pm_fn void pm_body_prefetch_keys(const pm_body_input *input, const pm_tables *t) {
    const pm_key_lanes *lanes = &input->sides[0].lanes;
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 places = lanes->plane[PM_CHANNEL_ROTATIONS][i] / 4;
        for (pm_u32 j = 0; j < places; j += PM_KEYS ? PM_KEY_GROUP : PM_GROUP) {
            pm_prefetch_key(t->rotations, lanes->key[PM_CHANNEL_ROTATIONS][i] + 4 * j);
            pm_prefetch_key(t->rotations, lanes->next[PM_CHANNEL_ROTATIONS][i] + 4 * j);
        }
    }
    for (int i = 0; i < PM_LANES && (t->size.channels >> PM_CHANNEL_POSITIONS & 1); i++) {
        pm_u32 places = lanes->plane[PM_CHANNEL_POSITIONS][i] / 4;
        for (pm_u32 j = 0; j < places; j += PM_GROUP) {
            pm_prefetch(t->positions + lanes->key[PM_CHANNEL_POSITIONS][i] + 4 * j, 16);
            pm_prefetch(t->positions + lanes->next[PM_CHANNEL_POSITIONS][i] + 4 * j, 16);
        }
    }
}

/* ---- sampling ---------------------------------------------------------------------- */

/* Samples a channel of joint k of a group, number `joint`, from the data of its segment. Without
 * derivatives unless `moves`. */
pm_fn void pm_body_sample(pm_body_group *to, pm_segment_data *data, const pm_tables *t,
                          const pm_body_input *input, pm_u32 c, pm_u32 side, pm_u32 joint, pm_u32 k,
                          pm_u32 moves) {
    real u = pm_reals_of(input->sides[side].lanes.u), rate = pm_reals_of(input->rates[side]);
    if (c == PM_CHANNEL_POSITIONS) {
        PM_VECTOR_OF(segment) segment = PM_VECTOR_OF(begin)(data);
        if (side == 0)
            to->poses.of[c][k] = pm_numbers_value(data, u, input->sides[0].on_key);
        if (moves)
            to->velocity[k] =
                pm_quat_sum(to->velocity[k], pm_rates_of(PM_VECTOR_OF(slope)(&segment, u), rate));
        return;
    }
#if PM_CONSTANTS > 0
    PM_UNROLL
    for (int s = 0; s < PM_CONSTANTS; s++)
        data->constants[s] = pm_gather_constant(t, &input->sides[side], (pm_u32)s, joint);
#endif
    pm_set_lane_spacing(data, &input->sides[side].lanes);
    (void)t;
    (void)joint;
    if (side == 0)
        to->poses.of[c][k] =
            pm_rotation_value(data, u, input->sides[0].on_key, input->sides[0].basis);
    if (moves) {
        PM_OF(segment) segment = PM_OF(begin)(data);
        to->spin[k] = pm_quat_sum(to->spin[k], PM_OF(spin)(&segment, u, rate));
    }
}

/* Samples a channel of joints [first, first + count), whose keys are contiguous. */
pm_fn void pm_body_sample_common(pm_body_group *to, const pm_tables *t, const pm_body_input *input,
                                 pm_u32 c, pm_u32 side, pm_u32 first, pm_u32 count, pm_u32 moves) {
    pm_planes planes;
    pm_u32 plane_count = c == PM_CHANNEL_ROTATIONS ? PM_PLANES : PM_VECTOR_PLANES;
    pm_gather_common(&planes, t, &input->sides[side], c, first);
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < count; k++) {
        pm_segment_data data = pm_segment_data_of(&planes, plane_count, k);
        pm_body_sample(to, &data, t, input, c, side, first + k, k, moves);
    }
}

/* Samples a channel of one joint, whose keys are `ahead` numbers behind those that are located. */
pm_fn void pm_body_sample_alone(pm_body_group *to, const pm_tables *t, const pm_body_input *input,
                                pm_u32 c, pm_u32 side, pm_u32 joint, pm_u32 k, pm_u32 ahead,
                                pm_u32 moves) {
    pm_planes planes;
    pm_segment_data data;
    const pm_key_lanes *lanes = &input->sides[side].lanes;
    if (c == PM_CHANNEL_POSITIONS) {
        pm_gather_joint(&planes, t->positions + ahead, lanes, c, PM_VECTOR_PLANES);
        data = pm_segment_data_of(&planes, PM_VECTOR_PLANES, 0);
    } else {
#if PM_KEYS == 0
        pm_gather_joint(&planes, t->rotations + ahead, lanes, c, PM_PLANES);
        data = pm_segment_data_of(&planes, PM_PLANES, 0);
#else
        data = pm_gather_coded_joint(t->rotations, lanes, c, ahead);
#endif
    }
    pm_body_sample(to, &data, t, input, c, side, joint, k, moves);
}

/* Whether the table of joints is that of all joints. */
pm_fn pm_u32 pm_is_whole(const pm_tables *t) {
    return t->size.posed == t->size.joints && !t->size.per_joint;
}

/* A group of the numbers of a row, and their derivatives by time. */
pm_fn void pm_body_sample_numbers(pm_body_group *to, const pm_tables *t, const pm_body_input *input,
                                  pm_u32 group, pm_u32 moves) {
    for (pm_u32 k = 0; k < PM_GROUP; k++)
        to->velocity[k] = pm_quat_zero();
    PM_NO_UNROLL
    for (pm_u32 side = 0; side < (moves ? input->side_count : 1); side++)
        pm_body_sample_common(to, t, input, PM_CHANNEL_POSITIONS, side, group * PM_GROUP, PM_GROUP,
                              moves);
}

/* The values of a group of joints in some channels, and their derivatives by time. */
pm_fn void pm_body_sample_group(pm_body_group *to, const pm_tables *t, pm_body_input *input,
                                pm_global const pm_timeline_rate *rates,
                                pm_global const pm_joint *joints, pm_u32 first, pm_u32 count,
                                pm_u32 channels, pm_u32 moves) {
    pm_u32 animated = pm_animated_channels(joints + first, count) & channels;
    for (pm_u32 k = 0; k < count; k++) {
        to->spin[k] = pm_quat_zero();
        if (channels >> PM_CHANNEL_POSITIONS & 1)
            to->velocity[k] = pm_quat_zero();
    }
    if (pm_is_whole(t)) {
        PM_NO_UNROLL
        for (pm_u32 n = 0; n < 4; n++) {
            pm_u32 c = n % 2 == 0 ? PM_CHANNEL_ROTATIONS : PM_CHANNEL_POSITIONS, side = n / 2;
            if (side < (moves ? input->side_count : 1) && animated >> c & 1)
                pm_body_sample_common(to, t, input, c, side, first, count, moves);
        }
        return;
    }
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < count; k++) {
        pm_u32 joint = joints[first + k].number;
        if (t->size.per_joint)
            pm_body_locate(input, t, rates, joint);
        pm_u32 sides = moves ? input->side_count : 1;
        PM_NO_UNROLL
        for (pm_u32 n = 0; n < 4; n++) {
            pm_u32 c = n % 2 == 0 ? PM_CHANNEL_ROTATIONS : PM_CHANNEL_POSITIONS, side = n / 2;
            if (side < sides && joints[first + k].animated & channels & 1u << c)
                pm_body_sample_alone(to, t, input, c, side, joint, k,
                                     t->size.per_joint ? 0 : 4 * joint, moves);
        }
    }
}

/* A joint relative to its parent. It rests where no clip moves it, and in the lanes of `still`. */
pm_fn pm_body pm_body_of(const pm_body_group *group, pm_global const pm_joint *joint, pm_u32 k,
                         pm_mask still) {
    pm_body body;
    pm_quat zero = pm_quat_zero();
    pm_quat rotation = pm_rest_of(joint, PM_CHANNEL_ROTATIONS);
    pm_quat position = pm_rest_of(joint, PM_CHANNEL_POSITIONS);
    body.rotation = rotation;
    body.position = position;
    body.velocity = body.spin = zero;
    if (pm_is_animated(joint, PM_CHANNEL_ROTATIONS)) {
        body.rotation = pm_quat_select(still, rotation, group->poses.of[PM_CHANNEL_ROTATIONS][k]);
        body.spin = pm_quat_select(still, zero, group->spin[k]);
    }
    if (pm_is_animated(joint, PM_CHANNEL_POSITIONS)) {
        body.position = pm_quat_select(still, position, group->poses.of[PM_CHANNEL_POSITIONS][k]);
        body.velocity = pm_quat_select(still, zero, group->velocity[k]);
    }
    return body;
}

/* The lanes in which a joint keeps its rest pose: also those whose clip does not exist. */
pm_fn pm_mask pm_body_still(const pm_tables *t, const pm_instance_lanes *states,
                            pm_global const pm_u8 *level_joints, pm_u32 j) {
    float still[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 has = level_joints[(pm_u64)states->level[i] * t->size.joints + j];
        pm_u32 rests = pm_keeps_rest(has, j, states->in_place[i]);
        still[i] = rests || states->inputs[0].weight[i] == 0.0f ? 1.0f : 0.0f;
    }
    return pm_reals_of(still) != PM_REAL(0.0f);
}

/* The place of each lane's instance in the world, without a motion. */
pm_fn pm_body pm_body_placed(pm_global const pm_placed *placements,
                             const pm_instance_lanes *states) {
    pm_body body;
    pm_global const float *rotations[PM_LANES];
    pm_global const float *positions[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        rotations[i] = placements[states->index[i]].rotation;
        positions[i] = placements[states->index[i]].position;
    }
    body.rotation = pm_gather_quats(rotations);
    body.position = pm_gather_quats(positions);
    body.position.w = PM_REAL(0.0f);
    body.velocity = body.spin = pm_quat_zero();
    return body;
}

/* Work size: groups of PM_LANES entries. Offsets are in bytes. */
pm_kernel void
bodies(pm_global const pm_u8 *instances, pm_global const pm_u8 *list,
       pm_global const pm_u8 *list_count, pm_global const pm_u8 *placements,
       pm_global const pm_u8 *speeds, pm_crowd_offsets offsets, pm_u64 placements_offset,
       pm_u64 speeds_offset, pm_u32 has_placements, pm_u32 has_speeds,
       pm_global const pm_joint *joints, pm_global const pm_clip_layout *clips,
       pm_global const pm_crowd_timeline *timelines, pm_global const pm_timeline_rate *rates,
       pm_global const pm_key_time *times, pm_global const pm_crowd_level *levels,
       pm_global const pm_u8 *level_joints, pm_global const pm_track_layout *layout,
       pm_global const pm_stored_key *rotations, pm_global const float *constants,
       pm_global const float *positions, pm_global const float *points, pm_u32 has_points,
       pm_global const pm_hinge_joint *hinges, pm_u32 has_hinges, pm_global pm_u8 *body_pos,
       pm_global pm_u8 *body_rot, pm_global pm_u8 *body_vel, pm_global pm_u8 *body_ang_vel,
       pm_global pm_u8 *local_rot, pm_global pm_u8 *local_ang_vel, pm_global pm_u8 *angles,
       pm_global pm_u8 *angle_rates, pm_body_targets targets, pm_crowd_size size) {
    pm_u32 first = pm_global_id(0) * PM_LANES;
    if (first >= size.entries)
        return;
    pm_tables t = {clips, timelines, times, rotations, constants, positions, 0, layout, size};
    pm_instance_lanes states;
    pm_body_input input;
    pm_body_group group;
    pm_body slots[PM_SLOTS], root;
    pm_hinge_joint hinge;
    hinge.number = 0;
    pm_u32 numbers = 0xffffffffu; /* the group of numbers that is sampled */
    pm_u32 channels = 1u << PM_CHANNEL_ROTATIONS | (has_hinges ? 0 : 1u << PM_CHANNEL_POSITIONS);
    pm_u32 active = pm_instances_find(&states, (pm_global const pm_u32 *)(list + offsets.list),
                                      (pm_global const pm_u32 *)(list_count + offsets.list_count),
                                      first, 1, &t);
    active =
        pm_instances_load(&states, (pm_global const pm_instance *)(instances + offsets.instances),
                          active, levels, &t);
    if (!active)
        return;
    pm_u32 moves = (targets.fields & PM_BODY_RATES) != 0;
    pm_body_arrays arrays = {{body_pos, body_rot, body_vel, body_ang_vel, local_rot, local_ang_vel,
                              angles, angle_rates}};
    pm_body_lanes lanes;
    for (int i = 0; i < PM_LANES; i++)
        lanes.record[i] = states.record[i];
    lanes.active = active;
    pm_global const float *speed_of = (pm_global const float *)(speeds + speeds_offset);
    for (int i = 0; i < PM_LANES; i++)
        input.speed[i] = has_speeds ? speed_of[states.index[i]] : 1.0f;
    if (has_placements)
        root =
            pm_body_placed((pm_global const pm_placed *)(placements + placements_offset), &states);
    input.sides[0] = input.sides[1] = states.inputs[0];
    if (!size.per_joint) {
        pm_body_prefetch_tables(&input, &t, rates);
        pm_body_locate(&input, &t, rates, 0);
        if (2 * size.posed >= size.joints) /* else most keys would be those of other joints */
            pm_body_prefetch_keys(&input, &t);
    }
    for (pm_u32 j = 0; j < size.posed; j++) {
        pm_global const pm_joint *joint = joints + j;
        pm_u32 k = j % PM_GROUP, rest = size.posed - j;
        if (k == 0)
            pm_body_sample_group(&group, &t, &input, rates, joints, j,
                                 rest < PM_GROUP ? rest : PM_GROUP, channels, moves);
        pm_u32 shifts = pm_is_animated(joint, PM_CHANNEL_POSITIONS);
        if (has_hinges)
            hinge = hinges[joint->number];
        if (has_hinges && (hinge.number || shifts) && hinge.number / PM_GROUP_NUMBERS != numbers) {
            numbers = hinge.number / PM_GROUP_NUMBERS;
            pm_body_sample_numbers(&group, &t, &input, numbers, moves);
        }
        pm_mask still = pm_body_still(&t, &states, level_joints, joint->number);
        pm_body own = pm_body_of(&group, joint, k, still), body;
        pm_u32 quad = hinge.number / 4 % PM_GROUP;
        pm_turn turn = pm_turn_begin();
        if (hinge.number)
            turn = pm_body_turn(&own, hinge, still, group.poses.of[PM_CHANNEL_POSITIONS][quad],
                                group.velocity[quad]);
        if (joint->parent != PM_NO_SLOT)
            body = pm_body_product(slots[joint->parent], own, moves, shifts);
        else if (has_placements)
            body = pm_body_product(root, own, moves, shifts);
        else
            body = pm_body_of_root(own);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = body;
        if (joint->record != PM_NO_RECORD)
            pm_body_put(&arrays, &targets, &lanes, joint->record, body, own, turn,
                        has_points ? points + 4 * joint->number : 0);
    }
}
