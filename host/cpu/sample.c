/* SPDX-License-Identifier: MIT
 *
 * The CPU reference path: the kernels' own headers, read as C, one track at a time.
 * Its loops are not those of the kernels, so that comparing bits tests both.
 */
#include "backend/request.h"
#include "base/clones.h"
#include "kernels/pm_motion.h"
#include "segments/key_format.h"

/* Samples [from, to) of a run of one track that share a segment. */
typedef struct run {
    const pm_segment_data *data;
    const pm_cursor *cursors;
    size_t count;
    float wrap;
    float rate; /* one over the segment's seconds */
    bool parent;
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
            pm_quat value = pm_##name##_at(&segment, u);                                           \
            if (pm_##name##_passes)                                                                \
                value = pm_at_ends(r->data, u, value);                                             \
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

static void load_rows(const pm_clip *clip, const pm_channel *channel, size_t track, pm_u32 segment,
                      pm_segment_data *data) {
    const pm_curve *curve = &pm_curves[channel->impl.curve];
    const pm_track_layout *at = &channel->layout[track];
    const float *floats = channel->keys;
    size_t row = at->first + (size_t)segment * at->row;
    data->key = load_key(channel, row);
    data->next = load_key(channel, row + at->row);
    for (unsigned e = 0; e < curve->coefficients; e++)
        data->coefficients[e] = load(floats + row + (1 + e) * (size_t)at->plane);
    for (unsigned s = 0; s < curve->constants; s++)
        data->constants[s] = load(channel->constants + 4 * (s * clip->padded_tracks + track));
}

static pm_u32 segment_at(const pm_cursor *cursor) {
    return cursor->segment & PM_CURSOR_SEGMENT;
}

/* What is wanted of one channel. */
typedef struct request {
    const pm_clip *clip;
    const pm_channel *channel;
    const pm_output *output;
    bool parent;
} request;

/* `count` samples of one track, in runs of equal segments. */
static void sample_track(const request *q, size_t track, const pm_cursor *cursors, size_t count,
                         float *to, size_t stride) {
    const pm_track_layout *at = &q->channel->layout[track];
    for (size_t k = 0, end; k < count; k = end) {
        pm_segment_data data;
        pm_u32 segment = segment_at(&cursors[k]);
        end = k + 1;
        while (end < count && segment_at(&cursors[end]) == segment)
            end++;
        load_rows(q->clip, q->channel, track, segment, &data);
        run r = {.data = &data,
                 .cursors = cursors + k,
                 .count = end - k,
                 .wrap = at->wrap,
                 .rate = q->clip->rates[at->rates + segment],
                 .parent = q->parent,
                 .to = to + k * stride,
                 .stride = stride};
        if (q->output->order == 0)
            runs[q->channel->impl.curve](&r, q->channel->components);
        else
            motions[q->channel->impl.curve](&r, q->output->order);
    }
}

static void sample_output(const request *q, const pm_sample_job *job, const pm_piece *piece,
                          const pm_cursor *cursors, float *to) {
    enum { STRIP = 64 }; /* samples of all tracks that stay in the cache together */
    size_t step = q->output->components;
    if (job->tracks) {
        for (size_t k = 0; k < piece->count; k++)
            sample_track(q, job->tracks[piece->from + k], cursors + k, 1, to + k * step, step);
        return;
    }
    size_t stride = step * q->clip->track_count;
    for (size_t k = 0; k < piece->count; k += STRIP) {
        size_t count = piece->count - k < STRIP ? piece->count - k : STRIP;
        for (size_t t = 0; t < q->clip->track_count; t++)
            sample_track(q, t, cursors + q->clip->timeline_of[t] * piece->count + k, count,
                         to + k * stride + t * step, stride);
    }
}

void pm_reference_sample(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece,
                         const pm_cursor *cursors, float *const outputs[PM_OUTPUT_COUNT]) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        request q = {clip, &clip->channels[pm_outputs[o].channel], &pm_outputs[o],
                     job->velocity_frame == PM_AXIS_PARENT};
        if (outputs[o])
            sample_output(&q, job, piece, cursors, outputs[o]);
    }
}
