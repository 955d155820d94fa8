/* SPDX-License-Identifier: MIT
 *
 * Samples of all tracks on a common timeline. A work-item takes a track and walks a run of samples.
 */
#include "pm_walk.h"

/* Work size: (tracks, runs of `run` samples). `keys`, `constants` and `wraps` are
 * padded to whole groups of 16 tracks, plane_floats apart. */
pm_kernel void walk(pm_global const pm_stored_key *restrict keys,
                    pm_global const float *restrict constants,
                    pm_global const float *restrict wraps,
                    pm_global const pm_cursor *restrict cursors, pm_global float *restrict values,
                    pm_u64 values_offset, pm_u32 plane_floats, pm_u32 track_count,
                    pm_u32 sample_count, pm_u32 run) {
    pm_u32 track = pm_global_id(0);
    pm_u32 sample = pm_group_row() * run;
    if (track >= track_count || sample >= sample_count)
        return;
    pm_u32 end = sample_count - sample < run ? sample_count : sample + run;
    pm_global float *to = values + values_offset + sample * (pm_u64)track_count * PM_COMPONENTS;
    pm_walk_run(keys, constants, wraps, cursors, to, plane_floats, track_count, track, track + 1,
                sample, end, 0);
}
