/* SPDX-License-Identifier: MIT
 *
 * Samples that each have their own track and position, as gather.cl: (track, time) pairs, derivatives, and
 * values whose keys walks do not read. Their keys are gathered into lanes, and are on their way while those of
 * the samples before them are computed. Compiled once for each instruction set.
 */
#include "lanes.h"

#include "sample_lanes.h"

extern const pm_sample_lanes_function PM_SET_NAME(pm_sample_lanes);

/* The places of samples in lanes, and the signs of their values. */
typedef struct lane_samples {
    pm_lane_side side;
    float signs[PM_LANES];
    bool any_sign; /* some value's sign may change */
} lane_samples;

/* An output, and the place of its next sample in a grid. */
typedef struct output_walk {
    const pm_lane_job *job;
    const pm_sample_request *request;
    const pm_output *output;
    const pm_channel *channel;
    const pm_curve *curve;
    bool prefetches;
    size_t count, sample;
    pm_u32 track;
} output_walk;

/* Samples in the order of items. */
typedef struct item_samples {
    pm_u32 tracks[PM_LANES];
    pm_cursor cursors[PM_LANES];
} item_samples;

/* PM_LANES samples from number k on. Those behind the last one repeat it. */
static inline void find_pairs(const output_walk *w, size_t k, item_samples *to) {
    const size_t count = w->count - k;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t n = count >= PM_LANES || i < count ? k + i : w->count - 1;
        to->tracks[i] = w->request->tracks[n];
        to->cursors[i] = w->job->cursors[n];
    }
}

/* The next samples of a grid, likewise. */
static inline void find_in_grid(output_walk *w, item_samples *to) {
    const pm_sample_request *r = w->request;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t row = w->channel->layout[w->track].timeline * r->sample_count;
        to->tracks[i] = w->track;
        to->cursors[i] = w->job->cursors[row + w->sample];
        const bool ends = w->track + 1 == r->width;
        if (ends && w->sample + 1 == r->sample_count)
            continue;
        w->track = ends ? 0 : w->track + 1;
        w->sample += ends;
    }
}

/* Where keys are, and what is stored beside them: as much as the curve and the output read. Loops of their own,
 * because registers hold the addresses of few arrays. */
static inline void set_lanes(const output_walk *w, const item_samples *items, lane_samples *to) {
    const pm_clip_data *clip = w->request->clip;
    const pm_track_layout *layout = w->channel->layout;
    const unsigned c = w->output->channel;
    pm_u32 segments[PM_LANES], words = 0;
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_track_layout *at = &layout[items->tracks[i]];
        const pm_u32 word = items->cursors[i].segment, segment = word & PM_CURSOR_SEGMENT;
        const size_t lane = PM_LANE_OF(i), key = at->first + (size_t)segment * at->row;
        to->side.key[c][lane] = key;
        to->side.next[c][lane] = key + at->row;
        to->side.u[lane] = items->cursors[i].u;
        segments[i] = at->rates + segment;
        words |= word;
    }
    to->any_sign = w->output->components == 4 && words & PM_CURSOR_ODD_LAP;
    for (size_t i = 0; i < PM_LANES && to->any_sign; i++)
        to->signs[PM_LANE_OF(i)] =
            items->cursors[i].segment & PM_CURSOR_ODD_LAP ? layout[items->tracks[i]].wrap : 1.0f;
    for (size_t i = 0; i < PM_LANES && w->output->order > 0; i++)
        to->side.rates[PM_LANE_OF(i)] =
            items->cursors[i].segment & PM_CURSOR_AT_REST ? 0.0f : clip->rates[segments[i]];
    for (size_t i = 0; i < PM_LANES && w->curve->coefficients > 0; i++)
        to->side.plane[c][PM_LANE_OF(i)] = layout[items->tracks[i]].plane;
    for (size_t i = 0; i < PM_LANES && w->curve->four_keys; i++)
        to->side.spacing[PM_LANE_OF(i)] = PM_SPACING_FLOATS * (size_t)segments[i];
    for (size_t i = 0; i < PM_LANES && w->curve->constants > 0; i++) {
        to->side.constants[PM_LANE_OF(i)] = 4 * (size_t)items->tracks[i];
        to->side.constant_plane[PM_LANE_OF(i)] = 4 * clip->padded_tracks;
    }
}

/* The float32 keys of the lanes, and what is stored beside them. */
static inline void prefetch(const output_walk *w, const lane_samples *lanes) {
    const unsigned c = w->output->channel;
    for (size_t i = 0; i < PM_LANES; i++) {
        const float *key = (const float *)w->channel->keys + lanes->side.key[c][i];
        const size_t row = lanes->side.next[c][i] - lanes->side.key[c][i];
        __builtin_prefetch(key);
        __builtin_prefetch(key + row);
        for (unsigned e = 1; e <= w->curve->coefficients; e++)
            __builtin_prefetch(key + e * lanes->side.plane[c][i]);
        if (w->curve->four_keys) {
            __builtin_prefetch(key - row);
            __builtin_prefetch(key + 2 * row);
        }
    }
}

static inline void find_samples(output_walk *w, size_t k, lane_samples *to) {
    item_samples items;
    if (w->request->tracks)
        find_pairs(w, k, &items);
    else
        find_in_grid(w, &items);
    set_lanes(w, &items, to);
    if (w->prefetches)
        prefetch(w, to);
}

/* Keys below this size are in the caches soon. */
enum { PREFETCHED_BYTES = 1 << 21 };

static inline output_walk walk_of(const pm_lane_job *job) {
    const pm_output *output = &pm_outputs[job->output];
    const pm_channel *channel = &job->request->clip->channels[output->channel];
    output_walk w = {.job = job,
                     .request = job->request,
                     .output = output,
                     .channel = channel,
                     .curve = &pm_curves[channel->impl.curve]};
    w.prefetches = channel->format == PM_KEYS_FLOAT32 && channel->key_bytes >= PREFETCHED_BYTES;
    w.count = job->request->sample_count * job->request->width;
    return w;
}

/* The lanes of the next samples are filled before those of the present ones are computed. */
PM_FLAT static void run(const pm_lane_job *job) {
    output_walk w = walk_of(job);
    lane_samples lanes[2];
    if (w.count > 0)
        find_samples(&w, 0, &lanes[0]);
    for (size_t k = 0, n = 0; k < w.count; k += PM_LANES, n ^= 1) {
        const pm_u32 count = w.count - k < PM_LANES ? (pm_u32)(w.count - k) : PM_LANES;
        float *to = job->to + w.output->components * k;
        pm_quat value;
        if (k + PM_LANES < w.count)
            find_samples(&w, k + PM_LANES, &lanes[n ^ 1]);
        PM_SET_NAME(pm_lanes_sample_clip)
        (w.channel, &lanes[n].side, w.output, job->request->parent_frame, &value);
        if (lanes[n].any_sign)
            value = pm_quat_scaled(value, pm_reals_of(lanes[n].signs));
        if (w.output->components == 4)
            pm_store_items(to, value, count, job->streams);
        else
            pm_store_vector_items(to, value, count, job->streams);
    }
#ifdef __AVX__
    _mm_sfence();
#endif
}

const pm_sample_lanes_function PM_SET_NAME(pm_sample_lanes) = run;
