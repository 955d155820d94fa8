/* SPDX-License-Identifier: MIT
 *
 * Low-passes: a clip whose keys go on at both ends, by their point reflections, and the timeline of the
 * keys themselves. The reflection of a rotation q about p is p q^-1 p.
 */
#include "engine.h"

#include <math.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------------------------- */

static pm_status check_desc(const pm_clip_desc *desc, pm_error *error) {
    const pm_status status = pm_clip_check(desc, error);
    const char *reason = NULL;
    if (status != PM_OK)
        return status;
    if (desc->method != PM_METHOD_SLERP ||
        (desc->vector_method && desc->vector_method != PM_VECTOR_LINEAR))
        reason = "the method is not slerp";
    else if (pm_timeline_count(desc) > 1)
        reason = "tracks have timelines of their own";
    else if (desc->timelines[0].times)
        reason = "keys are at listed times";
    else if (desc->loop > 0)
        reason = "the keys are a loop";
    else if (desc->key_format != PM_KEYS_FLOAT32)
        reason = "keys are not stored as float32";
    return reason ? pm_fail(error, PM_ERROR_ARGUMENT, "a low-pass needs uniform keys: %s", reason)
                  : PM_OK;
}

static pm_status check_cutoff(double cutoff, double rate, pm_error *error) {
    if (!(cutoff > 0))
        return pm_fail(error, PM_ERROR_ARGUMENT, "cut-off is %g Hz, expected above 0", cutoff);
    if (!(cutoff <= 0.5 * rate))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "cut-off is %g Hz, above half the rate of the keys, %g Hz: there is nothing "
                       "to remove",
                       cutoff, 0.5 * rate);
    if (pm_lowpass_taps(cutoff / rate) == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "cut-off is %g Hz, expected at least %g Hz at %g keys per second", cutoff,
                       10 * rate / PM_LOWPASS_MAX_TAPS, rate);
    return PM_OK;
}

/* ---- keys beyond the ends ------------------------------------------------------------------ */

/* Rows of keys: those of the source from row `first` on, as many reflected ones before and behind, and rows
 * whose values do not matter. */
typedef struct extension {
    size_t first, count, all; /* rows */
    size_t tracks, components;
    float *rows; /* (all, tracks, components) */
} extension;

static float *value_at(const extension *e, size_t row, size_t track) {
    return e->rows + (row * e->tracks + track) * e->components;
}

static double norm_of(const double q[4]) {
    return sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
}

/* Normalised, each with the sign nearer to the one before: the sign of the first key is that of all. */
static void copy_rotation(const double from[4], const float *before, float *to) {
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += before ? from[i] * (double)before[i] : 0;
    const double scale = (dot < 0 ? -1 : 1) / norm_of(from);
    for (int i = 0; i < 4; i++)
        to[i] = (float)(from[i] * scale);
}

static void copy_key(const extension *e, const pm_array_view *view, size_t k, size_t track) {
    float *to = value_at(e, e->first + k, track);
    double key[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < e->components; i++)
        key[i] = pm_number_at(view, k, i);
    if (e->components == 4)
        copy_rotation(key, k > 0 ? value_at(e, e->first + k - 1, track) : NULL, to);
    for (size_t i = 0; e->components == 3 && i < 3; i++)
        to[i] = (float)key[i];
}

/* Row after row, because rows are long. */
static void copy_keys(const extension *e, const pm_clip_desc *desc, const pm_array *array) {
    for (size_t k = 0; k < e->count; k++)
        for (size_t t = 0; t < e->tracks; t++) {
            const pm_array_view view = pm_track_view(desc, array, (unsigned)e->components, t, 0);
            copy_key(e, &view, k, t);
        }
}

static void multiply(const double a[4], const double b[4], double to[4]) {
    to[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    to[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    to[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    to[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void reflect_rotation(const float about[4], const float from[4], float to[4]) {
    double p[4], inverse[4], half[4], q[4];
    for (int i = 0; i < 4; i++) {
        p[i] = (double)about[i];
        inverse[i] = i < 3 ? -(double)from[i] : (double)from[i];
    }
    multiply(p, inverse, half);
    multiply(half, p, q);
    const double norm = norm_of(q);
    for (int i = 0; i < 4; i++)
        to[i] = (float)(q[i] / norm);
}

/* The numbers of a vector may be as large as pm_clip_check allows, but not larger. */
static float reflect_number(float about, float from) {
    const double to = 2 * (double)about - (double)from;
    return (float)fmax(-1e37, fmin(1e37, to));
}

static void reflect_row(const extension *e, size_t about, size_t from, size_t to) {
    for (size_t t = 0; t < e->tracks; t++) {
        const float *p = value_at(e, about, t), *q = value_at(e, from, t);
        if (e->components == 4)
            reflect_rotation(p, q, value_at(e, to, t));
        for (size_t i = 0; e->components == 3 && i < 3; i++)
            value_at(e, to, t)[i] = reflect_number(p[i], q[i]);
    }
}

/* Rows are added at both ends in turn, as far as those at the other end reach. A single key goes on as
 * it is. */
static void reflect_ends(const extension *e) {
    const size_t begin = e->first, end = e->first + e->count - 1, reflected = end + e->first + 1;
    const size_t row = e->tracks * e->components;
    size_t low = begin, high = end;
    while (low > 0 || high + 1 < reflected) {
        for (; high + 1 < reflected && (begin == end || 2 * end >= low + high + 1); high++)
            reflect_row(e, end, begin == end ? end : 2 * end - high - 1, high + 1);
        for (; low > 0 && (begin == end || 2 * begin <= high + low - 1); low--)
            reflect_row(e, begin, begin == end ? begin : 2 * begin - low + 1, low - 1);
    }
    for (; high + 1 < e->all; high++)
        memcpy(e->rows + (high + 1) * row, e->rows + high * row, row * sizeof *e->rows);
}

/* ---- the filter ---------------------------------------------------------------------------- */

static pm_status extend(const pm_host *host, const pm_clip_desc *desc, unsigned channel,
                        extension *e, pm_array *to, pm_error *error) {
    const pm_array *array = pm_channel_array(desc, channel, PM_ARRAY_KEYS);
    size_t numbers, bytes;
    if (!array->data)
        return PM_OK;
    e->tracks = desc->track_count;
    e->components = pm_channel_components(channel);
    if (!pm_multiply(e->all, e->tracks, &numbers) ||
        !pm_multiply(numbers, e->components * sizeof(float), &bytes))
        return pm_fail_memory(error);
    e->rows = pm_allocate(host, bytes);
    if (!e->rows)
        return pm_fail_memory(error);
    copy_keys(e, desc, array);
    reflect_ends(e);
    *to = (pm_array){.data = e->rows, .type = PM_FLOAT32};
    return PM_OK;
}

/* Rows beyond the ends: those that the weights reach, and behind them what lanes load past the last
 * track. */
static pm_status make_clip(pm_engine *engine, const pm_clip_desc *desc, pm_filter *filter,
                           pm_error *error) {
    const size_t half = filter->lowpass.taps / 2, keys = desc->timelines[0].key_count;
    extension of[PM_CHANNEL_COUNT] = {{0}};
    pm_timeline timeline = {.key_count = keys + 2 * half + PM_TRACK_GROUP,
                            .rate = desc->timelines[0].rate};
    pm_clip_desc extended = {.track_count = desc->track_count, .timelines = &timeline};
    pm_array *arrays[] = {&extended.rotations, &extended.positions, &extended.scales};
    pm_status status = PM_OK;
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++) {
        of[c] = (extension){.first = half, .count = keys, .all = timeline.key_count};
        status = extend(&engine->host, desc, c, &of[c], arrays[c], error);
    }
    if (status == PM_OK)
        status = pm_clip_create(engine, &extended, &filter->clip, error);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        pm_release(of[c].rows);
    return status;
}

static pm_status make_filter(pm_engine *engine, const pm_clip_desc *desc, double cutoff,
                             pm_filter *filter, pm_error *error) {
    const double rate = pm_rational_value(desc->timelines[0].rate);
    pm_status status = check_cutoff(cutoff, rate, error);
    if (status == PM_OK)
        status = pm_clip_data_lay_out(&engine->host, desc, NULL, &filter->source, error);
    if (status != PM_OK)
        return status;
    const pm_u32 taps = pm_lowpass_taps(cutoff / rate);
    filter->lowpass = (pm_lowpass){
        .cutoff = cutoff / rate, .taps = taps, .first = taps / 2, .source = filter->source};
    return make_clip(engine, desc, filter, error);
}

pm_status pm_filter_create(pm_engine *engine, const pm_clip_desc *desc, double cutoff,
                           pm_filter **filter, pm_error *error) {
    pm_error_clear(error);
    if (!engine || !filter)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", engine ? "filter" : "engine");
    pm_status status = check_desc(desc, error);
    if (status != PM_OK)
        return status;
    pm_filter *made = pm_allocate_zeroed(&engine->host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    status = make_filter(engine, desc, cutoff, made, error);
    if (status == PM_OK)
        *filter = made;
    else
        pm_filter_destroy(&made);
    return status;
}

void pm_filter_destroy(pm_filter **handle) {
    pm_filter *filter = handle ? *handle : NULL;
    if (!filter)
        return;
    pm_clip_destroy(&filter->clip);
    pm_clip_data_free(&filter->source);
    pm_release(filter);
    *handle = NULL;
}

pm_status pm_filter_check(const pm_sample_job *job, const pm_sample_request *request,
                          pm_error *error) {
    const unsigned outputs = pm_sample_outputs(request);
    const char *without = job->tracks                            ? "pairs of track and time"
                          : job->subset || job->subset_count > 0 ? "subsets"
                          : outputs & 1u << PM_OUT_VELOCITIES    ? "velocities"
                          : outputs & 1u << PM_OUT_ACCELERATIONS ? "accelerations"
                                                                 : NULL;
    return without ? pm_fail(error, PM_ERROR_ARGUMENT, "a low-pass has no %s", without) : PM_OK;
}

pm_status pm_filter_sample(const pm_filter *filter, const pm_sample_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!filter || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", filter ? "job" : "filter");
    pm_status status = PM_CHECK_NEXT(pm_sample_job, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    pm_sample_request request = pm_engine_sample_request(filter->clip, NULL, job);
    request.lowpass = &filter->lowpass;
    status = pm_filter_check(job, &request, error);
    if (status == PM_OK)
        status = pm_sample_check_outputs(&request, error);
    if (status == PM_OK)
        status = pm_sample_check_times(filter->source, job, request.host_threads, error);
    return status == PM_OK ? pm_engine_sample(filter->clip, job, &request, error) : status;
}
