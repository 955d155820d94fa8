/* SPDX-License-Identifier: MIT
 *
 * Inputs of poses in lanes: each lane has a clip and a time. Locates their keys and samples groups of
 * joints.
 */
#ifndef PM_INPUTS_H
#define PM_INPUTS_H

#include "pm_channels.h"

/* Planes of a segment: its key, its coefficients or the keys beside it, and the next key. */
#define PM_PLANES (2 + PM_COEFFICIENTS + 2 * PM_FOUR_KEYS)
#define PM_VECTOR_PLANES (2 + PM_VECTOR_OF(coefficients))
#define PM_MAX_PLANES (2 + PM_MAX_COEFFICIENTS)

/* The position of each lane's segment: the key of channel c at key[c], the next key at next[c]. */
typedef struct pm_key_lanes {
    pm_u64 key[PM_CHANNELS][PM_LANES];
    pm_u64 next[PM_CHANNELS][PM_LANES];
    pm_u32 plane[PM_CHANNELS][PM_LANES];
    float u[PM_LANES];
#if PM_FOUR_KEYS
    float before[PM_LANES], after[PM_LANES]; /* the spacing of rotations */
#endif
} pm_key_lanes;

/* The planes of the segments of a group of PM_GROUP joints, whose keys share a cache line. */
typedef struct pm_planes {
    pm_quat of[PM_MAX_PLANES][PM_GROUP];
} pm_planes;

/* The values of each channel for a group of joints; undefined for joints that no clip moves. */
typedef struct pm_poses {
    pm_quat of[PM_CHANNELS][PM_GROUP];
} pm_poses;

/* An input of each lane's instance, as pm_input, and what follows from it: the position of the keys,
 * and the basis of rotations. */
typedef struct pm_input_lanes {
    pm_u32 clip[PM_LANES];
    pm_s64 time[PM_LANES];
    pm_u32 clamps[PM_LANES];
    float weight[PM_LANES];
    float op[PM_LANES];
    pm_u32 mask[PM_LANES];
    pm_u32 ops;    /* of all lanes */
    pm_u32 masked; /* not 0: some lane has a mask */
    pm_key_lanes lanes;
    pm_u32 on_key; /* not 0: some lane's u is 0 or 1 */
    real basis[PM_BASIS_SIZE];
} pm_input_lanes;

/* ---- locating keys ----------------------------------------------------------------- */

pm_fn void pm_set_key_lane(pm_key_lanes *lanes, int lane, pm_u32 c, pm_u64 first, pm_u32 row,
                           pm_u32 plane, pm_u32 segment) {
    lanes->key[c][lane] = first + (pm_u64)segment * row;
    lanes->next[c][lane] = lanes->key[c][lane] + row;
    lanes->plane[c][lane] = plane;
}

/* Sets a lane's spacing. It is read at number `first` of the constants for the first segment. */
pm_fn void pm_set_spacing_lane(pm_key_lanes *lanes, int lane, const pm_tables *t, pm_u64 first,
                               pm_u32 segment) {
#if PM_FOUR_KEYS
    pm_global const float *spacing = t->constants + (first + PM_SPACING_FLOATS * (pm_u64)segment);
    lanes->before[lane] = spacing[0];
    lanes->after[lane] = spacing[1];
#else
    (void)lanes, (void)lane, (void)t, (void)first, (void)segment;
#endif
}

/* What follows from u, once it is known. */
pm_fn void pm_prepare_u(pm_input_lanes *input) {
    real u = pm_reals_of(input->lanes.u);
    input->on_key = pm_any_on_key(u);
    PM_OF(basis)(u, input->basis);
}

/* For clips with a common timeline: locates the keys of joint 0. The keys of all joints are
 * contiguous. */
pm_fn void pm_find_clip_keys(pm_input_lanes *input, const pm_tables *t) {
    pm_u32 segments[PM_LANES], fractions[PM_LANES], slacks[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_global const pm_clip_layout *clip = t->clips + input->clip[i];
        pm_crowd_place place =
            pm_crowd_find(t->timelines[clip->timeline], t->times, input->time[i], input->clamps[i]);
        segments[i] = place.segment;
        fractions[i] = place.fraction;
        slacks[i] = place.slack;
        pm_set_spacing_lane(&input->lanes, i, t, clip->constants, place.segment);
    }
    for (int i = 0; i < PM_LANES; i++)
        input->lanes.u[i] = pm_crowd_u(fractions[i], slacks[i]);
    for (pm_u32 c = 0; c < PM_CHANNELS; c++)
        for (int i = 0; i < PM_LANES && (t->size.channels >> c & 1); i++) {
            pm_global const pm_clip_layout *clip = t->clips + input->clip[i];
            pm_set_key_lane(&input->lanes, i, c, clip->first[c], clip->row[c], clip->plane[c],
                            segments[i]);
        }
    pm_prepare_u(input);
}

/* For clips with per-joint timelines: locates the keys of one joint. */
pm_fn void pm_find_joint_keys(pm_input_lanes *input, const pm_tables *t, pm_u32 joint) {
    for (int i = 0; i < PM_LANES; i++)
        for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
            if (!(t->size.channels >> c & 1))
                continue;
            pm_track_layout data =
                t->layout[(pm_u64)t->clips[input->clip[i]].layout + c * t->size.joints + joint];
            pm_cursor cursor = pm_crowd_locate(t->timelines[data.timeline], t->times,
                                               input->time[i], input->clamps[i]);
            pm_set_key_lane(&input->lanes, i, c, data.first, data.row, data.plane, cursor.segment);
            pm_set_spacing_lane(&input->lanes, i, t, PM_SPACING_FLOATS * (pm_u64)data.rates,
                                cursor.segment);
            input->lanes.u[i] = cursor.u;
        }
    pm_prepare_u(input);
}

/* ---- sampling ----------------------------------------------------------------------- */

/* The positions of coefficient p, or of the key that takes its place, for a channel. */
pm_fn void pm_move_planes(pm_u64 *at, const pm_key_lanes *lanes, pm_u32 c, pm_u32 p) {
#if PM_FOUR_KEYS
    if (c == PM_CHANNEL_ROTATIONS) {
        for (int i = 0; i < PM_LANES; i++) {
            pm_u64 row = lanes->next[c][i] - lanes->key[c][i];
            at[i] = p == 1 ? lanes->key[c][i] - row : lanes->next[c][i] + row;
        }
        return;
    }
#endif
    for (int i = 0; i < PM_LANES; i++)
        at[i] = lanes->key[c][i] + (pm_u64)p * lanes->plane[c][i];
}

/* Gathers a plane of a group of joints with contiguous keys. */
pm_fn void pm_gather_plane(pm_global const float *from, const pm_u64 *at, pm_quat to[PM_GROUP]) {
    PM_UNROLL
    for (int k = 0; k < PM_GROUP; k += PM_NEIGHBOURS)
        pm_gather_neighbours(from + 4 * k, at, to + k);
}

/* Gathers the planes of a group of joints with contiguous keys. */
pm_fn void pm_gather_group(pm_planes *to, pm_global const float *keys, const pm_key_lanes *lanes,
                           pm_u32 c, pm_u32 planes, pm_u32 first) {
    pm_global const float *from = keys + 4 * (pm_u64)first;
    pm_gather_plane(from, lanes->key[c], to->of[0]);
    for (pm_u32 p = 1; p + 1 < planes; p++) {
        pm_u64 at[PM_LANES];
        pm_move_planes(at, lanes, c, p);
        pm_gather_plane(from, at, to->of[p]);
    }
    pm_gather_plane(from, lanes->next[c], to->of[planes - 1]);
}

/* Gathers the planes of a joint. */
pm_fn void pm_gather_joint(pm_planes *to, pm_global const float *keys, const pm_key_lanes *lanes,
                           pm_u32 c, pm_u32 planes) {
    to->of[0][0] = pm_gather_quats_at(keys, lanes->key[c]);
    for (pm_u32 p = 1; p + 1 < planes; p++) {
        pm_u64 at[PM_LANES];
        pm_move_planes(at, lanes, c, p);
        to->of[p][0] = pm_gather_quats_at(keys, at);
    }
    to->of[planes - 1][0] = pm_gather_quats_at(keys, lanes->next[c]);
}

pm_fn pm_segment_data pm_segment_data_of(const pm_planes *planes, pm_u32 count, pm_u32 k) {
    pm_segment_data data;
    data.key = planes->of[0][k];
    data.next = planes->of[count - 1][k];
    for (pm_u32 p = 1; p + 1 < count; p++)
        data.coefficients[p - 1] = planes->of[p][k];
    return data;
}

#if PM_KEYS != 0
pm_fn pm_quat pm_gather_coded(pm_global const pm_stored_key *keys, const pm_u64 *lanes,
                              pm_u64 ahead) {
    pm_u64 at[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        at[i] = lanes[i] + ahead;
    return pm_gather_keys(keys, at);
}

/* Gathers and decodes a key of each joint of a group. */
pm_fn void pm_gather_coded_plane(pm_quat to[PM_GROUP], pm_global const pm_stored_key *keys,
                                 const pm_u64 *at, pm_u32 first) {
#if PM_LANES == 1
    for (pm_u32 k = 0; k < PM_GROUP; k++)
        to[k] = pm_gather_coded(keys, at, 4 * (pm_u64)(first + k));
#else
    pm_u64 of_keys[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        of_keys[i] = at[i] + 4 * (pm_u64)first;
    pm_gather_neighbour_keys(keys, of_keys, to);
#endif
}

/* Gathers and decodes the keys of a group of joints. */
pm_fn void pm_gather_coded_group(pm_planes *to, pm_global const pm_stored_key *keys,
                                 const pm_key_lanes *lanes, pm_u32 c, pm_u32 first) {
    pm_gather_coded_plane(to->of[0], keys, lanes->key[c], first);
    for (pm_u32 p = 1; p + 1 < PM_PLANES; p++) {
        pm_u64 at[PM_LANES];
        pm_move_planes(at, lanes, c, p);
        pm_gather_coded_plane(to->of[p], keys, at, first);
    }
    pm_gather_coded_plane(to->of[PM_PLANES - 1], keys, lanes->next[c], first);
}

/* The keys of a joint, which are `ahead` numbers behind those that are located. */
pm_fn pm_segment_data pm_gather_coded_joint(pm_global const pm_stored_key *keys,
                                            const pm_key_lanes *lanes, pm_u32 c, pm_u64 ahead) {
    pm_segment_data data;
    data.key = pm_gather_coded(keys, lanes->key[c], ahead);
    data.next = pm_gather_coded(keys, lanes->next[c], ahead);
    for (pm_u32 p = 1; p + 1 < PM_PLANES; p++) {
        pm_u64 at[PM_LANES];
        pm_move_planes(at, lanes, c, p);
        data.coefficients[p - 1] = pm_gather_coded(keys, at, ahead);
    }
    return data;
}
#endif

#if PM_CONSTANTS > 0
pm_fn pm_quat pm_gather_constant(const pm_tables *t, const pm_input_lanes *input, pm_u32 s,
                                 pm_u32 joint) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_clip_layout clip = t->clips[input->clip[i]];
        from[i] = t->constants + (clip.constants + (pm_u64)s * clip.plane[PM_CHANNEL_ROTATIONS] +
                                  4 * (pm_u64)joint);
    }
    return pm_gather_quats(from);
}
#endif

/* The spacing of the lanes' segments, for curves with four keys. */
pm_fn void pm_set_lane_spacing(pm_segment_data *data, const pm_key_lanes *lanes) {
#if PM_FOUR_KEYS
    pm_set_spacing(data, pm_reals_of(lanes->before), pm_reals_of(lanes->after));
#else
    (void)data, (void)lanes;
#endif
}

pm_fn pm_quat pm_rotation_at(pm_segment_data *data, const pm_tables *t, const pm_input_lanes *input,
                             pm_u32 joint) {
#if PM_CONSTANTS > 0
    PM_UNROLL
    for (int s = 0; s < PM_CONSTANTS; s++)
        data->constants[s] = pm_gather_constant(t, input, (pm_u32)s, joint);
#endif
    pm_set_lane_spacing(data, &input->lanes);
    (void)t;
    (void)joint;
    return pm_rotation_value(data, pm_reals_of(input->lanes.u), input->on_key, input->basis);
}

/* Gathers a channel of the group of joints from `first` on, with contiguous keys. */
pm_fn void pm_gather_common(pm_planes *to, const pm_tables *t, const pm_input_lanes *input,
                            pm_u32 c, pm_u32 first) {
    if (c == PM_CHANNEL_ROTATIONS) {
#if PM_KEYS == 0
        pm_gather_group(to, t->rotations, &input->lanes, c, PM_PLANES, first);
#else
        pm_gather_coded_group(to, t->rotations, &input->lanes, c, first);
#endif
        return;
    }
    pm_gather_group(to, c == PM_CHANNEL_POSITIONS ? t->positions : t->scales, &input->lanes, c,
                    PM_VECTOR_PLANES, first);
}

/* Samples a channel of joint k of the group from `first` on. */
pm_fn pm_quat pm_sample_gathered(const pm_planes *planes, const pm_tables *t,
                                 const pm_input_lanes *input, pm_u32 c, pm_u32 first, pm_u32 k) {
    if (c == PM_CHANNEL_ROTATIONS) {
        pm_segment_data data = pm_segment_data_of(planes, PM_PLANES, k);
        return pm_rotation_at(&data, t, input, first + k);
    }
    pm_segment_data data = pm_segment_data_of(planes, PM_VECTOR_PLANES, k);
    return pm_vector_value(&data, pm_reals_of(input->lanes.u), input->on_key);
}

/* Samples a channel of joints [first, first + count) with contiguous keys. */
pm_fn void pm_sample_common(pm_poses *to, const pm_tables *t, const pm_input_lanes *input, pm_u32 c,
                            pm_u32 first, pm_u32 count) {
    pm_planes planes;
    pm_gather_common(&planes, t, input, c, first);
    for (pm_u32 k = 0; k < count; k++)
        to->of[c][k] = pm_sample_gathered(&planes, t, input, c, first, k);
}

/* Samples a channel of the joint of a number, whose keys are `ahead` numbers behind those that `input` has
 * located. */
pm_fn pm_quat pm_sample_joint(const pm_tables *t, const pm_input_lanes *input, pm_u32 c,
                              pm_u32 joint, pm_u32 ahead) {
    pm_planes planes;
    pm_segment_data data;
    if (c == PM_CHANNEL_ROTATIONS) {
#if PM_KEYS == 0
        pm_gather_joint(&planes, t->rotations + ahead, &input->lanes, c, PM_PLANES);
        data = pm_segment_data_of(&planes, PM_PLANES, 0);
#else
        data = pm_gather_coded_joint(t->rotations, &input->lanes, c, ahead);
#endif
        return pm_rotation_at(&data, t, input, joint);
    }
    pm_gather_joint(&planes, (c == PM_CHANNEL_POSITIONS ? t->positions : t->scales) + ahead,
                    &input->lanes, c, PM_VECTOR_PLANES);
    data = pm_segment_data_of(&planes, PM_VECTOR_PLANES, 0);
    return pm_vector_value(&data, pm_reals_of(input->lanes.u), input->on_key);
}

/* The channels of `count` joints that some clip moves. */
pm_fn pm_u32 pm_animated_channels(pm_global const pm_joint *joints, pm_u32 count) {
    pm_u32 channels = 0;
    for (pm_u32 k = 0; k < count; k++)
        channels |= joints[k].animated;
    return channels;
}

/* Samples an input for a group of joints. Bit c of `animated`: channel c of some joint is
 * animated. */
pm_fn void pm_sample_input(pm_poses *to, const pm_tables *t, pm_input_lanes *input,
                           pm_global const pm_joint *joints, pm_u32 first, pm_u32 count,
                           pm_u32 animated) {
    if (!PM_SUBSET && !t->size.per_joint) {
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (animated >> c & 1)
                pm_sample_common(to, t, input, c, first, count);
        return;
    }
    for (pm_u32 k = 0; k < count; k++) {
        pm_u32 joint = pm_joint_number(joints, first + k);
        if (t->size.per_joint)
            pm_find_joint_keys(input, t, joint);
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (pm_is_animated(joints + first + k, c))
                to->of[c][k] =
                    pm_sample_joint(t, input, c, joint, t->size.per_joint ? 0 : 4 * joint);
    }
}

#endif
