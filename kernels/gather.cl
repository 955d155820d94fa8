/* SPDX-License-Identifier: MIT
 *
 * Samples that each have their own track and position: (track, time) pairs, tracks with
 * per-track timelines. velocity.cl and acceleration.cl include this file for derivatives by time.
 */
#include "pm_keys.h"
#include "pm_methods.h"

/* The address of each lane's segment: offsets from `keys`, in floats as in pm_track_layout. */
typedef struct pm_lane_addresses {
    pm_global const pm_stored_key *keys;
    pm_u64 key[PM_LANES];          /* plane 0 of the segment's first key */
    pm_u32 key_stride[PM_LANES];   /* from a key to the next */
    pm_u32 plane_stride[PM_LANES]; /* from a plane to the next */
} pm_lane_addresses;

#if PM_COEFFICIENTS > 0
pm_fn pm_quat pm_gather_plane(const pm_lane_addresses *lanes, pm_u32 plane) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        from[i] = lanes->keys + (lanes->key[i] + (pm_u64)plane * lanes->plane_stride[i]);
    return pm_gather_quats(from);
}
#endif

/* The key `rows` keys behind the segment's first, before it where negative. */
pm_fn pm_quat pm_gather_row(const pm_lane_addresses *lanes, pm_s64 rows) {
    pm_u64 at[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        at[i] = lanes->key[i] + (pm_u64)(rows * (pm_s64)lanes->key_stride[i]);
    return pm_gather_keys(lanes->keys, at);
}

#if PM_CONSTANTS > 0
pm_fn pm_quat pm_gather_constant(pm_global const float *constants, const pm_u32 *track) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        from[i] = constants + 4 * (pm_u64)track[i];
    return pm_gather_quats(from);
}
#endif

/* The kernel's name, and the order of its derivative. */
#ifndef PM_GATHER
#define PM_GATHER gather
#define PM_ORDER 0
#endif

/* Work size: groups of PM_LANES values. When `pairs` is set, value f is that of track tracks[f]
 * at cursors[f]. Otherwise the values form a grid: value f is sample f / track_count of track
 * f % track_count, at cursors[timeline * sample_count + sample]. Lanes past the end repeat the
 * last value. */
pm_kernel void PM_GATHER(pm_global const pm_stored_key *restrict keys,
                         pm_global const float *restrict constants,
                         pm_global const pm_track_layout *restrict layout,
                         pm_global const pm_cursor *restrict cursors,
                         pm_global const pm_u32 *restrict tracks, pm_global float *restrict values,
                         pm_u64 values_offset, pm_u32 constant_floats, pm_u32 track_count,
                         pm_u32 sample_count, pm_u32 value_count, pm_u32 pairs,
                         pm_global const float *restrict rates, pm_u32 parent, pm_u32 streams) {
    pm_u32 first = pm_global_id(0) * PM_LANES;
    if (first >= value_count)
        return;
    pm_lane_addresses lanes;
    lanes.keys = keys;
    pm_u32 track[PM_LANES];
    float u[PM_LANES], sign[PM_LANES], rate[PM_LANES];
#if PM_FOUR_KEYS
    float before[PM_LANES], after[PM_LANES];
#endif
    for (int i = 0; i < PM_LANES; i++) {
        pm_u32 item = (pm_u32)PM_ITEM_OF(i);
        pm_u32 f = value_count - first > item ? first + item : value_count - 1;
        pm_u32 sample = pairs ? f : f / track_count;
        track[i] = pairs ? tracks[f] : f - sample * track_count;
        pm_track_layout at = layout[track[i]];
        pm_cursor cursor = cursors[pairs ? f : (pm_u64)at.timeline * sample_count + sample];
        pm_u32 segment = cursor.segment & PM_CURSOR_SEGMENT;
        lanes.key_stride[i] = at.row;
        lanes.plane_stride[i] = at.plane;
        lanes.key[i] = at.first + (pm_u64)segment * at.row;
        u[i] = cursor.u;
        rate[i] = cursor.segment & PM_CURSOR_AT_REST ? 0.0f : rates[at.rates + segment];
        sign[i] = cursor.segment & PM_CURSOR_ODD_LAP ? at.wrap : 1.0f;
#if PM_FOUR_KEYS
        pm_global const float *spacing =
            constants + PM_SPACING_FLOATS * (pm_u64)(at.rates + segment);
        before[i] = spacing[0];
        after[i] = spacing[1];
#endif
    }
    pm_segment_data data;
    data.key = pm_gather_keys(keys, lanes.key);
    data.next = pm_gather_row(&lanes, 1);
#if PM_FOUR_KEYS
    data.coefficients[0] = pm_gather_row(&lanes, -1);
    data.coefficients[1] = pm_gather_row(&lanes, 2);
    pm_set_spacing(&data, pm_reals_of(before), pm_reals_of(after));
#endif
#if PM_COEFFICIENTS > 0
    data.coefficients[0] = pm_gather_plane(&lanes, 1);
#endif
#if PM_COEFFICIENTS > 1
    data.coefficients[1] = pm_gather_plane(&lanes, 2);
#endif
#if PM_COEFFICIENTS > 2
    data.coefficients[2] = pm_gather_plane(&lanes, 3);
#endif
#if PM_COEFFICIENTS > 3
    data.coefficients[3] = pm_gather_plane(&lanes, 4);
#endif
#if PM_CONSTANTS > 0
    data.constants[0] = pm_gather_constant(constants, track);
#endif
#if PM_CONSTANTS > 1
    data.constants[1] = pm_gather_constant(constants + constant_floats, track);
#endif
    PM_OF(segment) segment = PM_OF(begin)(&data);
#if PM_ORDER == 1
    pm_quat value =
        pm_angular_velocity(PM_OF(motion)(&segment, pm_reals_of(u)), pm_reals_of(rate), parent);
#elif PM_ORDER == 2
    pm_quat value =
        pm_angular_acceleration(PM_OF(motion)(&segment, pm_reals_of(u)), pm_reals_of(rate), parent);
#else
    (void)rate;
    (void)parent;
    real basis[PM_BASIS_SIZE];
    PM_OF(basis)(pm_reals_of(u), basis);
    pm_quat value = PM_OF(at)(&segment, basis);
#if PM_PASSES
    value = pm_at_ends(&data, pm_reals_of(u), value, PM_PASSES);
#endif
#endif
#if PM_COMPONENTS == 4
    value = pm_quat_scaled(value, pm_reals_of(sign));
#endif
    pm_store_values(values + values_offset + (pm_u64)first * PM_COMPONENTS, value,
                    value_count - first, streams);
}
