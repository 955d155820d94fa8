/* SPDX-License-Identifier: MIT
 *
 * Samples of all tracks at shared places: a work-item takes PM_LANES neighbouring
 * tracks and walks a run of samples, loading a segment only when the run enters it.
 */
#include "pm_keys.h"
#include "pm_methods.h"

/* Everything of a segment. Plane p of key row i is at (i planes + p) plane_floats; `row` is
 * that of its first key. */
pm_fn void pm_walk_load(pm_segment_data *data, pm_global const pm_stored_key *keys, pm_u64 row,
                        pm_global const float *constants, pm_u32 plane_floats) {
    data->key = pm_load_keys(keys, row);
    data->next = pm_load_keys(keys, row + (1 + PM_COEFFICIENTS) * plane_floats);
#if PM_COEFFICIENTS > 0
    data->coefficients[0] = pm_load_quats(keys + row + plane_floats);
#endif
#if PM_COEFFICIENTS > 1
    data->coefficients[1] = pm_load_quats(keys + row + 2 * plane_floats);
#endif
#if PM_COEFFICIENTS > 2
    data->coefficients[2] = pm_load_quats(keys + row + 3 * plane_floats);
#endif
#if PM_COEFFICIENTS > 3
    data->coefficients[3] = pm_load_quats(keys + row + 4 * plane_floats);
#endif
#if PM_CONSTANTS > 0
    data->constants[0] = pm_load_quats(constants);
#endif
#if PM_CONSTANTS > 1
    data->constants[1] = pm_load_quats(constants + plane_floats);
#endif
    (void)constants;
}

/* Rows are asked for while the segment before is at work: processors see that a few hundred
 * bytes, a row's length apart or anywhere, will be wanted too late. */
#define PM_PLANES_AHEAD (2 + PM_COEFFICIENTS) /* the next segment's, and its second key */

/* Of those planes, the ones from `plane` up to `end`; returns the first that is left. A few at
 * each sample: all at once are more lines than a core can wait for. */
pm_fn pm_u32 pm_walk_prefetch(pm_global const pm_stored_key *keys, pm_u64 row, pm_u32 plane_floats,
                              pm_u32 plane, pm_u32 end) {
    for (; plane < end && plane < PM_PLANES_AHEAD; plane++)
        pm_prefetch_keys(keys, row + plane * plane_floats);
    return plane;
}

#if PM_TRIES && PM_LANES > 1
/* A sample whose try failed in some lane, from the beginning: nothing is kept at hand for it. */
pm_rare_fn pm_quat pm_walk_again(pm_global const pm_stored_key *keys, pm_u64 row,
                                 pm_global const float *constants, pm_u32 plane_floats, float u) {
    pm_segment_data data;
    pm_walk_load(&data, keys, row, constants, plane_floats);
    PM_OF(segment) curve = PM_OF(begin)(&data);
    return PM_OF(at)(&curve, PM_REAL(u));
}
#endif

/* The first sample at or after `sample` that lies in another segment. */
pm_fn pm_u32 pm_walk_segment_end(pm_global const pm_cursor *cursors, pm_u32 sample, pm_u32 end) {
    pm_u32 segment = cursors[sample].segment;
    while (++sample < end && cursors[sample].segment == segment)
        ;
    return sample;
}

/* On odd laps of a loop a track may show its other sign. */
pm_fn void pm_walk_store(pm_global float *to, pm_quat value, pm_global const float *wraps,
                         pm_u32 odd_lap, pm_u32 count, pm_u32 streams) {
#if PM_COMPONENTS == 4
    if (odd_lap)
        value = pm_quat_scaled(value, pm_load_reals(wraps));
#else
    (void)wraps;
    (void)odd_lap;
#endif
    pm_store_values(to, value, count, streams);
}

/* Work size: (spans of `span` groups of PM_LANES tracks, runs of `run` samples). Within a
 * run, the samples of a segment are done for all groups of the span before the next
 * segment: what is written together lies together. `keys`, `statics` and `wraps` are
 * padded to whole groups of 16 tracks, plane_floats apart. */
pm_kernel void walk(pm_global const pm_stored_key *keys, pm_global const float *constants,
                    pm_global const float *wraps, pm_global const pm_cursor *cursors,
                    pm_global float *values, pm_u64 values_offset, pm_u32 plane_floats,
                    pm_u32 track_count, pm_u32 sample_count, pm_u32 span, pm_u32 run,
                    pm_u32 streams) {
    pm_u32 first = pm_global_id(0) * span * PM_LANES;
    pm_u32 sample = pm_global_id(1) * run;
    if (first >= track_count || sample >= sample_count)
        return;
    pm_u32 last = track_count - first < span * PM_LANES ? track_count : first + span * PM_LANES;
    pm_u32 run_end = sample_count - sample < run ? sample_count : sample + run;
    pm_global float *to = values + values_offset;
    pm_u64 row_floats = (1 + PM_COEFFICIENTS) * (pm_u64)plane_floats;
    pm_u64 sample_floats = (pm_u64)track_count * PM_COMPONENTS;
    while (sample < run_end) {
        pm_u32 end = pm_walk_segment_end(cursors, sample, run_end);
        pm_u32 segment = cursors[sample].segment & PM_CURSOR_SEGMENT;
        pm_u32 odd_lap = cursors[sample].segment & PM_CURSOR_ODD_LAP;
        pm_u32 ahead = cursors[end < run_end ? end : sample].segment & PM_CURSOR_SEGMENT;
        for (pm_u32 track = first; track < last; track += PM_LANES) {
            pm_u64 row = 4 * (pm_u64)track + segment * row_floats;
            pm_global float *out = to + sample * sample_floats + track * PM_COMPONENTS;
            pm_segment_data data;
            pm_u64 next_row = 4 * (pm_u64)track + ahead * row_floats;
            pm_u32 plane = 0;
#if PM_PASSES
            if (end == sample + 1 && cursors[sample].u == 0.0f) { /* nothing else of it is wanted */
                pm_walk_prefetch(keys, next_row, plane_floats, 0, 1);
                pm_walk_store(out, pm_load_keys(keys, row), wraps + track, odd_lap,
                              track_count - track, streams);
                continue;
            }
#endif
            pm_walk_load(&data, keys, row, constants + 4 * track, plane_floats);
            PM_OF(segment) curve = PM_OF(begin)(&data);
            for (pm_u32 k = sample; k < end; k++, out += sample_floats) {
                float u = cursors[k].u;
                plane = pm_walk_prefetch(keys, next_row, plane_floats, plane, plane + 2);
                pm_quat value;
#if PM_PASSES /* u is the same for all lanes: a branch is free */
                if (u == 0.0f) {
                    value = data.key;
                } else if (u == 1.0f) {
                    value = data.next;
                } else
#endif
                {
#if PM_TRIES && PM_LANES > 1
                    pm_mask failed;
                    value = PM_OF(try)(&curve, PM_REAL(u), &failed);
                    if (pm_any(failed))
                        value = pm_walk_again(keys, row, constants + 4 * track, plane_floats, u);
#else
                    value = PM_OF(at)(&curve, PM_REAL(u));
#endif
                }
                pm_walk_store(out, value, wraps + track, odd_lap, track_count - track, streams);
            }
            pm_walk_prefetch(keys, next_row, plane_floats, plane, PM_PLANES_AHEAD);
        }
        sample = end;
    }
}
