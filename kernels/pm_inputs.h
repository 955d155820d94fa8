/* SPDX-License-Identifier: MIT
 *
 * Blend inputs in lanes: each lane has a clip and a time. Locates their keys, gathers those of a
 * group of joints, and samples joints.
 */
#ifndef PM_INPUTS_H
#define PM_INPUTS_H

#include "pm_channels.h"

/* Planes of a segment: its key, its coefficients, and the next key. */
#define PM_PLANES (2 + PM_COEFFICIENTS)
#define PM_VECTOR_PLANES (2 + PM_VECTOR_OF(coefficients))

/* The position of each lane's segment: the key of channel c at key[c], the next key at next[c]. */
typedef struct pm_key_lanes {
    pm_u64 key[PM_CHANNELS][PM_LANES];
    pm_u64 next[PM_CHANNELS][PM_LANES];
    pm_u32 plane[PM_CHANNELS][PM_LANES];
    float u[PM_LANES];
} pm_key_lanes;

/* Joints whose keys share a cache line. Their keys are gathered together. */
#define PM_GROUP PM_NEIGHBOURS

/* The planes of the segments of a group of joints, as one blend input moves them. */
typedef struct pm_group_planes {
    pm_quat rotations[PM_PLANES][PM_GROUP];
    pm_quat vectors[PM_CHANNELS - 1][PM_VECTOR_PLANES][PM_GROUP]; /* positions and scales */
} pm_group_planes;

/* Blend inputs: a clip and a time for each lane. */
typedef struct pm_input_lanes {
    pm_u32 clip[PM_LANES];
    pm_s64 time[PM_LANES];
    pm_u32 clamps[PM_LANES];
    pm_key_lanes lanes;
} pm_input_lanes;

/* ---- locating keys ----------------------------------------------------------------- */

pm_fn void pm_set_key_lane(pm_key_lanes *lanes, int lane, pm_u32 c, pm_u64 first, pm_u32 row,
                           pm_u32 plane, pm_cursor cursor) {
    lanes->key[c][lane] = first + (pm_u64)(cursor.segment & PM_CURSOR_SEGMENT) * row;
    lanes->next[c][lane] = lanes->key[c][lane] + row;
    lanes->plane[c][lane] = plane;
    lanes->u[lane] = cursor.u;
}

/* For clips with a common timeline: locates the keys of joint 0. The keys of all joints are
 * contiguous. */
pm_fn void pm_find_clip_keys(pm_input_lanes *input, const pm_tables *t) {
    for (int i = 0; i < PM_LANES; i++) {
        pm_clip_layout clip = t->clips[input->clip[i]];
        pm_cursor cursor = pm_crowd_locate(t->timelines[clip.timeline], t->times, input->time[i],
                                           input->clamps[i]);
        for (pm_u32 c = 0; c < PM_CHANNELS; c++)
            if (t->size.channels >> c & 1)
                pm_set_key_lane(&input->lanes, i, c, clip.first[c], clip.row[c], clip.plane,
                                cursor);
    }
}

/* For clips with per-joint timelines: locates the keys of one joint. */
pm_fn void pm_find_joint_keys(pm_input_lanes *input, const pm_tables *t, pm_u32 joint) {
    for (int i = 0; i < PM_LANES; i++)
        for (pm_u32 c = 0; c < PM_CHANNELS; c++) {
            if (!(t->size.channels >> c & 1))
                continue;
            pm_track_layout data =
                t->layout[((pm_u64)c * t->size.clips + input->clip[i]) * t->size.joints + joint];
            pm_cursor cursor = pm_crowd_locate(t->timelines[data.timeline], t->times,
                                               input->time[i], input->clamps[i]);
            pm_set_key_lane(&input->lanes, i, c, data.first, data.row, data.plane, cursor);
        }
}

/* ---- gathering keys ---------------------------------------------------------------- */

/* The position of plane p of a lane's segment; the last plane is the next key. */
pm_fn pm_u64 pm_plane_at(const pm_key_lanes *lanes, pm_u32 c, pm_u32 p, pm_u32 planes, int lane) {
    return p + 1 == planes ? lanes->next[c][lane]
                           : lanes->key[c][lane] + (pm_u64)p * lanes->plane[c][lane];
}

/* Gathers the planes of a channel for the group of joints from `first` on. */
pm_fn void pm_gather_group(pm_quat to[][PM_GROUP], pm_global const float *keys,
                           const pm_key_lanes *lanes, pm_u32 c, pm_u32 planes, pm_u32 first) {
    pm_global const float *from[PM_LANES];
    for (pm_u32 p = 0; p < planes; p++) {
        for (int i = 0; i < PM_LANES; i++)
            from[i] = keys + (pm_plane_at(lanes, c, p, planes, i) + 4 * (pm_u64)first);
        pm_gather_neighbours(from, to[p]);
    }
}

/* Gathers the planes of joint k of a group, which pm_find_joint_keys located. */
pm_fn void pm_gather_joint(pm_quat to[][PM_GROUP], pm_global const float *keys,
                           const pm_key_lanes *lanes, pm_u32 c, pm_u32 planes, pm_u32 k) {
    pm_global const float *from[PM_LANES];
    for (pm_u32 p = 0; p < planes; p++) {
        for (int i = 0; i < PM_LANES; i++)
            from[i] = keys + pm_plane_at(lanes, c, p, planes, i);
        to[p][k] = pm_gather_quats(from);
    }
}

#if PM_KEYS != 0
/* Gathers and decodes the keys of a group of joints, which are in the same group of keys. */
pm_fn void pm_gather_coded_group(pm_quat to[][PM_GROUP], pm_global const pm_stored_key *keys,
                                 const pm_key_lanes *lanes, pm_u32 c, pm_u32 first) {
    pm_global const pm_stored_key *from[PM_LANES];
    pm_u64 ahead = 4 * (pm_u64)first;
    for (int i = 0; i < PM_LANES; i++)
        from[i] = pm_key_group(keys, PM_KEY_WORDS, lanes->key[c][i] + ahead);
    pm_gather_neighbour_keys(from, pm_key_in_group(ahead), to[0]);
    for (int i = 0; i < PM_LANES; i++)
        from[i] = pm_key_group(keys, PM_KEY_WORDS, lanes->next[c][i] + ahead);
    pm_gather_neighbour_keys(from, pm_key_in_group(ahead), to[1]);
}
#endif

pm_fn pm_global const float *pm_vector_keys(const pm_tables *t, pm_u32 c) {
    return c == PM_CHANNEL_POSITIONS ? t->positions : t->scales;
}

/* For clips with a common timeline: gathers the keys of a group of joints. Bit c of `channels`:
 * channel c of some joint is sampled. */
pm_fn void pm_gather_group_planes(pm_group_planes *to, const pm_tables *t,
                                  const pm_input_lanes *input, pm_u32 channels, pm_u32 first) {
    const pm_key_lanes *lanes = &input->lanes;
    if (channels >> PM_CHANNEL_ROTATIONS & 1) {
#if PM_KEYS == 0
        pm_gather_group(to->rotations, t->rotations, lanes, PM_CHANNEL_ROTATIONS, PM_PLANES, first);
#else
        pm_gather_coded_group(to->rotations, t->rotations, lanes, PM_CHANNEL_ROTATIONS, first);
#endif
    }
    for (pm_u32 c = PM_CHANNEL_POSITIONS; c < PM_CHANNELS; c++)
        if (channels >> c & 1)
            pm_gather_group(to->vectors[c - 1], pm_vector_keys(t, c), lanes, c, PM_VECTOR_PLANES,
                            first);
}

/* For clips with per-joint timelines: gathers the keys of a joint. */
pm_fn void pm_gather_joint_planes(pm_group_planes *to, const pm_tables *t, pm_input_lanes *input,
                                  pm_u32 channels, pm_u32 joint) {
    const pm_key_lanes *lanes = &input->lanes;
    pm_u32 k = joint % PM_GROUP;
    pm_find_joint_keys(input, t, joint);
    if (channels >> PM_CHANNEL_ROTATIONS & 1) {
#if PM_KEYS == 0
        pm_gather_joint(to->rotations, t->rotations, lanes, PM_CHANNEL_ROTATIONS, PM_PLANES, k);
#else
        to->rotations[0][k] = pm_gather_keys(t->rotations, lanes->key[PM_CHANNEL_ROTATIONS]);
        to->rotations[1][k] = pm_gather_keys(t->rotations, lanes->next[PM_CHANNEL_ROTATIONS]);
#endif
    }
    for (pm_u32 c = PM_CHANNEL_POSITIONS; c < PM_CHANNELS; c++)
        if (channels >> c & 1)
            pm_gather_joint(to->vectors[c - 1], pm_vector_keys(t, c), lanes, c, PM_VECTOR_PLANES,
                            k);
}

#if PM_CONSTANTS > 0
pm_fn pm_quat pm_gather_constant(const pm_tables *t, const pm_input_lanes *input, pm_u32 s,
                                 pm_u32 joint) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) {
        pm_clip_layout clip = t->clips[input->clip[i]];
        from[i] = t->constants + (clip.constants + (pm_u64)s * clip.plane + 4 * (pm_u64)joint);
    }
    return pm_gather_quats(from);
}
#endif

/* ---- sampling ----------------------------------------------------------------------- */

pm_fn pm_segment_data pm_segment_data_of(const pm_quat planes[][PM_GROUP], pm_u32 count, pm_u32 k) {
    pm_segment_data data;
    data.key = planes[0][k];
    data.next = planes[count - 1][k];
    for (pm_u32 p = 1; p + 1 < count; p++)
        data.coefficients[p - 1] = planes[p][k];
    return data;
}

/* The channels of `count` joints that some clip moves. */
pm_fn pm_u32 pm_animated_channels(pm_global const pm_joint *joints, pm_u32 count) {
    pm_u32 channels = 0;
    for (pm_u32 k = 0; k < count; k++)
        channels |= joints[k].animated;
    return channels;
}

/* The channels of a joint in each lane; those that are not sampled are undefined. */
typedef struct pm_channel_values {
    pm_quat of[PM_CHANNELS];
} pm_channel_values;

/* Samples a joint whose planes were gathered. Bit c of `channels`: channel c. */
pm_fn void pm_sample_joint(pm_channel_values *to, const pm_group_planes *planes, const pm_tables *t,
                           const pm_input_lanes *input, pm_u32 channels, pm_u32 joint) {
    pm_u32 k = joint % PM_GROUP;
    real u = pm_reals_of(input->lanes.u);
    (void)t;
    if (channels >> PM_CHANNEL_ROTATIONS & 1) {
        pm_segment_data data = pm_segment_data_of(planes->rotations, PM_PLANES, k);
#if PM_CONSTANTS > 0
        PM_UNROLL
        for (int s = 0; s < PM_CONSTANTS; s++)
            data.constants[s] = pm_gather_constant(t, input, (pm_u32)s, joint);
#endif
        to->of[PM_CHANNEL_ROTATIONS] = pm_rotation_value(&data, u);
    }
    for (pm_u32 c = PM_CHANNEL_POSITIONS; c < PM_CHANNELS; c++)
        if (channels >> c & 1) {
            pm_segment_data data = pm_segment_data_of(planes->vectors[c - 1], PM_VECTOR_PLANES, k);
            to->of[c] = pm_vector_value(&data, u);
        }
}

#endif
