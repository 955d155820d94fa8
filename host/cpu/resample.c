/* SPDX-License-Identifier: MIT
 *
 * From keys to samples in one pass: threads take some tracks and a part of the samples, build a window
 * of their segments, and walk over it.
 */
#include "cpu.h"

#include <stdatomic.h>

#include "walk.h"

/* Samples that are located at a time, and the largest number of segments without a sample that are
 * built with those around them. */
enum { CURSORS = 2048, GAP = 3 };

typedef struct resampling {
    const pm_clip_desc *desc;
    const pm_sample_request *request;
    pm_cpu_streams *streams; /* for each output and block, the streams of the pieces */
    size_t piece_samples;    /* of a work item; the last one may have fewer */
    size_t instruction_set;
    pm_first_failure failure; /* of a track */
    atomic_bool needs_clip;   /* some track cannot be built in windows */
} resampling;

/* Whole groups of tracks in each block, and the last group with the tracks that fill none: a vector of
 * fewer would take as long. */
static pm_piece tracks_of_block(const resampling *r, size_t block) {
    const size_t tracks = r->request->width, groups = tracks / PM_TRACK_GROUP;
    const size_t blocks = r->streams->blocks;
    const size_t from = groups * block / blocks * PM_TRACK_GROUP;
    const size_t end = groups * (block + 1) / blocks * PM_TRACK_GROUP;
    return (pm_piece){from, (block + 1 == blocks ? tracks : end) - from};
}

/* An item of work: samples of some tracks of an output. */
typedef struct part {
    resampling *all;
    pm_sample_request request; /* the samples */
    unsigned output;
    pm_piece tracks;
    pm_clip_stream *stream;
    pm_walk walk;
    pm_walk_function function;
    bool passes; /* at a key's time the value is the key's */
} part;

static size_t segment_of(const pm_cursor *cursor) {
    return cursor->segment & PM_CURSOR_SEGMENT;
}

/* Consecutive samples whose segments fit a window, with few others between them. */
typedef struct run {
    size_t samples;
    size_t first, segments;
    bool between_keys; /* some sample is */
} run;

static run run_of(const pm_cursor *cursors, size_t count) {
    const size_t first = segment_of(cursors);
    run r = {.first = first};
    size_t last = first;
    for (; r.samples < count; r.samples++) {
        const pm_cursor *cursor = &cursors[r.samples];
        const size_t segment = segment_of(cursor);
        if (segment < first || segment >= first + PM_WINDOW || segment > last + GAP)
            break;
        last = segment > last ? segment : last;
        r.between_keys |= cursor->u != 0 && cursor->u != 1;
    }
    r.segments = last - first + 1;
    return r;
}

/* Computes the samples of a run into their place among all. Its cursors become those in the window. */
static void sample_run(part *p, const run *r, pm_cursor *cursors, float *to) {
    pm_clip_stream *stream = p->stream;
    const pm_block_result built =
        pm_clip_stream_seek(stream, r->first, r->segments, r->between_keys || !p->passes);
    if (built.status != PM_OK)
        pm_first_failure_note(&p->all->failure, built.status, built.failed, NULL);
    if (built.needs_all)
        p->all->needs_clip = true;
    for (size_t k = 0; k < r->samples; k++)
        cursors[k].segment -= (pm_u32)r->first;
    pm_walk walk = p->walk;
    walk.keys = stream->planes + built.row * stream->row;
    walk.cursors = cursors;
    walk.to = to;
    p->function(&walk, 0, (pm_u32)r->samples);
}

static void sample_part(part *p, pm_cursor *cursors) {
    const size_t components = pm_outputs[p->output].components;
    const size_t pieces = pm_piece_count(p->request.sample_count, CURSORS);
    for (size_t i = 0; i < pieces; i++) {
        const pm_piece piece = pm_piece_at(p->request.sample_count, CURSORS, i);
        pm_sample_request samples = pm_sample_request_piece(&p->request, &piece);
        float *to = samples.outputs[p->output] + p->tracks.from * components;
        pm_sample_cursors(&samples, cursors);
        for (size_t k = 0; k < piece.count && !p->all->needs_clip;) {
            const run r = run_of(cursors + k, piece.count - k);
            sample_run(p, &r, cursors + k, to + k * p->walk.row_floats);
            k += r.samples;
        }
    }
}

/* The output, the tracks and the samples of a work item. */
static part part_of(resampling *r, size_t item) {
    const pm_sample_request *all = r->request;
    const pm_cpu_streams *streams = r->streams;
    const pm_piece piece = pm_piece_at(all->sample_count, r->piece_samples, item % streams->pieces);
    size_t output = item / streams->pieces / streams->blocks;
    part p = {.all = r,
              .request = pm_sample_request_piece(all, &piece),
              .stream = &streams->of[item],
              .tracks = tracks_of_block(r, item / streams->pieces % streams->blocks)};
    p.request.host_threads = 1;
    while (!all->outputs[p.output] || output-- > 0)
        p.output++;
    return p;
}

static pm_status open_part(part *p, pm_error *error) {
    const pm_sample_request *all = p->all->request;
    const unsigned channel = pm_outputs[p->output].channel;
    const pm_curve_id curve = all->clip->channels[channel].impl.curve;
    pm_status status = PM_OK;
    if (!p->stream->is_open)
        status = pm_clip_stream_open(p->all->desc, all->clip, channel, p->tracks.from,
                                     p->tracks.count, p->stream, error);
    p->passes = pm_curves[curve].passes;
    p->function = pm_walk_function_of(p->all->instruction_set, curve, p->tracks.count, false);
    p->walk = (pm_walk){.constants = p->stream->constants,
                        .wraps = p->stream->wraps,
                        .plane_floats = (pm_u32)p->stream->plane,
                        .track_count = (pm_u32)p->tracks.count,
                        .streams = pm_walk_streams_output(all, p->output),
                        .row_floats = all->width * pm_outputs[p->output].components};
    return status;
}

/* A thread that gets no memory fails the job. */
static void sample_parts(void *context, pm_items *items) {
    resampling *r = context;
    pm_cursor cursors[CURSORS];
    size_t item;
    while (pm_take_item(items, &item)) {
        if (item % r->streams->pieces * r->piece_samples >= r->request->sample_count)
            continue;
        part p = part_of(r, item);
        if (open_part(&p, NULL) == PM_OK)
            sample_part(&p, cursors);
        else
            pm_first_failure_note(&r->failure, PM_ERROR_MEMORY, 0, NULL);
        if (!r->streams->stay)
            pm_clip_stream_close(p.stream);
    }
}

static size_t count_outputs(unsigned outputs) {
    return (size_t)__builtin_popcount(outputs);
}

static size_t count_streams(const pm_cpu_streams *s) {
    return count_outputs(s->outputs) * s->blocks * s->pieces;
}

void pm_cpu_streams_close(pm_cpu_streams *streams) {
    for (size_t i = 0; streams->of && i < count_streams(streams); i++)
        pm_clip_stream_close(&streams->of[i]);
    pm_release(streams->of);
    *streams = (pm_cpu_streams){.stay = streams->stay};
}

/* Tracks are divided among threads; samples where there are fewer blocks than threads, because each
 * piece but the first reads the keys before it for their signs. */
static pm_cpu_streams division_of(const pm_sample_request *all) {
    enum { GROUPS = PM_BLOCK_TRACKS / PM_TRACK_GROUP - 1 };
    const size_t groups = all->width / PM_TRACK_GROUP;
    const size_t threads = all->host_threads < PM_MAX_THREADS ? all->host_threads : PM_MAX_THREADS;
    const size_t least = (groups + GROUPS - 1) / GROUPS, wanted = threads > least ? threads : least;
    pm_cpu_streams s = {.blocks = wanted < groups ? wanted : groups};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        s.outputs |= all->outputs[o] ? 1U << o : 0;
    s.blocks = s.blocks ? s.blocks : 1;
    s.pieces = (threads + s.blocks - 1) / s.blocks;
    return s;
}

/* Streams of earlier jobs that were divided otherwise are of no use. */
static bool divide(resampling *r) {
    enum { MIN_VALUES = 1 << 14 };
    const pm_sample_request *all = r->request;
    pm_cpu_streams *s = r->streams, wanted = division_of(all);
    const size_t least = MIN_VALUES / all->width + 1;
    const size_t share = (all->sample_count + wanted.pieces - 1) / wanted.pieces;
    r->piece_samples = share > least ? share : least;
    if (s->of && s->outputs == wanted.outputs && s->blocks == wanted.blocks &&
        s->pieces == wanted.pieces)
        return true;
    wanted.stay = s->stay;
    pm_cpu_streams_close(s);
    wanted.of = pm_allocate_zeroed(all->host, count_streams(&wanted), sizeof *wanted.of);
    *s = wanted;
    return s->of != NULL;
}

/* How often a loop may be sampled: each lap builds its segments again. */
static bool has_few_laps(const pm_sample_request *r) {
    const pm_clip_timeline *timeline = &r->clip->timelines[0];
    const double laps = 2;
    if (!timeline->loop)
        return true;
    const double span = r->times ? r->times[r->sample_count - 1] - r->times[0]
                                 : (double)r->sample_count / pm_rational_value(r->rate);
    return span <= laps * timeline->period;
}

static bool ascend(const pm_sample_request *r) {
    for (size_t k = 1; r->times && k < r->sample_count; k++)
        if (!(r->times[k] >= r->times[k - 1]))
            return false;
    return true;
}

static size_t instruction_set_for(const pm_sample_request *r) {
    return pm_walk_instruction_set(r->width, false);
}

bool pm_cpu_resamples(const pm_clip_desc *desc, const pm_sample_request *request) {
    const pm_sample_request *r = request;
    if (r->tracks || !ascend(r) || !has_few_laps(r))
        return false;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const unsigned channel = pm_outputs[o].channel;
        if (!r->outputs[o])
            continue;
        if (pm_outputs[o].order > 0 || !pm_clip_streams(desc, r->clip, channel) ||
            !pm_walk_is_across(instruction_set_for(r), r->width, pm_walk_streams_output(r, o)))
            return false;
    }
    return true;
}

pm_status pm_cpu_resample(const pm_clip_desc *desc, const pm_sample_request *request,
                          pm_cpu_streams *streams, bool *needs_clip, pm_error *error) {
    resampling r = {.desc = desc,
                    .request = request,
                    .streams = streams,
                    .instruction_set = instruction_set_for(request)};
    if (!divide(&r))
        return pm_fail_memory(error);
    pm_first_failure_begin(&r.failure);
    const pm_status status = pm_run_pieces(request->host, request->host_threads,
                                           count_streams(streams), sample_parts, &r, error);
    pm_first_failure_end(&r.failure);
    *needs_clip = r.needs_clip;
    return status == PM_OK ? pm_clip_fail_build(desc, &r.failure, error) : status;
}
