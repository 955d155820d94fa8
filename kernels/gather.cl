/* SPDX-License-Identifier: MIT
 *
 * Samples that each have their own track and position: (track, time) pairs, tracks with
 * per-track timelines. velocity.cl and acceleration.cl include this file for derivatives by time.
 */
#include "pm_key_data.h"

/* The kernel's name, and the order of its derivative. */
#ifndef PM_GATHER
#define PM_GATHER gather
#define PM_ORDER 0
#endif

/* Work size: values. When `pairs` is set, value f is that of track tracks[f] at cursors[f]. Otherwise the values form a
 * grid: value f is sample f / track_count of track f % track_count, at cursors[timeline * sample_count + sample]. */
pm_kernel void PM_GATHER(pm_global const pm_stored_key *restrict keys,
                         pm_global const float *restrict constants,
                         pm_global const pm_track_layout *restrict layout,
                         pm_global const pm_cursor *restrict cursors,
                         pm_global const pm_u32 *restrict tracks, pm_global float *restrict values,
                         pm_u64 values_offset, pm_u32 constant_floats, pm_u32 track_count,
                         pm_u32 sample_count, pm_u32 value_count, pm_u32 pairs,
                         pm_global const float *restrict rates, pm_u32 parent) {
    pm_u32 f = pm_global_id(0);
    if (f >= value_count)
        return;
    pm_u32 sample = pairs ? f : f / track_count;
    pm_u32 track = pairs ? tracks[f] : f - sample * track_count;
    pm_track_layout at = layout[track];
    pm_cursor cursor = cursors[pairs ? f : (pm_u64)at.timeline * sample_count + sample];
    pm_u32 number = cursor.segment & PM_CURSOR_SEGMENT;
    float u = cursor.u;
    pm_segment_data data = pm_key_data(keys, constants, pm_track_address(at, number, u),
                                       4 * (pm_u64)track, constant_floats);
    PM_OF(segment) segment = PM_OF(begin)(&data);
#if PM_ORDER > 0
    float rate = cursor.segment & PM_CURSOR_AT_REST ? 0.0f : rates[at.rates + number];
#if PM_ORDER == 1
    pm_quat value = pm_angular_velocity(PM_OF(motion)(&segment, u), rate, parent);
#else
    pm_quat value = pm_angular_acceleration(PM_OF(motion)(&segment, u), rate, parent);
#endif
#else
    /* The basis comes after the segment: a long one holds registers that `begin` needs. */
    real basis[PM_BASIS_SIZE];
    PM_OF(basis)(u, basis);
    pm_quat value = PM_OF(at)(&segment, basis);
#if PM_PASSES
    value = pm_at_ends(&data, u, value, PM_PASSES);
#endif
#endif
#if PM_COMPONENTS == 4
    value = pm_quat_scaled(value, cursor.segment & PM_CURSOR_ODD_LAP ? at.wrap : 1.0f);
#endif
    pm_store_values(values + values_offset + (pm_u64)f * PM_COMPONENTS, value, 1, 0);
}
