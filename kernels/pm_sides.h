/* SPDX-License-Identifier: MIT
 *
 * A clip of each lane at a time of its own: where its keys are, and what it makes of a group of
 * joints.
 */
#ifndef PM_SIDES_H
#define PM_SIDES_H

#include "pm_crowd.h"
#include "pm_keys.h"
#include "pm_methods.h"

/* The curve of positions and scales */
#ifndef PM_VECTOR_METHOD
#define PM_VECTOR_METHOD pm_vector_linear
#endif
#define PM_VECTOR_OF(what) PM_OF__(PM_VECTOR_METHOD, what)

/* Planes of a segment, and the second key */
#define PM_PLANES (2 + PM_EXTRAS)
#define PM_VECTOR_PLANES (2 + PM_VECTOR_OF(extras))
#define PM_MOST_PLANES (2 + PM_MAX_EXTRAS)

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

/* Of the one joint that lanes were aimed at. */
pm_fn void pm_gather_joint(pm_planes *to, pm_global const float *keys, const pm_aim *aim, pm_u32 c,
                           pm_u32 planes) {
    pm_global const float *from[PM_LANES];
    for (pm_u32 p = 0; p < planes; p++) {
        for (int i = 0; i < PM_LANES; i++)
            from[i] = keys + pm_plane_at(aim, c, p, planes, i);
        to->of[p][0] = pm_gather_quats(from);
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
        pm_gather_joint(&planes, t->rotations, &side->aim, c, PM_PLANES);
        rows = pm_rows_of(&planes, PM_PLANES, 0);
#else
        rows.key = pm_gather_coded(t->rotations, side->aim.key[c], 0);
        rows.next = pm_gather_coded(t->rotations, side->aim.next[c], 0);
#endif
        to->of[c][k] = pm_rotation_at(&rows, t, side, first + k);
        return;
    }
    pm_gather_joint(&planes, c == PM_CHANNEL_POSITIONS ? t->positions : t->scales, &side->aim, c,
                    PM_VECTOR_PLANES);
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

#endif
