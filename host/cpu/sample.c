/* SPDX-License-Identifier: MIT
 *
 * Sampling on the CPU: in lanes of tracks or of samples where a walk serves (walk.h), else in lanes of samples
 * that each have a track (sample_lanes.h); and one track at a time. The loops over tracks differ from the kernels' loops, so that comparing bits tests both.
 */
#include "cpu.h"

#include <stdatomic.h>

#include "kernels/pm_memory.h"
#include "kernels/pm_motion.h"
#include "sample_lanes.h"
#include "walk.h"

/* Consecutive samples of one track that share a segment. */
typedef struct run {
    const pm_segment_data *data;
    const pm_cursor *cursors;
    size_t count;
    float wrap;
    float rate;  /* 1/seconds of the segment */
    bool parent; /* derivatives in the parent's frame */
    float *to;
    size_t stride; /* floats from value to value */
} run;

static void put(const run *r, size_t k, pm_quat q, unsigned components) {
    float *to = r->to + k * r->stride;
    float sign = components == 4 && r->cursors[k].segment & PM_CURSOR_ODD_LAP ? r->wrap : 1.0f;
    to[0] = q.x * sign;
    to[1] = q.y * sign;
    to[2] = q.z * sign;
    if (components == 4)
        to[3] = q.w * sign;
}

#define PM_RUN(name)                                                                               \
    PM_CLONES static void run_##name(const run *r, unsigned components) {                          \
        pm_##name##_segment segment = pm_##name##_begin(r->data);                                  \
        for (size_t k = 0; k < r->count; k++) {                                                    \
            float u = r->cursors[k].u;                                                             \
            float basis[pm_##name##_basis_size];                                                   \
            pm_##name##_basis(u, basis);                                                           \
            pm_quat value = pm_##name##_at(&segment, basis);                                       \
            if (pm_##name##_passes)                                                                \
                value = pm_at_ends(r->data, u, value, pm_##name##_passes);                         \
            put(r, k, value, components);                                                          \
        }                                                                                          \
    }
PM_CURVES(PM_RUN)

#define PM_RUN_ROW(name) [PM_CURVE_##name] = run_##name,
static void (*const runs[PM_CURVE_COUNT])(const run *, unsigned) = {PM_CURVES(PM_RUN_ROW)};

static void put_derivative(const run *r, size_t k, pm_quat_jet q, unsigned order) {
    float rate = r->cursors[k].segment & PM_CURSOR_AT_REST ? 0.0f : r->rate;
    pm_quat v = order == 1 ? pm_angular_velocity(q, rate, r->parent)
                           : pm_angular_acceleration(q, rate, r->parent);
    float *to = r->to + k * r->stride;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

#define PM_MOTION_RUN(name)                                                                        \
    PM_CLONES static void motion_##name(const run *r, unsigned order) {                            \
        pm_##name##_segment segment = pm_##name##_begin(r->data);                                  \
        for (size_t k = 0; k < r->count; k++)                                                      \
            put_derivative(r, k, pm_##name##_motion(&segment, r->cursors[k].u), order);            \
    }
PM_ROTATION_CURVES(PM_MOTION_RUN)

#define PM_MOTION_ROW(name) [PM_CURVE_##name] = motion_##name,
static void (*const motions[PM_CURVE_COUNT])(const run *,
                                             unsigned) = {PM_ROTATION_CURVES(PM_MOTION_ROW)};

static pm_quat load(const float *from) {
    return pm_quat_of(from[0], from[1], from[2], from[3]);
}

static pm_quat load_key(const pm_channel *channel, pm_u64 at) {
    const float *floats = channel->keys;
    return channel->format == PM_KEYS_FLOAT32 ? load(floats + at)
                                              : pm_key_load(channel->format, channel->keys, at);
}

static void load_segment(const pm_clip_data *clip, const pm_channel *channel, size_t track,
                         pm_u32 segment, pm_segment_data *data) {
    const pm_curve *curve = &pm_curves[channel->impl.curve];
    const pm_track_layout *at = &channel->layout[track];
    const float *floats = channel->keys;
    size_t row = at->first + (size_t)segment * at->row;
    data->key = load_key(channel, row);
    data->next = load_key(channel, row + at->row);
    for (unsigned e = 0; e < curve->coefficients; e++)
        data->coefficients[e] = load(floats + row + (1 + e) * (size_t)at->plane);
    if (curve->four_keys) {
        const float *spacing =
            channel->constants + PM_SPACING_FLOATS * (size_t)(at->rates + segment);
        data->coefficients[0] = load_key(channel, row - at->row);
        data->coefficients[1] = load_key(channel, row + 2 * (size_t)at->row);
        pm_set_spacing(data, spacing[0], spacing[1]);
    }
    for (unsigned s = 0; s < curve->constants; s++)
        data->constants[s] = load(channel->constants + 4 * (s * clip->padded_tracks + track));
}

static pm_u32 segment_at(const pm_cursor *cursor) {
    return cursor->segment & PM_CURSOR_SEGMENT;
}

/* One output of a request. */
typedef struct output_view {
    const pm_clip_data *clip;
    const pm_channel *channel;
    const pm_output *output;
    bool parent;
} output_view;

/* Computes samples of one track, which share a segment. */
static void sample_run(const output_view *q, size_t track, const pm_cursor *cursors, size_t count,
                       float *to, size_t stride) {
    const pm_track_layout *at = &q->channel->layout[track];
    const pm_u32 segment = segment_at(cursors);
    pm_segment_data data;
    load_segment(q->clip, q->channel, track, segment, &data);
    run r = {.data = &data,
             .cursors = cursors,
             .count = count,
             .wrap = at->wrap,
             .rate = q->clip->rates[at->rates + segment],
             .parent = q->parent,
             .to = to,
             .stride = stride};
    if (q->output->order == 0)
        runs[q->channel->impl.curve](&r, q->channel->components);
    else
        motions[q->channel->impl.curve](&r, q->output->order);
}

static size_t run_length(const pm_cursor *cursors, size_t count) {
    const pm_u32 segment = segment_at(cursors);
    size_t end = 1;
    while (end < count && segment_at(&cursors[end]) == segment)
        end++;
    return end;
}

/* Computes `count` samples of one track. */
static void sample_track(const output_view *q, size_t track, const pm_cursor *cursors, size_t count,
                         float *to, size_t stride) {
    for (size_t k = 0, length; k < count; k += length) {
        length = run_length(cursors + k, count - k);
        sample_run(q, track, cursors + k, length, to + k * stride, stride);
    }
}

static void sample_output(const output_view *q, const pm_sample_request *r,
                          const pm_cursor *cursors, float *to) {
    enum { STRIP = 64 }; /* samples: the results of all tracks fit the cache */
    const size_t step = q->output->components;
    for (size_t k = 0; r->tracks && k < r->sample_count; k++)
        sample_run(q, r->tracks[k], cursors + k, 1, to + k * step, step);
    if (r->tracks)
        return;
    const size_t stride = step * q->clip->track_count;
    for (size_t k = 0; k < r->sample_count; k += STRIP) {
        const size_t left = r->sample_count - k, count = left < STRIP ? left : STRIP;
        for (size_t t = 0; t < q->clip->track_count; t++)
            sample_track(q, t, cursors + q->clip->timeline_of[t] * r->sample_count + k, count,
                         to + k * stride + t * step, stride);
    }
}

/* ---- in lanes ---- */

#define PM_DECLARE_SET(name) extern const pm_sample_lanes_function pm_sample_lanes_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_sample_lanes_##name,
static const pm_sample_lanes_function *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

/* How each output of a request is computed. */
typedef struct sampling {
    const pm_sample_request *request;
    pm_walk_function walks[PM_OUTPUT_COUNT];         /* NULL: none */
    pm_sample_lanes_function lanes[PM_OUTPUT_COUNT]; /* likewise; NULL too: track by track */
    bool reads_cursors;   /* some output, or a walk of samples that the map does not locate */
    size_t piece_samples; /* the last piece may have fewer */
} sampling;

/* Tracks that may share lanes. */
static size_t shared_tracks(const pm_sample_request *r) {
    return r->clip->common_timeline && !r->tracks ? r->clip->track_count : 0;
}

/* Fewer samples of a track leave lanes empty. */
enum { LEAST_SAMPLES = 8 };

/* Walks compute values in lanes of tracks that share the samples and the timeline, or from float32 keys of
 * samples. Instruction sets without walks compute values of all tracks track by track. */
static void find_functions(sampling *s, unsigned o, size_t instruction_set) {
    const pm_sample_request *r = s->request;
    const pm_channel *channel = &r->clip->channels[pm_outputs[o].channel];
    const pm_curve_id curve = channel->impl.curve;
    const bool is_of_values = !r->tracks && pm_outputs[o].order == 0;
    const pm_walk_function walk =
        pm_walk_function_of(instruction_set, curve, shared_tracks(r), pm_walk_streams_output(r, o));
    const bool is_of_samples = walk == pm_walk_function_of(instruction_set, curve, 0, false);
    if (is_of_values && channel->format != PM_KEYS_FLOAT32)
        s->walks[o] = pm_walk_codes_function_of(instruction_set, curve, channel->format,
                                                shared_tracks(r), pm_walk_streams_output(r, o));
    else if (is_of_values && !(is_of_samples && r->sample_count < LEAST_SAMPLES))
        s->walks[o] = walk;
    if (!s->walks[o] && (!is_of_values || walk))
        s->lanes[o] = *sets[instruction_set];
}

static void walk_output(const sampling *s, const pm_sample_request *piece, unsigned o,
                        const pm_cursor *cursors) {
    const pm_channel *channel = &piece->clip->channels[pm_outputs[o].channel];
    pm_walk walk = {.keys = channel->keys,
                    .constants = channel->constants,
                    .wraps = piece->clip->wraps,
                    .layout = channel->layout,
                    .cursors = cursors,
                    .cursor_row = piece->sample_count,
                    .padded_tracks = piece->clip->padded_tracks,
                    .plane_floats = channel->layout[0].plane,
                    .track_count = (pm_u32)piece->clip->track_count,
                    .streams = pm_walk_streams_output(s->request, o),
                    .to = piece->outputs[o],
                    .row_floats = piece->width * pm_outputs[o].components};
    if (!s->reads_cursors)
        walk.map = piece->map;
    s->walks[o](&walk, 0, (pm_u32)piece->sample_count);
}

static void sample_outputs(const sampling *s, const pm_sample_request *piece,
                           const pm_cursor *cursors) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const output_view q = {piece->clip, &piece->clip->channels[pm_outputs[o].channel],
                               &pm_outputs[o], piece->parent_frame};
        if (s->walks[o])
            walk_output(s, piece, o, cursors);
        else if (s->lanes[o])
            s->lanes[o](&(pm_lane_job){.request = piece,
                                       .output = o,
                                       .cursors = cursors,
                                       .streams = pm_walk_streams_output(s->request, o),
                                       .to = piece->outputs[o]});
        else if (piece->outputs[o])
            sample_output(&q, piece, cursors, piece->outputs[o]);
    }
}

/* A piece has at most PIECE_CURSORS cursors. There are PIECES_A_THREAD pieces per thread, but
 * pieces have at least MIN_VALUES or MIN_WALKED values: fewer do not repay starting a thread. */
enum { PIECE_CURSORS = 1 << 16, MIN_VALUES = 1 << 13, MIN_WALKED = 1 << 15, PIECES_A_THREAD = 4 };

static size_t piece_samples(const sampling *s) {
    const pm_sample_request *r = s->request;
    const size_t threads = r->host_threads;
    size_t max = PIECE_CURSORS / r->cursor_rows ? PIECE_CURSORS / r->cursor_rows : 1;
    size_t min = (size_t)(s->reads_cursors ? MIN_VALUES : MIN_WALKED) / r->width + 1;
    size_t samples = r->sample_count / (threads > 1 ? PIECES_A_THREAD * threads : 1) + 1;
    samples = samples > min ? samples : min;
    samples = samples < max ? samples : max;
    return samples < r->sample_count ? samples : r->sample_count;
}

/* A thread that gets no memory takes no pieces. */
static void sample_pieces(void *context, pm_items *items) {
    sampling *s = context;
    const size_t cursor_count = s->reads_cursors ? s->piece_samples * s->request->cursor_rows : 0;
    pm_cursor *cursors = pm_allocate_zeroed(s->request->host, cursor_count, sizeof *cursors);
    size_t item;
    while (cursors && pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(s->request->sample_count, s->piece_samples, item);
        pm_sample_request part = pm_sample_request_piece(s->request, &piece);
        part.host_threads = 1; /* the calling thread */
        if (s->reads_cursors)
            pm_sample_cursors(&part, cursors);
        sample_outputs(s, &part, cursors);
    }
    pm_release(cursors);
}

static pm_status sample_all(sampling *s, pm_error *error) {
    const pm_sample_request *r = s->request;
    s->piece_samples = piece_samples(s);
    const size_t pieces = pm_piece_count(r->sample_count, s->piece_samples);
    return pm_run_pieces(r->host, r->host_threads, pieces, sample_pieces, s, error);
}

pm_status pm_cpu_sample_with(size_t instruction_set, const pm_sample_request *request,
                             pm_error *error) {
    sampling s = {.request = request};
    if (request->lowpass)
        return pm_cpu_lowpass(instruction_set, request, error);
    /* A walk locates many samples faster than they are read, and a few together. */
    const bool locates = request->sample_count >= PM_WALK_BLOCK && request->map.scale > 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!request->outputs[o])
            continue;
        find_functions(&s, o, instruction_set);
        s.reads_cursors |= !(s.walks[o] && locates);
    }
    return sample_all(&s, error);
}

pm_status pm_cpu_sample(const pm_sample_request *request, pm_error *error) {
    bool any_streams = false;
    if (request->lowpass)
        return pm_cpu_lowpass(pm_instruction_set_widest(), request, error);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        any_streams |= request->outputs[o] && pm_walk_streams_output(request, o);
    const size_t set = pm_walk_instruction_set(shared_tracks(request), any_streams);
    return pm_cpu_sample_with(set, request, error);
}

pm_status pm_cpu_sample_by_track(const pm_sample_request *request, pm_error *error) {
    sampling s = {.request = request, .reads_cursors = true};
    if (request->lowpass)
        return pm_cpu_lowpass(0, request, error);
    return sample_all(&s, error);
}
