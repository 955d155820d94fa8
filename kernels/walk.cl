/* SPDX-License-Identifier: MIT
 *
 * Samples of all tracks at shared places: a work-item takes PM_LANES neighbouring
 * tracks and walks a run of samples, loading a segment only when the run enters it.
 */
#include "pm_keys.h"
#include "pm_methods.h"

/* Fills in what belongs to a segment, of the tracks whose keys in row 0 are at `first`. Plane p
 * of key row i is at (i planes + p) plane_floats. */
pm_fn void pm_walk_load(pm_rows *rows, pm_global const pm_stored_key *keys, pm_u64 first,
                        pm_u32 segment, pm_u32 plane_floats) {
    pm_u64 row = first + (pm_u64)segment * ((1 + PM_EXTRAS) * plane_floats);
    rows->key = pm_load_keys(keys, row);
    rows->next = pm_load_keys(keys, row + (1 + PM_EXTRAS) * plane_floats);
#if PM_EXTRAS > 0
    rows->extras[0] = pm_load_quats(keys + row + plane_floats);
#endif
#if PM_EXTRAS > 1
    rows->extras[1] = pm_load_quats(keys + row + 2 * plane_floats);
#endif
#if PM_EXTRAS > 2
    rows->extras[2] = pm_load_quats(keys + row + 3 * plane_floats);
#endif
#if PM_EXTRAS > 3
    rows->extras[3] = pm_load_quats(keys + row + 4 * plane_floats);
#endif
#if PM_EXTRAS > 4
    rows->extras[4] = pm_load_quats(keys + row + 5 * plane_floats);
#endif
}

/* The first sample at or after `sample` that lies in another segment. */
pm_fn pm_u32 pm_walk_segment_end(pm_global const pm_place *places, pm_u32 sample, pm_u32 end) {
    pm_u32 segment = places[sample].segment;
    while (++sample < end && places[sample].segment == segment)
        ;
    return sample;
}

/* Work size: (spans of `span` groups of PM_LANES tracks, runs of `run` samples). Within a
 * run, the samples of a segment are done for all groups of the span before the next
 * segment: what is written together lies together. `keys`, `statics` and `wraps` are
 * padded to whole groups of 16 tracks, plane_floats apart. */
pm_kernel void walk(pm_global const pm_stored_key *keys, pm_global const float *statics,
                    pm_global const float *wraps, pm_global const pm_place *places,
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
    while (sample < run_end) {
        pm_u32 end = pm_walk_segment_end(places, sample, run_end);
        pm_u32 segment = places[sample].segment & PM_PLACE_SEGMENT;
        pm_u32 odd_lap = places[sample].segment & PM_PLACE_ODD_LAP;
        for (pm_u32 track = first; track < last; track += PM_LANES) {
            pm_rows rows;
#if PM_STATICS > 0
            rows.statics[0] = pm_load_quats(statics + 4 * track);
#endif
#if PM_STATICS > 1
            rows.statics[1] = pm_load_quats(statics + plane_floats + 4 * track);
#endif
            pm_walk_load(&rows, keys, 4 * (pm_u64)track, segment, plane_floats);
            PM_OF(segment) curve = PM_OF(begin)(&rows);
            for (pm_u32 k = sample; k < end; k++) {
                float u = places[k].u;
                pm_quat value = PM_OF(at)(&curve, PM_REAL(u));
#if PM_PASSES
                if (u == 0.0f || u == 1.0f) /* the same for all lanes: a branch is free */
                    value = pm_at_ends(&rows, PM_REAL(u), value);
#endif
#if PM_COMPONENTS == 4
                if (odd_lap)
                    value = pm_quat_scaled(value, pm_load_reals(wraps + track));
#endif
                pm_store_values(to + ((pm_u64)k * track_count + track) * PM_COMPONENTS, value,
                                track_count - track, streams);
            }
        }
        sample = end;
    }
}
