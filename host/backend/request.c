/* SPDX-License-Identifier: MIT
 *
 * Jobs: why one is refused, where its samples lie, and who evaluates it.
 */
#include "request.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/status.h"
#include "engine/engine.h"

const pm_output pm_outputs[PM_OUTPUT_COUNT] = {
    [PM_OUT_ROTATIONS] = {"rotations", PM_ROTATIONS, 0, 4},
    [PM_OUT_POSITIONS] = {"positions", PM_POSITIONS, 0, 3},
    [PM_OUT_SCALES] = {"scales", PM_SCALES, 0, 3},
    [PM_OUT_VELOCITIES] = {"velocities", PM_ROTATIONS, 1, 3},
    [PM_OUT_ACCELERATIONS] = {"accelerations", PM_ROTATIONS, 2, 3},
};

void pm_job_outputs(const pm_sample_job *job, float *outputs[PM_OUTPUT_COUNT]) {
    outputs[PM_OUT_ROTATIONS] = job->rotations;
    outputs[PM_OUT_POSITIONS] = job->positions;
    outputs[PM_OUT_SCALES] = job->scales;
    outputs[PM_OUT_VELOCITIES] = job->velocities;
    outputs[PM_OUT_ACCELERATIONS] = job->accelerations;
}

size_t pm_job_width(const pm_clip *clip, const pm_sample_job *job) {
    return job->tracks ? 1 : clip->track_count;
}

static float *moved(float *output, unsigned o, size_t values) {
    return output ? output + values * pm_outputs[o].components : NULL;
}

pm_sample_job pm_job_part(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece) {
    pm_sample_job part = *job;
    size_t values = piece->from * pm_job_width(clip, job);
    part.sample_count = piece->count;
    part.first += piece->from;
    if (part.times)
        part.times += piece->from;
    if (part.tracks)
        part.tracks += piece->from;
    part.rotations = moved(part.rotations, PM_OUT_ROTATIONS, values);
    part.positions = moved(part.positions, PM_OUT_POSITIONS, values);
    part.scales = moved(part.scales, PM_OUT_SCALES, values);
    part.velocities = moved(part.velocities, PM_OUT_VELOCITIES, values);
    part.accelerations = moved(part.accelerations, PM_OUT_ACCELERATIONS, values);
    return part;
}

static pm_status check_rate(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    uint64_t end;
    if (!pm_rational_positive(job->rate))
        return pm_fail(error, PM_ERROR_TIME, "rate is not positive");
    if (pm_rational_given(job->start) && job->start.den <= 0)
        return pm_fail(error, PM_ERROR_TIME, "start has a denominator that is not positive");
    if (__builtin_add_overflow(job->first, job->sample_count, &end))
        return pm_fail(error, PM_ERROR_SIZE, "first + sample_count does not fit 64 bits");
    for (size_t i = 0; i < clip->timeline_count; i++) {
        pm_exact_uniform_map c;
        if (clip->timelines[i].uniform &&
            !pm_uniform_map_of(clip->timelines[i].rate, job->rate, job->start, job->first,
                               job->sample_count, &c))
            return pm_fail(error, PM_ERROR_TIME,
                           "rate and start are too fine to combine exactly with the keys' rate");
    }
    return PM_OK;
}

static bool any_loop(const pm_clip *clip) {
    for (size_t i = 0; i < clip->timeline_count; i++)
        if (clip->timelines[i].loop)
            return true;
    return false;
}

static pm_status check_times(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    bool loop = any_loop(clip);
    for (size_t k = 0; k < job->sample_count; k++) {
        if (isnan(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME, "times[%zu] is NaN", k);
        if (loop && isinf(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME, "times[%zu] is infinite, in a loop", k);
        if (job->tracks && job->tracks[k] >= clip->track_count)
            return pm_fail_at(error, PM_ERROR_ARGUMENT, job->tracks[k], PM_NO_INDEX,
                              "tracks[%zu] is not below track_count %zu", k, clip->track_count);
    }
    return PM_OK;
}

pm_status pm_job_check_samples(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    bool has_rate = pm_rational_given(job->rate);
    size_t bytes;
    if ((unsigned)job->velocity_frame >= PM_AXIS_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "velocity_frame is not one");
    if (job->sample_count == 0)
        return PM_OK;
    if (has_rate && job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "both rate and times are given");
    if (!has_rate && !job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "neither rate nor times is given");
    if (job->tracks && !job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "tracks is given without times");
    if (!pm_multiply(job->sample_count, pm_job_width(clip, job), &bytes) ||
        !pm_multiply(bytes, 4 * sizeof(float), &bytes))
        return pm_fail(error, PM_ERROR_SIZE, "sample_count %zu: the result does not fit size_t",
                       job->sample_count);
    return has_rate ? check_rate(clip, job, error) : check_times(clip, job, error);
}

pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!clip || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", clip ? "job" : "clip");
    if (job->sample_count == 0)
        return PM_OK;
    float *outputs[PM_OUTPUT_COUNT];
    bool any = false;
    pm_job_outputs(job, outputs);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        unsigned channel = pm_outputs[o].channel;
        any = any || outputs[o];
        if (outputs[o] && !clip->channels[channel].present)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", pm_outputs[o].name,
                           pm_channel_name(channel));
    }
    if (!any)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    return pm_job_check_samples(clip, job, error);
}

/* Samples at a rate on listed key times: each time is computed once, from whole numbers. */
static double time_at(const pm_clip_timeline *timeline, const pm_sample_job *job, uint64_t k) {
    double since = (double)k * (double)job->rate.den / (double)job->rate.num;
    double start = job->start.den ? pm_rational_value(job->start) : 0;
    return timeline->first + start + since;
}

/* How samples at a job's rate fall on uniform keys of one rate: in 64 bits where they fit. */
typedef struct spacing {
    pm_rational key_rate; /* 0/0 before the first */
    pm_exact_uniform_map exact;
    pm_uniform_map narrow; /* but for segments and loop, which are a timeline's own */
    bool fits;
} spacing;

static void space(spacing *s, pm_rational key_rate, const pm_sample_job *job) {
    if (s->key_rate.num == key_rate.num && s->key_rate.den == key_rate.den)
        return;
    s->key_rate = key_rate;
    s->fits = pm_uniform_map_of(key_rate, job->rate, job->start, job->first, job->sample_count,
                                &s->exact) &&
              pm_uniform_map_narrow(&s->exact, job->sample_count, &s->narrow);
}

static pm_uniform_map uniform_map_on(const pm_clip_timeline *timeline, const spacing *s) {
    pm_uniform_map uniform_map = s->narrow;
    uniform_map.segment_count = (pm_u32)timeline->segment_count;
    uniform_map.loop = timeline->loop;
    return uniform_map;
}

static void locate_on_uniform(const pm_clip_timeline *timeline, const spacing *s,
                              const pm_piece *piece, pm_cursor *cursors) {
    const pm_uniform_map uniform_map = uniform_map_on(timeline, s);
    const bool narrow = s->fits && !timeline->constant;
    for (size_t k = 0; k < piece->count; k++)
        cursors[k] = narrow ? pm_locate_uniform(uniform_map, piece->from + k)
                            : pm_timeline_locate_exact(timeline, &s->exact, piece->from + k);
}

static void locate_on_listed(const pm_clip_timeline *timeline, const pm_sample_job *job,
                             const pm_piece *piece, pm_cursor *cursors) {
    size_t hint = 0;
    for (size_t k = 0; k < piece->count; k++) {
        double time = time_at(timeline, job, job->first + piece->from + k);
        cursors[k] = pm_timeline_locate(timeline, time, &hint);
    }
}

/* A row a timeline. Neighbours of one rate share their spacing, whose fractions take as long
 * to reduce as a dozen samples to place. */
static void locate_at_rate(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece,
                           pm_cursor *cursors) {
    spacing s = {0};
    for (size_t i = 0; i < clip->timeline_count; i++, cursors += piece->count) {
        const pm_clip_timeline *timeline = &clip->timelines[i];
        if (!timeline->uniform) {
            locate_on_listed(timeline, job, piece, cursors);
            continue;
        }
        space(&s, timeline->rate, job);
        locate_on_uniform(timeline, &s, piece, cursors);
    }
}

/* Listed times that are placed by several threads. */
typedef struct listing {
    const pm_clip *clip;
    const pm_sample_job *job;
    const pm_piece *piece;
    pm_cursor *cursors;
} listing;

/* Times that a thread takes at once: some hundred times what starting one costs. */
enum { TIMES_OF_ITEM = 65536 };

static void locate_pairs(const listing *l, size_t from, size_t end) {
    const uint32_t *tracks = l->job->tracks + l->piece->from;
    const double *times = l->job->times + l->piece->from;
    size_t hint = 0;
    for (size_t k = from; k < end; k++) {
        uint32_t timeline = l->clip->timeline_of[tracks[k]];
        l->cursors[k] = pm_timeline_locate(&l->clip->timelines[timeline], times[k], &hint);
    }
}

static void locate_times(const listing *l, size_t from, size_t end) {
    const double *times = l->job->times + l->piece->from;
    pm_cursor *cursors = l->cursors;
    for (size_t i = 0; i < l->clip->timeline_count; i++, cursors += l->piece->count) {
        size_t hint = 0;
        for (size_t k = from; k < end; k++)
            cursors[k] = pm_timeline_locate(&l->clip->timelines[i], times[k], &hint);
    }
}

static void locate_items(void *context, pm_items *items) {
    const listing *l = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        size_t from = item * TIMES_OF_ITEM, rest = l->piece->count - from;
        size_t end = from + (rest < TIMES_OF_ITEM ? rest : TIMES_OF_ITEM);
        if (l->job->tracks)
            locate_pairs(l, from, end);
        else
            locate_times(l, from, end);
    }
}

void pm_job_cursors(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece,
                    pm_cursor *cursors) {
    if (!job->times) {
        locate_at_rate(clip, job, piece, cursors);
        return;
    }
    listing l = {clip, job, piece, cursors};
    size_t items = (piece->count + TIMES_OF_ITEM - 1) / TIMES_OF_ITEM;
    pm_run_parallel(pm_threads_of(clip->engine, job->host_threads), items, locate_items, &l);
}

bool pm_job_uniform_map(const pm_clip *clip, const pm_sample_job *job,
                        pm_uniform_map *uniform_map) {
    const pm_clip_timeline *timeline = &clip->timelines[0];
    spacing s = {0};
    if (job->times || !clip->common_timeline || !timeline->uniform || timeline->constant)
        return false;
    space(&s, timeline->rate, job);
    *uniform_map = uniform_map_on(timeline, &s);
    return s.fits;
}

/* ---- the reference path ---- */

/* Samples of a piece: their places are at most PIECE_CURSORS, and there are pieces for all threads,
 * but none of fewer values than a thread is worth starting for. */
enum { PIECE_CURSORS = 1 << 16, MIN_VALUES = 1 << 13, PIECES_A_THREAD = 4 };

typedef struct reference_course {
    const pm_clip *clip;
    const pm_sample_job *job;
    size_t rows;          /* of places */
    size_t piece_samples; /* but for the last piece */
    atomic_size_t done;   /* pieces */
} reference_course;

static size_t piece_samples(const reference_course *c, size_t threads) {
    size_t max = PIECE_CURSORS / c->rows ? PIECE_CURSORS / c->rows : 1;
    size_t min = MIN_VALUES / pm_job_width(c->clip, c->job) + 1;
    size_t share = c->job->sample_count / (threads > 1 ? PIECES_A_THREAD * threads : 1) + 1;
    share = share > min ? share : min;
    return share < max ? share : max;
}

static void sample_piece(const reference_course *c, const pm_piece *piece, pm_cursor *cursors) {
    const size_t at = piece->from * pm_job_width(c->clip, c->job);
    float *outputs[PM_OUTPUT_COUNT];
    pm_job_cursors(c->clip, c->job, piece, cursors);
    pm_job_outputs(c->job, outputs);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (outputs[o])
            outputs[o] += pm_outputs[o].components * at;
    pm_reference_sample(c->clip, c->job, piece, cursors, outputs);
}

/* A thread without memory leaves the pieces to the others. */
static void sample_pieces(void *context, pm_items *items) {
    reference_course *c = context;
    size_t item;
    pm_cursor *cursors = calloc(c->piece_samples * c->rows, sizeof *cursors);
    while (cursors && pm_take_item(items, &item)) {
        const size_t from = item * c->piece_samples, left = c->job->sample_count - from;
        const pm_piece piece = {from, left < c->piece_samples ? left : c->piece_samples};
        sample_piece(c, &piece, cursors);
        atomic_fetch_add(&c->done, 1);
    }
    free(cursors);
}

pm_status pm_sample_on_reference(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    const size_t threads = job->host_threads ? job->host_threads : clip->engine->host_threads;
    reference_course c = {.clip = clip, .job = job, .rows = job->tracks ? 1 : clip->timeline_count};
    c.piece_samples = piece_samples(&c, threads);
    if (c.piece_samples > job->sample_count)
        c.piece_samples = job->sample_count;
    const size_t pieces = (job->sample_count - 1) / c.piece_samples + 1;
    pm_run_parallel(threads, pieces, sample_pieces, &c);
    return c.done == pieces ? PM_OK : pm_fail_memory(error);
}

pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_status status = pm_sample_check(clip, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    if (job->on_reference)
        return pm_sample_on_reference(clip, job, error);
#if POSEMILL_OPENCL
    if (clip->engine->builds_in_background)
        return pm_cl_sample_in_background(clip, job, error);
#endif
    return clip->engine->backend->sample(clip, job, error);
}
