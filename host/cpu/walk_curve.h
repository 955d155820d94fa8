/* SPDX-License-Identifier: MIT
 *
 * The walks of one curve, that of PM_METHOD: the kernels' own, in lanes of tracks; and the samples of a
 * track in lanes, each with its own segment, for tracks that are few or have timelines of their own.
 * Included once for each curve, as kernels/pm_walk.h is: it has no guard.
 */
#include "kernels/pm_walk.h"

#define walk_segments PM_OF(walk_segments)
#define walk_values PM_OF(walk_values)
#define walk_group PM_OF(walk_group)
#define walk_tracks PM_OF(walk_tracks)

/* The segments of the samples in the lanes. */
static inline void walk_segments(const pm_walk *w, pm_u32 track, const lane_cursors *at,
                                 pm_segment_data *data) {
    const pm_track_layout *layout = &w->layout[track];
    const float *keys = w->keys + layout->first;
    data->key = gather_items(keys, layout->row, at);
    data->next = gather_items(keys + layout->row, layout->row, at);
#if PM_COEFFICIENTS > 0
    data->coefficients[0] = gather_items(keys + layout->plane, layout->row, at);
#endif
#if PM_COEFFICIENTS > 1
    data->coefficients[1] = gather_items(keys + 2 * (size_t)layout->plane, layout->row, at);
#endif
#if PM_COEFFICIENTS > 2
    data->coefficients[2] = gather_items(keys + 3 * (size_t)layout->plane, layout->row, at);
#endif
#if PM_COEFFICIENTS > 3
    data->coefficients[3] = gather_items(keys + 4 * (size_t)layout->plane, layout->row, at);
#endif
#if PM_CONSTANTS > 0
    data->constants[0] = same_items(w->constants + 4 * (size_t)track);
#endif
#if PM_CONSTANTS > 1
    data->constants[1] = same_items(w->constants + 4 * (w->padded_tracks + track));
#endif
}

static inline pm_quat walk_values(const pm_walk *w, pm_u32 track, const lane_cursors *at,
                                  const real *basis) {
    pm_segment_data data;
    walk_segments(w, track, at, &data);
    const PM_OF(segment) curve = PM_OF(begin)(&data);
#if PM_HAS_FAST_PATH
    pm_mask failed;
    pm_quat value = PM_OF(fast)(&curve, basis, &failed);
    if (pm_any(failed))
        value = PM_OF(at)(&curve, basis);
#else
    pm_quat value = PM_OF(at)(&curve, basis);
#endif
#if PM_PASSES
    value = pm_at_ends(&data, at->u, value, PM_PASSES);
#endif
    if (PM_COMPONENTS == 4 && at->any_odd)
        value = pm_quat_scaled(value,
                               pm_select(at->odd, PM_REAL(w->layout[track].wrap), PM_REAL(1.0f)));
    return value;
}

/* The first `count` of PM_LANES samples of all tracks. `cursors` has those of the first timeline. */
static inline void walk_group(const pm_walk *w, const pm_cursor *cursors, pm_u32 count, float *to) {
    const size_t stride = PM_COMPONENTS * (size_t)w->track_count;
    real basis[PM_BASIS_SIZE];
    lane_cursors at = {.timeline = UINT32_MAX};
    for (pm_u32 t = 0; t < w->track_count; t++, to += PM_COMPONENTS) {
        if (w->layout[t].timeline != at.timeline) {
            at = lane_cursors_of(cursors + w->layout[t].timeline * w->cursor_row, count);
            at.timeline = w->layout[t].timeline;
            PM_OF(basis)(at.u, basis);
        }
        store_apart(to, walk_values(w, t, &at, basis), PM_COMPONENTS, count, stride);
    }
}

/* Block of samples by block. Those of few tracks go past the caches as a whole. */
static inline void walk_tracks(const pm_walk *w, pm_u32 begin, pm_u32 end) {
    const size_t stride = PM_COMPONENTS * (size_t)w->track_count;
    const bool streams = w->streams && w->track_count < PM_STREAMED_TRACKS;
    float values[PM_WALK_BLOCK * PM_COMPONENTS * PM_STREAMED_TRACKS];
    pm_cursor block[PM_WALK_BLOCK + 1];
    pm_places places;
    if (w->map.scale > 0)
        pm_walk_begin(w->map, begin, &places);
    for (pm_u32 sample = begin; sample < end; sample += PM_WALK_BLOCK) {
        const pm_u32 count = end - sample < PM_WALK_BLOCK ? end - sample : PM_WALK_BLOCK;
        float *to = w->to + sample * stride;
        if (w->map.scale > 0)
            pm_walk_locate(w->map, &places, block);
        const pm_cursor *cursors = w->map.scale > 0 ? block : w->cursors + sample;
        for (pm_u32 k = 0; k < count; k += PM_LANES)
            walk_group(w, cursors + k, count - k, (streams ? values : to) + k * stride);
        if (streams)
            stream(to, values, count * stride);
    }
}
