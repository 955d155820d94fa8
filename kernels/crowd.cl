/* SPDX-License-Identifier: MIT
 *
 * Poses of a crowd, from keys to the records that PM_OUTPUT names: a work-item takes PM_LANES
 * instances, one a lane, down the hierarchy, joint by joint.
 */
#include "pm_crowd.h"
#include "pm_keys.h"
#include "pm_methods.h"
#include "pm_pose.h"
#include "pm_records.h"

/* The curve of positions and scales */
#ifndef PM_VECTOR_METHOD
#define PM_VECTOR_METHOD pm_vector_linear
#endif
#define PM_VECTOR_OF(what) PM_OF__(PM_VECTOR_METHOD, what)

/* Planes of a segment, and the second key */
#define PM_PLANES (2 + PM_EXTRAS)
#define PM_VECTOR_PLANES (2 + PM_VECTOR_OF(extras))
#define PM_MOST_PLANES (2 + PM_MAX_EXTRAS)

#ifndef PM_OUTPUT
#define PM_OUTPUT PM_OUTPUT_PALETTE
#endif

#if PM_OUTPUT == PM_OUTPUT_HALF
#define PM_RECORD_WORDS 6
#elif PM_OUTPUT == PM_OUTPUT_DUAL
#define PM_RECORD_WORDS 8
#else
#define PM_RECORD_WORDS 12
#endif

/* Single lanes have nothing to wait for. */
#if PM_LANES == 1
#define PM_RECORDS_WAITING 1
#else
#define PM_RECORDS_WAITING (PM_WAITING / PM_RECORD_WORDS)
#endif

/* The tables that all work-items read. */
typedef struct pm_tables {
    pm_global const pm_clip_place *clips;
    pm_global const pm_crowd_timeline *timelines;
    pm_global const pm_u64 *times;
    pm_global const pm_stored_key *rotations;
    pm_global const float *statics;
    pm_global const float *positions;
    pm_global const float *scales;
    pm_global const pm_track_rows *layout; /* of all channels, or nothing */
    pm_crowd_size size;
} pm_tables;

/* Where lanes find their segments: of channel c at key[c], the next key at next[c]. */
typedef struct pm_aim {
    pm_u64 key[PM_CHANNELS][PM_LANES];
    pm_u64 next[PM_CHANNELS][PM_LANES];
    pm_u32 plane[PM_CHANNELS][PM_LANES];
    float u[PM_LANES];
} pm_aim;

/* Joints are posed as many at a time as share a cache line of keys: one after another, their
 * long chains of arithmetic leave a processor waiting. */
#define PM_GROUP PM_NEIGHBOURS

/* Segments' planes of a group of joints. */
typedef struct pm_planes {
    pm_quat of[PM_MOST_PLANES][PM_GROUP];
} pm_planes;

/* What a group of joints has of each channel; of joints that no clip moves, nothing. */
typedef struct pm_poses {
    pm_quat of[PM_CHANNELS][PM_GROUP];
} pm_poses;

/* A clip of each lane at a time of its own. */
typedef struct pm_side {
    pm_u32 clip[PM_LANES];
    pm_s64 time[PM_LANES];
    pm_u32 clamps[PM_LANES];
    pm_aim aim;
} pm_side;

/* PM_LANES instances. What is in capitals elsewhere is asked of all of them together. */
typedef struct pm_actors {
    pm_side a, b;
    float no_clip[PM_LANES]; /* not 0: A shows the rest pose */
    float weight[PM_LANES];
    float added[PM_LANES];    /* not 0: B is laid on top */
    float in_place[PM_LANES]; /* not 0: joint 0 keeps its rest pose */
    pm_u32 mask[PM_LANES];
    pm_u32 level[PM_LANES];
    pm_u32 any_b, any_added, any_mixed, any_mask, any_part, any_no_clip, any_in_place;
} pm_actors;

/* ---- where keys are ---------------------------------------------------------------- */

pm_fn void pm_aim_lane(pm_aim *aim, int lane, pm_u32 c, pm_u64 first, pm_u32 row, pm_u32 plane,
                       pm_place place) {
    aim->key[c][lane] = first + (pm_u64)(place.segment & PM_PLACE_SEGMENT) * row;
    aim->next[c][lane] = aim->key[c][lane] + row;
    aim->plane[c][lane] = plane;
    aim->u[lane] = place.u;
}

/* At clips of one timeline, once for all joints: those lie one behind another. */
pm_fn void pm_aim_at_clips(pm_side *side, const pm_tables *t) {
    for (int i = 0; i < PM_LANES; i++) {
        pm_clip_place clip = t->clips[side->clip[i]];
        pm_place place =
            pm_crowd_place(t->timelines[clip.timeline], t->times, side->time[i], side->clamps[i]);
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            pm_aim_lane(&side->aim, i, c, clip.first[c], clip.row[c], clip.plane, place);
    }
}

/* At a joint whose clips may have a timeline for it alone. */
pm_fn void pm_aim_at_joint(pm_side *side, const pm_tables *t, pm_u32 joint) {
    for (int i = 0; i < PM_LANES; i++)
        for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
            if (!(t->size.channels >> c & 1))
                continue;
            pm_track_rows rows =
                t->layout[((pm_u64)c * t->size.clips + side->clip[i]) * t->size.joints + joint];
            pm_place place = pm_crowd_place(t->timelines[rows.timeline], t->times, side->time[i],
                                            side->clamps[i]);
            pm_aim_lane(&side->aim, i, c, rows.first, rows.row, rows.plane, place);
        }
}

/* ---- sampling ----------------------------------------------------------------------- */

/* Where lanes have plane p of their segments; the last is the second key. */
pm_fn pm_u64 pm_plane_at(const pm_aim *aim, pm_u32 c, pm_u32 p, pm_u32 planes, int lane) {
    return p + 1 == planes ? aim->next[c][lane]
                           : aim->key[c][lane] + (pm_u64)p * aim->plane[c][lane];
}

/* Of joints that lie one behind another. */
pm_fn void pm_gather_group(pm_planes *to, pm_global const float *keys, const pm_aim *aim, pm_u32 c,
                           pm_u32 planes, pm_u32 first) {
    pm_global const float *from[PM_LANES];
    for (pm_u32 p = 0; p < planes; p++) {
        for (int i = 0; i < PM_LANES; i++)
            from[i] = keys + (pm_plane_at(aim, c, p, planes, i) + 4 * (pm_u64)first);
        pm_gather_neighbours(from, to->of[p]);
    }
}

/* Of joint k of a group, which lanes were aimed at. */
pm_fn void pm_gather_joint(pm_planes *to, pm_global const float *keys, const pm_aim *aim, pm_u32 c,
                           pm_u32 planes, pm_u32 k) {
    pm_global const float *from[PM_LANES];
    for (pm_u32 p = 0; p < planes; p++) {
        for (int i = 0; i < PM_LANES; i++)
            from[i] = keys + pm_plane_at(aim, c, p, planes, i);
        to->of[p][k] = pm_gather_quats(from);
    }
}

pm_fn pm_rows pm_rows_of(const pm_planes *planes, pm_u32 count, pm_u32 k) {
    pm_rows rows;
    rows.key = planes->of[0][k];
    rows.next = planes->of[count - 1][k];
    for (pm_u32 p = 1; p + 1 < count; p++)
        rows.extras[p - 1] = planes->of[p][k];
    return rows;
}

#if PM_KEYS != 0
pm_fn pm_quat pm_gather_coded(pm_global const pm_stored_key *keys, const pm_u64 *lanes,
                              pm_u64 ahead) {
    pm_u64 at[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        at[i] = lanes[i] + ahead;
    return pm_gather_keys(keys, at);
}
#endif

#if PM_STATICS > 0
pm_fn pm_quat pm_gather_static(const pm_tables *t, const pm_side *side, pm_u32 s, pm_u32 joint) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_clip_place clip = t->clips[side->clip[i]];
        from[i] = t->statics + (clip.statics + (pm_u64)s * clip.plane + 4 * (pm_u64)joint);
    }
    return pm_gather_quats(from);
}
#endif

pm_fn pm_quat pm_rotation_at(pm_rows *rows, const pm_tables *t, const pm_side *side, pm_u32 joint) {
#if PM_STATICS > 0
    PM_UNROLL
    for (int s = 0; s < PM_STATICS; s++)
        rows->statics[s] = pm_gather_static(t, side, (pm_u32)s, joint);
#endif
    (void)t;
    (void)joint;
    real u = pm_reals_of(side->aim.u);
    PM_OF(segment) segment = PM_OF(begin)(rows);
    pm_quat value = PM_OF(at)(&segment, u);
#if PM_PASSES
    value = pm_at_ends(rows, u, value);
#endif
    return value;
}

pm_fn pm_quat pm_vector_at(const pm_rows *rows, const pm_side *side) {
    real u = pm_reals_of(side->aim.u);
    PM_VECTOR_OF(segment) segment = PM_VECTOR_OF(begin)(rows);
    pm_quat value = PM_VECTOR_OF(at)(&segment, u);
    if (PM_VECTOR_OF(passes))
        value = pm_at_ends(rows, u, value);
    value.w = PM_REAL(0.0f);
    return value;
}

pm_fn pm_quat pm_spread(pm_global const float *from) {
    return pm_quat_of(PM_REAL(from[0]), PM_REAL(from[1]), PM_REAL(from[2]), PM_REAL(from[3]));
}

/* A channel's rest pose */
pm_fn pm_quat pm_rest_of(pm_global const pm_joint *joint, pm_u32 c) {
    return pm_spread(c == PM_CHANNEL_ROTATIONS   ? joint->rotation
                     : c == PM_CHANNEL_POSITIONS ? joint->position
                                                 : joint->scale);
}

pm_fn pm_u32 pm_is_animated(pm_global const pm_joint *joint, pm_u32 c) {
    return joint->animated >> c & 1;
}

/* A channel of joints `first` to `first + count` that lie one behind another. */
pm_fn void pm_sample_together(pm_poses *to, const pm_tables *t, const pm_side *side, pm_u32 c,
                              pm_u32 first, pm_u32 count) {
    pm_planes planes;
    if (c == PM_CHANNEL_ROTATIONS) {
#if PM_KEYS == 0
        pm_gather_group(&planes, t->rotations, &side->aim, c, PM_PLANES, first);
#endif
        for (pm_u32 k = 0; k < count; k++) {
#if PM_KEYS == 0
            pm_rows rows = pm_rows_of(&planes, PM_PLANES, k);
#else
            pm_rows rows;
            rows.key = pm_gather_coded(t->rotations, side->aim.key[c], 4 * (pm_u64)(first + k));
            rows.next = pm_gather_coded(t->rotations, side->aim.next[c], 4 * (pm_u64)(first + k));
#endif
            to->of[c][k] = pm_rotation_at(&rows, t, side, first + k);
        }
        return;
    }
    pm_gather_group(&planes, c == PM_CHANNEL_POSITIONS ? t->positions : t->scales, &side->aim, c,
                    PM_VECTOR_PLANES, first);
    for (pm_u32 k = 0; k < count; k++) {
        pm_rows rows = pm_rows_of(&planes, PM_VECTOR_PLANES, k);
        to->of[c][k] = pm_vector_at(&rows, side);
    }
}

/* A channel of joint k of a group, which lanes were aimed at. */
pm_fn void pm_sample_apart(pm_poses *to, const pm_tables *t, const pm_side *side, pm_u32 c,
                           pm_u32 first, pm_u32 k) {
    pm_planes planes;
    pm_rows rows;
    if (c == PM_CHANNEL_ROTATIONS) {
#if PM_KEYS == 0
        pm_gather_joint(&planes, t->rotations, &side->aim, c, PM_PLANES, 0);
        rows = pm_rows_of(&planes, PM_PLANES, 0);
#else
        rows.key = pm_gather_coded(t->rotations, side->aim.key[c], 0);
        rows.next = pm_gather_coded(t->rotations, side->aim.next[c], 0);
#endif
        to->of[c][k] = pm_rotation_at(&rows, t, side, first + k);
        return;
    }
    pm_gather_joint(&planes, c == PM_CHANNEL_POSITIONS ? t->positions : t->scales, &side->aim, c,
                    PM_VECTOR_PLANES, 0);
    rows = pm_rows_of(&planes, PM_VECTOR_PLANES, 0);
    to->of[c][k] = pm_vector_at(&rows, side);
}

/* A or B of a group of joints, of which some are animated in the channels of `animated`. */
pm_fn void pm_sample_side(pm_poses *to, const pm_tables *t, pm_side *side,
                          pm_global const pm_joint *joints, pm_u32 first, pm_u32 count,
                          pm_u32 animated) {
    if (!t->size.apart) {
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (animated >> c & 1)
                pm_sample_together(to, t, side, c, first, count);
        return;
    }
    for (pm_u32 k = 0; k < count; k++) {
        pm_aim_at_joint(side, t, first + k);
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (pm_is_animated(joints + first + k, c))
                pm_sample_apart(to, t, side, c, first, k);
    }
}

/* ---- blending -------------------------------------------------------------------------- */

pm_fn real pm_weight_at(const pm_actors *actors, pm_global const float *masks, pm_u32 joints,
                        pm_u32 joint) {
    real weight = pm_reals_of(actors->weight);
    if (!actors->any_mask)
        return weight;
    float share[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        share[i] = masks[(pm_u64)actors->mask[i] * joints + joint];
    return weight * pm_reals_of(share);
}

/* B's share of a channel. */
pm_fn pm_quat pm_blended(const pm_actors *actors, pm_global const pm_joint *joint, pm_u32 c,
                         pm_quat a, pm_quat b, real weight) {
    pm_quat rest = pm_rest_of(joint, c), mixed = a, added = a;
    if (actors->any_mixed)
        mixed = c == PM_CHANNEL_ROTATIONS ? pm_rotations_mixed(a, b, weight)
                                          : pm_vectors_mixed(a, b, weight);
    if (!actors->any_added)
        return mixed;
    if (c == PM_CHANNEL_ROTATIONS)
        added = pm_rotation_added(a, b, rest, weight);
    else if (c == PM_CHANNEL_POSITIONS)
        added = pm_position_added(a, b, rest, weight);
    else
        added = pm_scale_added(a, b, pm_spread(joint->unscale), weight);
    return pm_quat_select(pm_reals_of(actors->added) != PM_REAL(0.0f), added, mixed);
}

pm_fn void pm_blend_group(pm_poses *a, const pm_poses *b, const pm_tables *t,
                          const pm_actors *actors, pm_global const float *masks,
                          pm_global const pm_joint *joints, pm_u32 first, pm_u32 count) {
    for (pm_u32 k = 0; k < count; k++) {
        real weight = pm_weight_at(actors, masks, t->size.joints, first + k);
        pm_global const pm_joint *joint = joints + first + k;
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (pm_is_animated(joint, c))
                a->of[c][k] = pm_blended(actors, joint, c, a->of[c][k], b->of[c][k], weight);
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
pm_fn void pm_keep_still(pm_poses *poses, const pm_tables *t, const pm_actors *actors,
                         pm_global const pm_u8 *level_joints, pm_global const pm_joint *joint,
                         pm_u32 j, pm_u32 k) {
    float still[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 has = level_joints[(pm_u64)actors->level[i] * t->size.joints + j];
        still[i] = has && !(j == 0 && actors->in_place[i] != 0.0f) ? 0.0f : 1.0f;
    }
    pm_put_to_rest(poses, joint, k, still);
}

/* Whether some lane's level has a joint. */
pm_fn pm_u32 pm_is_wanted(const pm_tables *t, const pm_actors *actors,
                          pm_global const pm_u8 *level_joints, pm_u32 j) {
    pm_u32 wanted = !actors->any_part;
    for (int i = 0; i < PM_LANES && !wanted; i++)
        wanted = level_joints[(pm_u64)actors->level[i] * t->size.joints + j];
    return wanted;
}

/* The poses of a group of joints in each lane. */
pm_fn void pm_pose_group(pm_poses *poses, const pm_tables *t, pm_actors *actors,
                         pm_global const pm_u8 *level_joints, pm_global const float *masks,
                         pm_global const pm_joint *joints, pm_u32 first, pm_u32 count) {
    pm_u32 animated = 0;
    for (pm_u32 k = 0; k < count; k++)
        if (pm_is_wanted(t, actors, level_joints, first + k))
            animated |= joints[first + k].animated;
    if (animated) {
        pm_sample_side(poses, t, &actors->a, joints, first, count, animated);
        for (pm_u32 k = 0; k < count && actors->any_no_clip; k++)
            pm_put_to_rest(poses, joints + first + k, k, actors->no_clip);
    }
    if (animated && actors->any_b) {
        pm_poses b;
        pm_sample_side(&b, t, &actors->b, joints, first, count, animated);
        pm_blend_group(poses, &b, t, actors, masks, joints, first, count);
    }
    for (pm_u32 k = 0; k < count; k++)
        if (actors->any_part || (actors->any_in_place && first + k == 0))
            pm_keep_still(poses, t, actors, level_joints, joints + first + k, first + k, k);
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

/* ---- instances ---------------------------------------------------------------------------- */

pm_fn void pm_enter(pm_actors *actors, int i, pm_instance instance, const pm_tables *t) {
    pm_u32 exists_a = instance.clip_a < t->size.clips, exists_b = instance.clip_b < t->size.clips;
    float weight = instance.weight > 0.0f ? instance.weight : 0.0f; /* NaN is not */
    actors->weight[i] = exists_b ? (weight < 1.0f ? weight : 1.0f) : 0.0f;
    pm_u32 blends = actors->weight[i] > 0.0f;
    actors->a.clip[i] = exists_a ? instance.clip_a : 0;
    actors->a.time[i] = exists_a ? instance.time_a : 0;
    actors->a.clamps[i] = instance.flags & PM_CLAMP_A;
    actors->b.clip[i] = blends ? instance.clip_b : actors->a.clip[i];
    actors->b.time[i] = blends ? instance.time_b : actors->a.time[i];
    actors->b.clamps[i] = blends ? instance.flags & PM_CLAMP_B : actors->a.clamps[i];
    actors->no_clip[i] = exists_a ? 0.0f : 1.0f;
    actors->added[i] = instance.flags & PM_ADDITIVE ? 1.0f : 0.0f;
    actors->in_place[i] = instance.flags & PM_IN_PLACE ? 1.0f : 0.0f;
    actors->mask[i] = instance.mask <= t->size.masks ? instance.mask : 0;
    actors->level[i] = instance.level < t->size.levels ? instance.level : t->size.levels - 1;
    actors->any_no_clip |= !exists_a;
    actors->any_b |= blends;
    actors->any_added |= blends && instance.flags & PM_ADDITIVE;
    actors->any_mixed |= blends && !(instance.flags & PM_ADDITIVE);
    actors->any_mask |= blends && actors->mask[i] != 0;
    actors->any_in_place |= instance.flags & PM_IN_PLACE;
}

/* Lanes past the end repeat the last instance, and write nothing. */
pm_fn pm_u32 pm_enter_all(pm_actors *actors, pm_global const pm_instance *instances, pm_u32 first,
                          pm_global const pm_crowd_level *levels, const pm_tables *t) {
    pm_u32 active = 0;
    actors->any_b = actors->any_added = actors->any_mixed = actors->any_mask = 0;
    actors->any_part = actors->any_no_clip = actors->any_in_place = 0;
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 index = first + (pm_u32)i;
        pm_u32 here = index < t->size.instances;
        pm_enter(actors, i, instances[here ? index : t->size.instances - 1], t);
        pm_crowd_level level = levels[actors->level[i]];
        actors->any_part |= !level.whole;
        pm_u64 turn = t->size.frame + (t->size.first + index) / PM_INSTANCE_GROUP;
        if (here && turn % level.update_every == 0)
            active |= 1u << i;
    }
    return active;
}

/* ---- records -------------------------------------------------------------------------------- */

#if PM_OUTPUT == PM_OUTPUT_DUAL
typedef pm_rigid pm_placed;

pm_fn pm_placed pm_place_joint(pm_local pose) {
    pm_placed placed;
    placed.rotation = pose.rotation;
    placed.position = pose.position;
    return placed;
}

#define pm_placed_product pm_rigid_product
#else
typedef pm_matrix pm_placed;

pm_fn pm_placed pm_place_joint(pm_local pose, pm_u32 scaled) {
    pm_placed placed = pm_matrix_of(pose.rotation, pose.position);
    return scaled ? pm_matrix_scaled(placed, pose.scale) : placed;
}

#define pm_placed_product pm_matrix_product
#endif

pm_fn void pm_put_row(real *words, pm_quat row) {
    words[0] = row.x;
    words[1] = row.y;
    words[2] = row.z;
    words[3] = row.w;
}

pm_fn void pm_put_matrix(real *words, pm_matrix m) {
    pm_put_row(words, m.x);
    pm_put_row(words + 4, m.y);
    pm_put_row(words + 8, m.z);
}

pm_fn real pm_two_halves(real low, real high) {
    return pm_real_of(pm_half_bits(low) | pm_half_bits(high) << 16);
}

pm_fn void pm_put_halves(real *words, pm_quat row) {
    words[0] = pm_two_halves(row.x, row.y);
    words[1] = pm_two_halves(row.z, row.w);
}

#if PM_OUTPUT == PM_OUTPUT_PALETTE || PM_OUTPUT == PM_OUTPUT_HALF
pm_fn pm_matrix pm_inverse_bind(pm_global const pm_joint *joint) {
    pm_matrix m;
    m.x = pm_spread(joint->inverse_bind);
    m.y = pm_spread(joint->inverse_bind + 4);
    m.z = pm_spread(joint->inverse_bind + 8);
    return m;
}
#endif

#if PM_OUTPUT == PM_OUTPUT_LOCAL

pm_fn void pm_put_record(real *words, pm_local pose) {
    pm_put_row(words, pose.rotation);
    pm_put_row(words + 4, pose.position);
    pm_put_row(words + 8, pose.scale);
}

#else

pm_fn void pm_put_record(real *words, pm_placed placed, pm_global const pm_joint *joint) {
#if PM_OUTPUT == PM_OUTPUT_DUAL
    pm_rigid bind;
    bind.rotation = pm_spread(joint->bind_rotation);
    bind.position = pm_spread(joint->bind_position);
    pm_rigid skin = pm_rigid_product(placed, bind);
    pm_put_row(words, skin.rotation);
    pm_put_row(words + 4, pm_rigid_dual(skin));
#elif PM_OUTPUT == PM_OUTPUT_MODEL
    (void)joint;
    pm_put_matrix(words, placed);
#elif PM_OUTPUT == PM_OUTPUT_HALF
    pm_matrix skin = pm_matrix_product(placed, pm_inverse_bind(joint));
    pm_put_halves(words, skin.x);
    pm_put_halves(words + 2, skin.y);
    pm_put_halves(words + 4, skin.z);
#else
    pm_put_matrix(words, pm_matrix_product(placed, pm_inverse_bind(joint)));
#endif
}

#endif

/* Work size: groups of PM_LANES instances. `streams` says that results outgrow the caches, and
 * that strides are whole lines. */
pm_kernel void crowd(pm_global const pm_u8 *instances, pm_u64 instances_offset,
                     pm_global const pm_joint *joints, pm_global const pm_clip_place *clips,
                     pm_global const pm_crowd_timeline *timelines, pm_global const pm_u64 *times,
                     pm_global const pm_crowd_level *levels, pm_global const pm_u8 *level_joints,
                     pm_global const float *masks, pm_global const pm_track_rows *layout,
                     pm_global const pm_stored_key *rotations, pm_global const float *statics,
                     pm_global const float *positions, pm_global const float *scales,
                     pm_global pm_u8 *records, pm_u64 records_offset, pm_u64 stride,
                     pm_crowd_size size, pm_u32 streams) {
    pm_u32 first = pm_global_id(0) * PM_LANES;
    if (first >= size.instances)
        return;
    pm_tables t = {clips, timelines, times, rotations, statics, positions, scales, layout, size};
    pm_actors actors;
    pm_lanes_out out;
    real words[PM_RECORDS_WAITING * PM_RECORD_WORDS];
#if PM_OUTPUT != PM_OUTPUT_LOCAL
    pm_placed slots[PM_SLOTS];
#endif
    out.active = pm_enter_all(
        &actors, (pm_global const pm_instance *)(instances + instances_offset), first, levels, &t);
    if (!out.active)
        return;
    for (int i = 0; i < PM_LANES; i++)
        out.to[i] =
            (pm_global float *)(records + records_offset + (pm_u64)(first + (pm_u32)i) * stride);
    out.streams = streams && ((size_t)out.to[0] & (sizeof(real) - 1)) == 0;
    if (!size.apart) {
        pm_aim_at_clips(&actors.a, &t);
        if (actors.any_b)
            pm_aim_at_clips(&actors.b, &t);
    }
    pm_u32 waiting = 0, stored = 0;
    pm_poses poses;
    for (pm_u32 j = 0; j < size.joints; j++) {
        pm_global const pm_joint *joint = joints + j;
        if (j % PM_GROUP == 0)
            pm_pose_group(&poses, &t, &actors, level_joints, masks, joints, j,
                          size.joints - j < PM_GROUP ? size.joints - j : PM_GROUP);
        pm_local pose = pm_local_of(&poses, joint, j % PM_GROUP);
        real *record = words + waiting * PM_RECORD_WORDS;
#if PM_OUTPUT == PM_OUTPUT_LOCAL
        pm_put_record(record, pose);
#else
#if PM_OUTPUT == PM_OUTPUT_DUAL
        pm_placed placed = pm_place_joint(pose);
#else
        pm_placed placed = pm_place_joint(pose, joint->scaled);
#endif
        if (joint->parent != PM_NO_SLOT)
            placed = pm_placed_product(slots[joint->parent], placed);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = placed;
        pm_put_record(record, placed, joint);
#endif
        if (++waiting == PM_RECORDS_WAITING || j + 1 == size.joints) {
            pm_store_words(&out, stored, words, waiting * PM_RECORD_WORDS);
            stored += waiting * PM_RECORD_WORDS;
            waiting = 0;
        }
    }
}
