/* SPDX-License-Identifier: MIT
 *
 * The rates of splines at the keys: of rotations those of a range, and of vectors those of a track.
 */
#include "pm_build.h"
#include "pm_spline_rates.h"
#include "pm_vector_spline_rates.h"

typedef char pm_rotations_have_their_bytes[PM_SPLINE_BYTES(true) == PM_SPLINE_KEY_BYTES ? 1 : -1];
typedef char
    pm_vectors_have_their_bytes[sizeof(pm_spline_factors) == PM_VECTOR_SPLINE_KEY_BYTES ? 1 : -1];

#if PM_COMPONENTS == 4

/* Reads the steps and rows of equations. */
pm_fn void pm_read_rows(const pm_spline *e, pm_global const float *planes,
                        pm_global const double *times, const pm_build_job *job,
                        const pm_build_track *track, double wrap) {
    const ptrdiff_t segments = (ptrdiff_t)track->segment_count;
    pm_window w;
    for (size_t k = 0; k < e->count; k++) {
        const ptrdiff_t at = e->first + (ptrdiff_t)k;
        const ptrdiff_t i = track->loop ? (at + segments) % segments : at;
        pm_look(&w, planes, times, job, track, wrap, i < segments ? i : segments - 1,
                PM_NEEDS_LOGS);
        if (i < segments)
            pm_spline_set_step(e, k, pm_window_log(&w, i));
        pm_spline_set_row(e, k, &w, i);
    }
}

/* Whether the range has rates. */
pm_fn bool pm_find_rates(pm_global dvec3 *rates, size_t stride, pm_global void *memory,
                         pm_global const float *planes, pm_global const double *times,
                         const pm_build_job *job, const pm_build_track *track, double wrap,
                         pm_u32 range) {
    const size_t from = (size_t)range * PM_RANGE;
    const size_t end =
        range + 1 == pm_ranges_of(track->key_count) ? track->key_count : from + PM_RANGE;
    pm_spline e = pm_spline_around(track->key_count, track->loop, from, end);
    pm_spline_place(&e, memory);
    e.active = ~dmask_none();
    pm_read_rows(&e, planes, times, job, track, wrap);
    pm_spline_solve(&e);
    for (size_t k = from; k < end; k++)
        rates[k * stride] = e.rates[e.core + k - from];
    return !dmask_any(pm_spline_left(&e));
}

#else

pm_fn bool pm_find_rates(pm_global dvec3 *rates, size_t stride, pm_global void *memory,
                         pm_global const float *planes, pm_global const double *times,
                         const pm_build_job *job, const pm_build_track *track, double wrap,
                         pm_u32 range) {
    pm_global pm_spline_factors *factors = (pm_global pm_spline_factors *)memory;
    const size_t keys = track->key_count, count = track->loop ? keys - 1 : keys;
    pm_spline_row row;
    pm_window w;
    (void)range;
    for (size_t k = 0; k < keys; k++) {
        const pm_s64 i = (pm_s64)(k < track->segment_count ? k : k - 1);
        pm_look(&w, planes, times, job, track, wrap, i, 0);
        row = pm_spline_row_of(&w, (ptrdiff_t)k, false);
        if (k < count)
            pm_vector_eliminate(&row, k, count, w.loop, factors, rates, stride);
    }
    pm_vector_substitute(&row, keys, w.loop, factors, rates, stride);
    return true;
}
#endif

/* Work size: tracks, for each range. `failure`: a range has no rates, or depends on others. */
pm_kernel void build_rates(pm_global double *restrict rates, pm_global pm_u8 *restrict memory,
                           pm_global const float *restrict planes,
                           pm_global const float *restrict wraps,
                           pm_global const double *restrict times,
                           pm_global const pm_build_track *restrict tracks,
                           pm_global pm_u32 *restrict failure, pm_build_job job) {
    pm_u32 index, range;
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &range, &track, &index) || range >= pm_ranges_of(track.key_count))
        return;
    pm_global dvec3 *to = (pm_global dvec3 *)rates + track.item;
    const size_t stride = (size_t)job.in.stride / 3;
    const double wrap = job.unrolls ? (double)wraps[index] : 1.0;
    pm_global void *own = memory + pm_global_id(0) * job.solver_bytes;
    if (track.loop || track.key_count > 2) {
        if (!pm_find_rates(to, stride, own, planes, times, &job, &track, wrap, range))
            *failure = 1;
        return;
    }
    pm_window w;
    pm_look(&w, planes, times, &job, &track, wrap, 0, PM_NEEDS_LOGS);
    for (pm_u32 k = 0; k < track.key_count; k++)
        to[k * stride] = pm_full_slope(&w, 0, PM_COMPONENTS == 4);
}
