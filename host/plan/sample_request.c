/* SPDX-License-Identifier: MIT
 *
 * Makes requests for samples from jobs, cuts them into pieces, and computes cursors.
 */
#include "sample_request.h"

#include <string.h>

#define PM_FIELD(name) offsetof(pm_sample_job, name), offsetof(pm_sample_job, name##_stride)
const pm_output pm_outputs[PM_OUTPUT_COUNT] = {
    [PM_OUT_ROTATIONS] = {"rotations", PM_ROTATIONS, 0, 4, PM_FIELD(rotations)},
    [PM_OUT_POSITIONS] = {"positions", PM_POSITIONS, 0, 3, PM_FIELD(positions)},
    [PM_OUT_SCALES] = {"scales", PM_SCALES, 0, 3, PM_FIELD(scales)},
    [PM_OUT_VELOCITIES] = {"velocities", PM_ROTATIONS, 1, 3, PM_FIELD(velocities)},
    [PM_OUT_ACCELERATIONS] = {"accelerations", PM_ROTATIONS, 2, 3, PM_FIELD(accelerations)},
};

/* The map from samples at a job's rate to uniform keys at one rate: exact, and in 64 bits where it
 * fits. */
typedef struct spacing {
    pm_rational key_rate; /* 0/0: not set yet */
    pm_exact_uniform_map exact;
    pm_uniform_map narrow; /* without segment_count and loop, which belong to the timeline */
    bool fits;             /* `narrow` is set */
} spacing;

static void set_spacing(spacing *s, pm_rational key_rate, const pm_sample_request *r) {
    if (s->key_rate.num == key_rate.num && s->key_rate.den == key_rate.den)
        return;
    s->key_rate = key_rate;
    s->fits =
        pm_uniform_map_of(key_rate, r->rate, r->start, r->first, r->sample_count, &s->exact) &&
        pm_uniform_map_narrow(&s->exact, r->sample_count, &s->narrow);
}

static pm_uniform_map uniform_map_on(const pm_clip_timeline *timeline, const spacing *s) {
    pm_uniform_map uniform_map = s->narrow;
    uniform_map.segment_count = (pm_u32)timeline->segment_count;
    uniform_map.loop = timeline->loop;
    return uniform_map;
}

/* The map of a job on the only timeline. */
static pm_uniform_map map_of(const pm_sample_request *r) {
    const pm_clip_timeline *timeline = &r->clip->timelines[0];
    spacing s = {0};
    if (r->times || !pm_rational_positive(r->rate) || r->start.den < 0 ||
        r->clip->timeline_count > 1 || !timeline->uniform || timeline->constant)
        return (pm_uniform_map){0};
    set_spacing(&s, timeline->rate, r);
    return s.fits ? uniform_map_on(timeline, &s) : (pm_uniform_map){0};
}

pm_sample_request pm_sample_request_of(const pm_clip_data *clip, const pm_sample_job *job,
                                       size_t host_threads) {
    pm_sample_request r = {.host = clip->host,
                           .clip = clip,
                           .sample_count = job->sample_count,
                           .width = job->tracks ? 1 : clip->track_count,
                           .cursor_rows = job->tracks ? 1 : clip->timeline_count,
                           .parent_frame = job->velocity_frame == PM_AXIS_PARENT,
                           .host_threads = job->host_threads ? job->host_threads : host_threads,
                           .rate = job->rate,
                           .start = job->start_after_first_key,
                           .first = job->first,
                           .times = job->times,
                           .tracks = job->tracks};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const char *fields = (const char *)job;
        memcpy(&r.outputs[o], fields + pm_outputs[o].field, sizeof r.outputs[o]);
        memcpy(&r.strides[o], fields + pm_outputs[o].stride, sizeof r.strides[o]);
        if (r.strides[o] == pm_sample_row_bytes(&r, o))
            r.strides[o] = 0; /* nothing is between rows */
    }
    r.map = map_of(&r);
    return r;
}

pm_sample_request pm_sample_request_piece(const pm_sample_request *request, const pm_piece *piece) {
    pm_sample_request part = *request;
    part.sample_count = piece->count;
    part.first += piece->from;
    part.map.start += piece->from * part.map.step;
    if (part.times)
        part.times += piece->from;
    if (part.tracks)
        part.tracks += piece->from;
    if (part.cursors)
        part.cursors += piece->from;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const size_t bytes = piece->from * pm_sample_stride(request, o);
        if (part.outputs[o])
            part.outputs[o] += bytes / sizeof(float);
        part.handles[o].offset += bytes;
    }
    return part;
}

unsigned pm_sample_outputs(const pm_sample_request *request) {
    unsigned outputs = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        outputs |= request->outputs[o] || request->handles[o].handle ? 1u << o : 0u;
    return outputs;
}

size_t pm_sample_row_bytes(const pm_sample_request *request, unsigned output) {
    return request->width * pm_outputs[output].components * sizeof(float);
}

size_t pm_sample_stride(const pm_sample_request *request, unsigned output) {
    const size_t stride = request->strides[output];
    return stride ? stride : pm_sample_row_bytes(request, output);
}

size_t pm_sample_span(const pm_sample_request *request, unsigned output) {
    const size_t count = request->sample_count;
    return count > 0 ? (count - 1) * pm_sample_stride(request, output) +
                           pm_sample_row_bytes(request, output)
                     : 0;
}

size_t pm_sample_output_bytes(const pm_sample_request *request, unsigned output) {
    return request->sample_count * pm_sample_row_bytes(request, output);
}

pm_status pm_sample_check_rate(const pm_clip_data *clip, const pm_sample_job *job,
                               pm_error *error) {
    uint64_t end;
    if (!pm_rational_positive(job->rate))
        return pm_fail_field(error, PM_ERROR_TIME, "rate", "is not positive");
    if (pm_rational_given(job->start_after_first_key) && job->start_after_first_key.den <= 0)
        return pm_fail(error, PM_ERROR_TIME, "the denominator of start is not positive");
    if (__builtin_add_overflow(job->first, job->sample_count, &end))
        return pm_fail(error, PM_ERROR_SIZE, "first + sample_count does not fit 64 bits");
    for (size_t i = 0; i < clip->timeline_count; i++) {
        pm_exact_uniform_map c;
        if (clip->timelines[i].uniform &&
            !pm_uniform_map_of(clip->timelines[i].rate, job->rate, job->start_after_first_key,
                               job->first, job->sample_count, &c))
            return pm_fail(error, PM_ERROR_TIME,
                           "rate and start cannot be combined exactly with the keys' rate: their "
                           "numerators and denominators are too large");
    }
    return PM_OK;
}

double pm_sample_time(const pm_sample_request *r, double first_key, uint64_t k) {
    double since = (double)k * (double)r->rate.den / (double)r->rate.num;
    double start = r->start.den ? pm_rational_value(r->start) : 0;
    return first_key + start + since;
}

static void locate_on_uniform(const pm_clip_timeline *timeline, const spacing *s,
                              const pm_sample_request *r, pm_cursor *cursors) {
    const pm_uniform_map map = uniform_map_on(timeline, s);
    const size_t count = r->sample_count;
    size_t k = 0;
    if (!s->fits || timeline->constant) {
        for (; k < count; k++)
            cursors[k] = pm_timeline_locate_exact(timeline, &s->exact, k);
        return;
    }
    if (count >= PM_STRIDE) {
        pm_places places;
        pm_places_from(map, 0, &places);
        for (; count - k >= PM_STRIDE; k += PM_STRIDE)
            pm_places_next(map, &places, cursors + k);
    }
    for (; k < count; k++)
        cursors[k] = pm_locate_uniform(map, k);
}

/* Samples that several threads locate. */
typedef struct locating {
    void (*locate)(const struct locating *l, const pm_piece *piece);
    const pm_sample_request *request;
    const pm_clip_timeline *timeline; /* of samples at a rate */
    pm_cursor *cursors;
} locating;

/* Samples per work item: locating them costs some hundred times as much as starting a thread. */
enum { SAMPLES_OF_ITEM = 65536 };

static void locate_items(void *context, pm_items *items) {
    const locating *l = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(l->request->sample_count, SAMPLES_OF_ITEM, item);
        l->locate(l, &piece);
    }
}

static void locate_by_threads(locating l) {
    pm_run_parallel(l.request->host, l.request->host_threads,
                    pm_piece_count(l.request->sample_count, SAMPLES_OF_ITEM), locate_items, &l);
}

/* At a rate, on a timeline of listed keys. */
static void locate_on_listed(const locating *l, const pm_piece *piece) {
    const pm_sample_request *r = l->request;
    size_t hint = 0;
    for (size_t k = piece->from; k < piece->from + piece->count; k++)
        l->cursors[k] = pm_timeline_locate(
            l->timeline, pm_sample_time(r, l->timeline->first, r->first + k), &hint);
}

/* Writes a row of cursors per timeline. Successive timelines with the same rate share the spacing,
 * because reducing its fractions takes as long as locating a dozen samples. */
static void locate_at_rate(const pm_sample_request *r, pm_cursor *cursors) {
    spacing s = {0};
    for (size_t i = 0; i < r->clip->timeline_count; i++, cursors += r->sample_count) {
        const pm_clip_timeline *timeline = &r->clip->timelines[i];
        if (!timeline->uniform) {
            locate_by_threads((locating){locate_on_listed, r, timeline, cursors});
            continue;
        }
        set_spacing(&s, timeline->rate, r);
        locate_on_uniform(timeline, &s, r, cursors);
    }
}

static void locate_pairs(const locating *l, const pm_piece *piece) {
    const pm_sample_request *r = l->request;
    size_t hint = 0;
    if (r->clip->timeline_count == 1) {
        pm_timeline_locate_times(r->clip->timelines, r->times + piece->from, piece->count,
                                 l->cursors + piece->from);
        return;
    }
    for (size_t k = piece->from; k < piece->from + piece->count; k++)
        l->cursors[k] =
            pm_timeline_locate(pm_clip_timeline_of(r->clip, r->tracks[k]), r->times[k], &hint);
}

static void locate_times(const locating *l, const pm_piece *piece) {
    const pm_sample_request *r = l->request;
    pm_cursor *cursors = l->cursors;
    for (size_t i = 0; i < r->clip->timeline_count; i++, cursors += r->sample_count)
        pm_timeline_locate_times(&r->clip->timelines[i], r->times + piece->from, piece->count,
                                 cursors + piece->from);
}

void pm_sample_cursors(const pm_sample_request *request, pm_cursor *cursors) {
    if (request->cursors)
        memcpy(cursors, request->cursors, request->sample_count * sizeof *cursors);
    else if (!request->times)
        locate_at_rate(request, cursors);
    else
        locate_by_threads(
            (locating){request->tracks ? locate_pairs : locate_times, request, NULL, cursors});
}
