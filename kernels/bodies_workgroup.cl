/* SPDX-License-Identifier: MIT
 *
 * The states of bodies. A work-group computes a few instances together, stage by stage down the hierarchy, as crowd_workgroup.cl does: a work-item
 * computes one joint of one instance, and the states of joints with children are in shared memory.
 */
#include "pm_body_states.h"
#include "pm_joint_pose.h"

/* A joint relative to its parent as its clip moves it, and four numbers with their rates: its position, or those that
 * its angle is one of. */
typedef struct pm_body_sample {
    pm_quat rotation, spin, numbers, rates;
} pm_body_sample;

/* Both sides of a joint's time in a clip. */
pm_fn pm_sides pm_body_sides(const pm_tables *t, pm_global const pm_timeline_rate *rates,
                             pm_shared const pm_shared_state *from, pm_u32 joint) {
    pm_u32 number = pm_timeline_of(t, from->clip, PM_CHANNEL_ROTATIONS, joint);
    pm_crowd_timeline timeline = t->timelines[number];
    return pm_crowd_sides(timeline, rates[number], t->times,
                          pm_crowd_within(timeline, from->time, from->clamps));
}

/* Samples the channels of a joint that bits of `channels` name; positions from quad `quad` of a row. The derivatives
 * are sums over `count` sides. */
pm_fn pm_body_sample pm_body_sampled(const pm_tables *t, pm_u32 clip, const pm_sides *sides,
                                     pm_u32 count, float speed, pm_u32 channels, pm_u32 joint,
                                     pm_u32 quad, pm_u32 moves) {
    pm_body_sample s;
    s.rotation = s.spin = s.numbers = s.rates = pm_quat_zero();
    PM_NO_UNROLL
    for (pm_u32 n = 0; n < count; n++) {
        pm_cursor cursor = n ? sides->cursor[1] : sides->cursor[0];
        float rate = (n ? sides->rate[1] : sides->rate[0]) * speed;
        pm_u32 on_key = pm_any_on_key(cursor.u);
        if (channels >> PM_CHANNEL_ROTATIONS & 1) {
            pm_key_address at = pm_key_address_at(t, clip, cursor, PM_CHANNEL_ROTATIONS, joint);
            pm_segment_data data = pm_rotation_segment(t, clip, at, joint);
            real basis[PM_BASIS_SIZE];
            PM_OF(basis)(cursor.u, basis);
            if (n == 0)
                s.rotation = pm_rotation_value(&data, cursor.u, on_key, basis);
            if (moves) {
                PM_OF(segment) segment = PM_OF(begin)(&data);
                s.spin = pm_quat_sum(s.spin, PM_OF(spin)(&segment, cursor.u, rate));
            }
        }
        if (channels >> PM_CHANNEL_POSITIONS & 1) {
            pm_key_address at = pm_key_address_at(t, clip, cursor, PM_CHANNEL_POSITIONS, quad);
            pm_segment_data data = pm_vector_segment(t, PM_CHANNEL_POSITIONS, at);
            PM_VECTOR_OF(segment) segment = PM_VECTOR_OF(begin)(&data);
            if (n == 0)
                s.numbers = pm_numbers_value(&data, cursor.u, on_key);
            if (moves)
                s.rates = pm_quat_sum(s.rates,
                                      pm_rates_of(PM_VECTOR_OF(slope)(&segment, cursor.u), rate));
        }
    }
    return s;
}

pm_fn void pm_share_vector(pm_shared float *to, pm_quat v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

pm_fn pm_quat pm_shared_vector(pm_shared const float *from) {
    return pm_quat_of(from[0], from[1], from[2], PM_REAL(0.0f));
}

pm_fn void pm_share_body(pm_shared float *to, pm_body body) {
    pm_share_vector(to, body.rotation);
    to[3] = body.rotation.w;
    pm_share_vector(to + 4, body.position);
    pm_share_vector(to + 7, body.velocity);
    pm_share_vector(to + 10, body.spin);
}

pm_fn pm_body pm_shared_body(pm_shared const float *from) {
    pm_body body;
    body.rotation = pm_shared_vector(from);
    body.rotation.w = from[3];
    body.position = pm_shared_vector(from + 4);
    body.velocity = pm_shared_vector(from + 7);
    body.spin = pm_shared_vector(from + 10);
    return body;
}

/* The place of an instance in the world, without a motion. */
pm_fn pm_body pm_body_placed(pm_global const pm_placed *placement) {
    pm_body body;
    body.rotation = pm_spread(placement->rotation);
    body.position = pm_spread(placement->position);
    body.position.w = PM_REAL(0.0f);
    body.velocity = body.spin = pm_quat_zero();
    return body;
}

/* A joint relative to its parent: it rests where no clip moves it, and where it is `still`. */
pm_fn pm_body pm_body_of(const pm_body_sample *s, pm_global const pm_joint *joint, pm_u32 still) {
    pm_body body;
    pm_quat zero = pm_quat_zero();
    pm_u32 turns = !still && pm_is_animated(joint, PM_CHANNEL_ROTATIONS);
    pm_u32 shifts = !still && pm_is_animated(joint, PM_CHANNEL_POSITIONS);
    body.rotation = turns ? s->rotation : pm_rest_of(joint, PM_CHANNEL_ROTATIONS);
    body.spin = turns ? s->spin : zero;
    body.position = shifts ? s->numbers : pm_rest_of(joint, PM_CHANNEL_POSITIONS);
    body.velocity = shifts ? s->rates : zero;
    return body;
}

/* Work size: one group for each `per_group` entries. The offsets are in bytes. `shared` has room for
 * per_group instances, and `bodies` for `slots` slots of each. */
PM_FOUR_WAVES pm_kernel void bodies_workgroup(
    pm_global const pm_u8 *restrict instances, pm_global const pm_u8 *restrict list,
    pm_global const pm_u8 *restrict list_count, pm_global const pm_u8 *restrict placements,
    pm_global const pm_u8 *restrict speeds, pm_crowd_offsets offsets, pm_u64 placements_offset,
    pm_u64 speeds_offset, pm_u32 has_placements, pm_u32 has_speeds,
    pm_global const pm_joint *restrict joints, pm_global const pm_clip_layout *restrict clips,
    pm_global const pm_crowd_timeline *restrict timelines,
    pm_global const pm_timeline_rate *restrict rates, pm_global const pm_key_time *restrict times,
    pm_global const pm_crowd_level *restrict levels, pm_global const pm_u8 *restrict level_joints,
    pm_global const pm_track_layout *restrict layout,
    pm_global const pm_stored_key *restrict rotations, pm_global const float *restrict constants,
    pm_global const float *restrict positions, pm_global const float *restrict points,
    pm_u32 has_points, pm_global const pm_hinge_joint *restrict hinges, pm_u32 has_hinges,
    pm_global const pm_crowd_stage *restrict stages,
    pm_global const pm_stage_joint *restrict stage_joints, pm_global pm_u8 *restrict body_pos,
    pm_global pm_u8 *restrict body_rot, pm_global pm_u8 *restrict body_vel,
    pm_global pm_u8 *restrict body_ang_vel, pm_global pm_u8 *restrict local_rot,
    pm_global pm_u8 *restrict local_ang_vel, pm_global pm_u8 *restrict angles,
    pm_global pm_u8 *restrict angle_rates, pm_body_targets targets, pm_crowd_size size,
    pm_u32 per_group, pm_u32 slots, pm_shared pm_shared_state *restrict shared,
    pm_shared float *restrict bodies) {
    pm_tables t = {clips, timelines, times, rotations, constants, positions, 0, layout, size};
    pm_body_arrays arrays = {{body_pos, body_rot, body_vel, body_ang_vel, local_rot, local_ang_vel,
                              angles, angle_rates}};
    pm_u32 first = pm_group_id() * per_group, moves = (targets.fields & PM_BODY_RATES) != 0;
    pm_u32 entries =
        pm_entry_count(&size, (pm_global const pm_u32 *)(list_count + offsets.list_count));
    pm_u32 count = size.entries - first < per_group ? size.entries - first : per_group;
    pm_global const pm_u32 *list_of = (pm_global const pm_u32 *)(list + offsets.list);
    pm_global const pm_instance *from =
        (pm_global const pm_instance *)(instances + offsets.instances);
    pm_global const float *speed_of = (pm_global const float *)(speeds + speeds_offset);
    for (pm_u32 i = pm_local_id(); i < count; i += pm_local_size()) {
        pm_u32 index = pm_instance_of(&size, list_of, first + i, entries);
        shared[i].due = 0;
        if (index == size.instances)
            continue;
        pm_resolved r =
            pm_instance_resolve(from[index], clips, size.clips, size.masks, size.levels);
        shared[i].time = r.inputs[0].time;
        shared[i].clip = r.inputs[0].clip;
        shared[i].clamps = r.inputs[0].clamps;
        shared[i].weight = r.inputs[0].weight;
        shared[i].in_place = r.in_place;
        shared[i].level = r.level;
        shared[i].due = pm_is_update_due(size.frame, size.first + index, levels[r.level]);
        shared[i].index = index;
        shared[i].record = pm_entry_record(&size, first + i, index);
        shared[i].speed = has_speeds ? speed_of[index] : 1.0f;
#if !PM_PER_JOINT
        shared[i].sides = pm_body_sides(&t, rates, &shared[i], 0);
#endif
    }
    pm_barrier();
    for (pm_u32 n = 0; n < size.stages; n++) {
        pm_crowd_stage stage = stages[n];
        for (pm_u32 task = pm_local_id(); task < stage.count * count; task += pm_local_size()) {
            pm_u32 i = (pm_u32)(((pm_u64)(task + 1) * stage.reciprocal) >> 32);
            pm_stage_joint at = stage_joints[stage.first + task - i * stage.count];
            pm_global const pm_joint *joint = joints + at.joint;
            if (!shared[i].due)
                continue;
            pm_hinge_joint hinge;
            hinge.number = 0;
            if (has_hinges)
                hinge = hinges[at.joint];
            pm_u32 shifts = pm_is_animated(joint, PM_CHANNEL_POSITIONS);
            pm_u32 has = level_joints[(pm_u64)shared[i].level * size.joints + at.joint];
            pm_u32 still =
                pm_keeps_rest(has, at.joint, shared[i].in_place) || shared[i].weight == 0.0f;
            pm_u32 channels = joint->animated & 1u << PM_CHANNEL_ROTATIONS;
            if (shifts || hinge.number)
                channels |= 1u << PM_CHANNEL_POSITIONS;
#if PM_PER_JOINT
            pm_sides sides = pm_body_sides(&t, rates, &shared[i], at.joint);
#else
            pm_sides sides = shared[i].sides;
#endif
            pm_u32 both = moves && sides.rate[1] != 0.0f ? 2 : 1;
            pm_body_sample sample =
                pm_body_sampled(&t, shared[i].clip, &sides, both, shared[i].speed, channels,
                                at.joint, has_hinges ? hinge.number / 4 : at.joint, moves);
            pm_body own = pm_body_of(&sample, joint, still), body;
            pm_turn turn = pm_turn_begin();
            if (hinge.number)
                turn = pm_body_turn(&own, hinge, PM_REAL(still ? 1.0f : 0.0f) != PM_REAL(0.0f),
                                    sample.numbers, sample.rates);
            pm_shared float *slot = bodies + i * slots * PM_BODY_FLOATS;
            if (at.parent != PM_NO_SLOT)
                body = pm_body_product(pm_shared_body(slot + at.parent * PM_BODY_FLOATS), own,
                                       moves, shifts);
            else if (has_placements)
                body = pm_body_product(
                    pm_body_placed((pm_global const pm_placed *)(placements + placements_offset) +
                                   shared[i].index),
                    own, moves, shifts);
            else
                body = pm_body_of_root(own);
            if (at.slot != PM_NO_SLOT)
                pm_share_body(slot + at.slot * PM_BODY_FLOATS, body);
            pm_body_lanes lanes;
            lanes.record[0] = shared[i].record;
            lanes.active = 1;
            if (at.record != PM_NO_RECORD)
                pm_body_put(&arrays, &targets, &lanes, at.record, body, own, turn,
                            has_points ? points + 4 * at.joint : 0);
        }
        pm_barrier();
    }
}
