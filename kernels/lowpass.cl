/* SPDX-License-Identifier: MIT
 *
 * Samples of all tracks on a common timeline through a low-pass. A work-item computes a sample of a track.
 */
#include "pm_lowpass.h"

#ifndef PM_COMPONENTS
#define PM_COMPONENTS 4
#endif

/* Work size: tracks, for each sample. `keys` has taps/2 keys before that of any
 * place, and as many behind it. */
pm_kernel void lowpass(pm_global const float *restrict keys,
                       pm_global const pm_lowpass_place *restrict places,
                       pm_global const float *restrict weights, pm_global float *restrict values,
                       pm_u64 values_offset, pm_u32 row_floats, pm_u32 taps, pm_u32 track_count,
                       pm_u32 sample_count) {
    pm_u32 sample = pm_global_id(0) / track_count;
    pm_u32 track = pm_global_id(0) - sample * track_count;
    if (sample >= sample_count)
        return;
    pm_lowpass_place place = places[sample];
    pm_lowpass_window w = pm_lowpass_window_at(keys, weights, place, row_floats, taps, track);
    pm_global float *to =
        values + values_offset + (sample * (pm_u64)track_count + track) * PM_COMPONENTS;
    pm_quat value = pm_lowpass_value(&w, place.u, PM_COMPONENTS);
#if PM_COMPONENTS == 4
    pm_store_items(to, value, 1, 0);
#else
    pm_store_vector_items(to, value, 1, 0);
#endif
}
