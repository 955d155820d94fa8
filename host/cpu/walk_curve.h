/* SPDX-License-Identifier: MIT
 *
 * The walks of one curve, that of PM_METHOD: the kernels' own, in lanes of tracks; and the samples of a
 * track in lanes, for tracks that are few or have timelines of their own. Where samples share segments, lanes
 * first have neighbouring segments, and compute what the samples of each share.
 * Included once for each curve, as kernels/pm_walk.h is: it has no guard.
 */
#include "kernels/pm_walk.h"

#define walk_keys PM_OF(walk_keys)
#define walk_segments PM_OF(walk_segments)
#define walk_components PM_OF(walk_components)
#define walk_plan PM_OF(walk_plan)
#define walk_plan_of PM_OF(walk_plan_of)
#define walk_value PM_OF(walk_value)
#define walk_signed PM_OF(walk_signed)
#define walk_apart PM_OF(walk_apart)
#define walk_near PM_OF(walk_near)
#define walk_block PM_OF(walk_block)
#define walk_next PM_OF(walk_next)
#define walk_tracks PM_OF(walk_tracks)

enum { walk_components = PM_COMPONENTS };

/* The keys of the segments of the items in the lanes, which are counted from `base`. */
static inline void walk_keys(const pm_walk *w, pm_u32 track, pm_u32 base, const item_segments *at,
                             bool with_next, pm_segment_data *data) {
    const pm_track_layout *layout = &w->layout[track];
    const float *keys = w->keys + layout->first + base * (size_t)layout->row;
    data->key = gather_items(keys, layout->row, at);
    data->next = with_next ? gather_items(keys + layout->row, layout->row, at) : data->key;
}

/* All of the segments. */
static inline void walk_segments(const pm_walk *w, pm_u32 track, pm_u32 base,
                                 const item_segments *at, pm_segment_data *data) {
    const pm_track_layout *layout = &w->layout[track];
    const float *keys = w->keys + layout->first + base * (size_t)layout->row;
    walk_keys(w, track, base, at, true, data);
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
#if PM_FOUR_KEYS
    data->coefficients[0] = gather_items(keys - layout->row, layout->row, at);
    data->coefficients[1] = gather_items(keys + 2 * (size_t)layout->row, layout->row, at);
    gather_spacing(w->constants + PM_SPACING_FLOATS * ((size_t)layout->rates + base), at, data);
#endif
#if PM_CONSTANTS > 0
    data->constants[0] = same_items(w->constants + 4 * (size_t)track);
#endif
#if PM_CONSTANTS > 1
    data->constants[1] = same_items(w->constants + 4 * (w->padded_tracks + track));
#endif
    (void)keys;
}

/* The samples of a block on one timeline, PM_LANES at a time. Those from one on are `near` each other if
 * PM_LANES segments one after another have them all. */
typedef struct walk_plan {
    pm_u32 base;  /* from which segments are counted: a block that repeats another only moves it */
    pm_u32 count; /* of PM_LANES samples; the last may be fewer */
    lane_cursors at[LANE_BLOCKS];
    real bases[LANE_BLOCKS][PM_BASIS_SIZE];
    pm_u32 near[LANE_BLOCKS];  /* how many follow that are, itself included */
    int32_t last[LANE_BLOCKS]; /* their highest segment */
} walk_plan;

static inline void walk_plan_of(const sample_block *block, pm_u32 count, walk_plan *plan) {
    plan->base = 0;
    plan->count = (count + PM_LANES - 1) / PM_LANES;
    for (pm_u32 i = 0; i < plan->count; i++) {
        plan->at[i] = lane_cursors_of(block, i * PM_LANES);
        PM_OF(basis)(plan->at[i].u, plan->bases[i]);
    }
    for (pm_u32 i = 0, n; i < plan->count; i += n) {
        const int32_t first = plan->at[i].segments[0];
        pm_mask highest = plan->at[i].segments;
        for (n = 0; i + n < plan->count && are_near(plan->at[i + n].segments, first); n++)
            highest = higher(highest, plan->at[i + n].segments);
        n = n > 0 ? n : 1;
        plan->near[i] = n;
        plan->last[i] = highest_of(highest);
    }
}

/* Flips the signs of a track's samples in odd laps where its wrap is -1. */
static inline pm_quat walk_signed(const pm_walk *w, pm_u32 track, const lane_cursors *at,
                                  pm_quat value) {
    if (PM_COMPONENTS == 4 && at->any_odd)
        value = pm_quat_scaled(value,
                               pm_select(at->odd, PM_REAL(w->layout[track].wrap), PM_REAL(1.0f)));
    return value;
}

static inline pm_quat walk_value(const pm_walk *w, pm_u32 track, const lane_cursors *at,
                                 const real *basis, const PM_OF(segment) * curve,
                                 const pm_segment_data *ends) {
#if PM_HAS_FAST_PATH
    pm_mask failed;
    pm_quat value = PM_OF(fast)(curve, basis, &failed);
    if (pm_any(failed))
        value = PM_OF(at)(curve, basis);
#else
    pm_quat value = PM_OF(at)(curve, basis);
#endif
#if PM_PASSES
    value = pm_at_ends(ends, at->u, value, PM_PASSES);
#endif
    (void)ends;
    return walk_signed(w, track, at, value);
}

/* PM_LANES samples, each with a segment of its own. Only keys are read where all lie on them. */
static inline pm_quat walk_apart(const pm_walk *w, pm_u32 track, const walk_plan *plan, pm_u32 i) {
    const lane_cursors *at = &plan->at[i];
    const item_segments segments = segments_of(at->segments);
    pm_segment_data data;
#if PM_PASSES
    if (!at->any_between) {
        walk_keys(w, track, plan->base, &segments, at->any_on_next, &data);
        return walk_signed(w, track, at, pm_at_ends(&data, at->u, data.key, PM_PASSES));
    }
#endif
    walk_segments(w, track, plan->base, &segments, &data);
    const PM_OF(segment) curve = PM_OF(begin)(&data);
    return walk_value(w, track, at, plan->bases[i], &curve, &data);
}

/* Samples that are near each other: lane i has segment `first` + i, for all of them. The last lane has the
 * last segment that they need, unless fewer segments precede it: then the lanes behind it repeat it. */
static inline void walk_near(const pm_walk *w, pm_u32 track, const walk_plan *plan, pm_u32 begin,
                             pm_u32 count, float *to) {
    const size_t stride = PM_COMPONENTS * (size_t)w->track_count;
    const pm_u32 end = begin + plan->near[begin];
    const pm_u32 last = plan->base + (pm_u32)plan->last[begin];
    const pm_u32 start = last < PM_LANES ? 0 : last - (PM_LANES - 1);
    const int32_t first = (int32_t)(start - plan->base);
    const pm_mask numbers = PM_IN_ORDER(PM_NUMBERS), most = PM_BITS((int32_t)last);
    pm_segment_data data, ends;
    PM_OF(segment) curve;
    if (last >= PM_LANES - 1) { /* at constant distances */
        const item_segments segments = segments_of(numbers);
        walk_segments(w, track, start, &segments, &data);
    } else {
        const item_segments segments = segments_of(pm_bits_select(numbers > most, most, numbers));
        walk_segments(w, track, start, &segments, &data);
    }
    const PM_OF(segment) curves = PM_OF(begin)(&data);
    for (pm_u32 i = begin; i < end; i++) {
        const lane_cursors *at = &plan->at[i];
        const pm_mask from = PM_IN_LANES(at->segments) - first;
        for (size_t v = 0; v < sizeof curve / sizeof(real); v++)
            ((real *)&curve)[v] = spread(((const real *)&curves)[v], from);
        if (PM_PASSES && at->any_on_key) {
            ends.key = spread_quat(data.key, from);
            ends.next = at->any_on_next ? spread_quat(data.next, from) : ends.key;
        }
        const pm_u32 sample = i * PM_LANES;
        store_apart(to + sample * stride, walk_value(w, track, at, plan->bases[i], &curve, &ends),
                    PM_COMPONENTS, count - sample, stride);
    }
}

/* `count` samples of all tracks, from `sample` on: of `plan` if the map locates them. */
static inline void walk_block(const pm_walk *w, walk_plan *plan, pm_u32 sample, pm_u32 count,
                              float *to) {
    const size_t stride = PM_COMPONENTS * (size_t)w->track_count;
    pm_u32 timeline = UINT32_MAX;
    sample_block block;
    for (pm_u32 t = 0; t < w->track_count; t++, to += PM_COMPONENTS) {
        if (w->map.scale == 0 && w->layout[t].timeline != timeline) {
            timeline = w->layout[t].timeline;
            read_block(w->cursors + timeline * w->cursor_row + sample, count, &block);
            walk_plan_of(&block, count, plan);
        }
        for (pm_u32 i = 0; i < plan->count; i += plan->near[i]) {
            const pm_u32 k = i * PM_LANES;
            if (plan->near[i] > 1)
                walk_near(w, t, plan, i, count, to);
            else
                store_apart(to + k * stride, walk_apart(w, t, plan, i), PM_COMPONENTS, count - k,
                            stride);
        }
    }
}

/* The samples of the next block by the map. One that repeats the block before moves its segments. */
static inline void walk_next(const pm_walk *w, pm_places *places, pm_u32 count, bool *repeated,
                             walk_plan *plan) {
    const bool again = repeats(w->map, places);
    if (again && *repeated && count == PM_WALK_BLOCK) {
        plan->base += move_places(places);
        return;
    }
    sample_block block;
    locate_block(w->map, again, places, &block);
    walk_plan_of(&block, count, plan);
    *repeated = again;
}

/* Block of samples by block. Those of few tracks go past the caches as a whole. */
static inline void walk_tracks(const pm_walk *w, pm_u32 begin, pm_u32 end) {
    const size_t stride = PM_COMPONENTS * (size_t)w->track_count;
    const bool streams = w->streams && w->track_count < PM_STREAMED_TRACKS;
    bool repeated = false;
    walk_plan plan;
    pm_places places;
    line_stream stream;
    if (w->map.scale > 0)
        pm_walk_begin(w->map, begin, &places);
    if (streams)
        stream_begin(w->to + begin * stride, &stream);
    for (pm_u32 sample = begin; sample < end; sample += PM_WALK_BLOCK) {
        const pm_u32 count = end - sample < PM_WALK_BLOCK ? end - sample : PM_WALK_BLOCK;
        if (w->map.scale > 0)
            walk_next(w, &places, count, &repeated, &plan);
        walk_block(w, &plan, sample, count,
                   streams ? stream.values + stream.before : w->to + sample * stride);
        if (streams)
            stream_values(&stream, count * stride);
    }
    if (streams)
        stream_end(&stream);
}
