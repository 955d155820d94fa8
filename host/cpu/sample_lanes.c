/* SPDX-License-Identifier: MIT
 *
 * Samples that each have their own track and position, as gather.cl: (track, time) pairs, derivatives, and
 * values whose keys walks do not read. Their keys are gathered into lanes, and are on their way while those of
 * the samples before them are computed. Compiled once for each instruction set.
 */
#include "lanes.h"

#include "sample_lanes.h"

extern const pm_sample_lanes_function PM_SET_NAME(pm_sample_lanes);

/* Samples in lanes, in the order of items. */
typedef struct lane_samples {
    pm_lane_side side;
    float signs[PM_LANES];
} lane_samples;

/* An output, and the place of its next sample in a grid. */
typedef struct output_walk {
    const pm_sample_request *request;
    const pm_output *output;
    const pm_channel *channel;
    const pm_curve *curve;
    const pm_cursor *cursors;
    size_t count, next, sample;
    pm_u32 track;
} output_walk;

/* The keys of a lane, and what is stored beside them. */
static inline void prefetch(const output_walk *w, const pm_track_layout *at, size_t key) {
    if (w->channel->format != PM_KEYS_FLOAT32)
        return; /* they are few bytes */
    const float *keys = (const float *)w->channel->keys + key;
    __builtin_prefetch(keys);
    __builtin_prefetch(keys + at->row);
    for (unsigned e = 1; e <= w->curve->coefficients; e++)
        __builtin_prefetch(keys + e * (size_t)at->plane);
    if (w->curve->four_keys) {
        __builtin_prefetch(keys - at->row);
        __builtin_prefetch(keys + 2 * (size_t)at->row);
    }
}

static inline void set_lane(const output_walk *w, pm_u32 track, pm_cursor cursor, size_t lane,
                            lane_samples *to) {
    const pm_clip_data *clip = w->request->clip;
    const pm_track_layout *at = &w->channel->layout[track];
    const unsigned c = w->output->channel;
    const pm_u32 segment = cursor.segment & PM_CURSOR_SEGMENT;
    const size_t key = at->first + (size_t)segment * at->row;
    to->side.key[c][lane] = key;
    to->side.next[c][lane] = key + at->row;
    to->side.plane[c][lane] = at->plane;
    to->side.constants[lane] = 4 * (size_t)track;
    to->side.constant_plane[lane] = 4 * clip->padded_tracks;
    to->side.spacing[lane] = PM_SPACING_FLOATS * (size_t)(at->rates + segment);
    to->side.u[lane] = cursor.u;
    to->side.rates[lane] =
        cursor.segment & PM_CURSOR_AT_REST ? 0.0f : clip->rates[at->rates + segment];
    to->signs[lane] = cursor.segment & PM_CURSOR_ODD_LAP ? at->wrap : 1.0f;
    prefetch(w, at, key);
}

/* The next PM_LANES samples. Lanes behind the last one repeat it. */
static inline void next_samples(output_walk *w, lane_samples *to) {
    const pm_sample_request *r = w->request;
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u32 track = r->tracks ? r->tracks[w->next] : w->track;
        const size_t row = r->tracks ? 0 : w->channel->layout[track].timeline * r->sample_count;
        set_lane(w, track, w->cursors[row + w->sample], PM_LANE_OF(i), to);
        if (w->next + 1 == w->count)
            continue;
        w->next++;
        w->track = w->track + 1 < r->width ? w->track + 1 : 0;
        w->sample += w->track == 0;
    }
}

/* The lanes of the next samples are filled before those of the present ones are computed. */
PM_FLAT static void run(const pm_sample_request *request, unsigned o, const pm_cursor *cursors,
                        bool streams) {
    const pm_output *output = &pm_outputs[o];
    const pm_channel *channel = &request->clip->channels[output->channel];
    output_walk w = {.request = request,
                     .output = output,
                     .channel = channel,
                     .curve = &pm_curves[channel->impl.curve],
                     .cursors = cursors,
                     .count = request->sample_count * request->width};
    lane_samples lanes[2];
    float *to = request->outputs[o];
    if (w.count > 0)
        next_samples(&w, &lanes[0]);
    for (size_t k = 0, n = 0; k < w.count; k += PM_LANES, n ^= 1) {
        const pm_u32 count = w.count - k < PM_LANES ? (pm_u32)(w.count - k) : PM_LANES;
        pm_quat value;
        if (k + PM_LANES < w.count)
            next_samples(&w, &lanes[n ^ 1]);
        PM_SET_NAME(pm_lanes_sample_clip)
        (channel, &lanes[n].side, output, request->parent_frame, &value);
        if (output->components == 4)
            pm_store_items(to + 4 * k, pm_quat_scaled(value, pm_reals_of(lanes[n].signs)), count,
                           streams);
        else
            pm_store_vector_items(to + 3 * k, value, count, streams);
    }
#ifdef __AVX__
    _mm_sfence();
#endif
}

const pm_sample_lanes_function PM_SET_NAME(pm_sample_lanes) = run;
