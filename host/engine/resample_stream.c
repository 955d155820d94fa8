/* SPDX-License-Identifier: MIT
 *
 * Keys as they come. Those that samples to come depend on are held, and are built and sampled in windows. A
 * window is a clip of some keys at their own times: its segments have the bits that they have among all keys,
 * but for those beside an end that is none, of which no sample is.
 */
#include "resampler.h"

#include <stdlib.h>
#include <string.h>

/* Keys of a window at most, keys before a segment that it depends on, and samples that are located at a
 * time. */
enum { WINDOW = 1024, BESIDE = 1, CURSORS = 2048 };

/* The arrays of a description that have a row for each key: those of channels, and user tangents. */
enum { ROTATIONS, USER = PM_CHANNEL_COUNT * PM_ARRAY_COUNT, ARRAYS, TIMES = ARRAYS, COLUMNS };

typedef struct pm_pushed_keys {
    double *rows[COLUMNS];   /* of `room` keys each, the held ones from `begin` on: owned */
    size_t numbers[COLUMNS]; /* of a key; 0: not given */
    size_t begin, count, room;
    size_t first;      /* the number of the first held key */
    double first_time; /* of key 0 */
    size_t latency;    /* keys behind the one before a sample that the sample depends on */
    bool ended;
    pm_rational key_rate;    /* 0/0: times are listed */
    uint64_t pulled;         /* samples */
    pm_rational rate, start; /* theirs */
    uint64_t first_sample;
} pm_pushed_keys;

void pm_pushed_keys_free(pm_pushed_keys *pushed) {
    for (unsigned c = 0; pushed && c < COLUMNS; c++)
        pm_release(pushed->rows[c]);
    pm_release(pushed);
}

/* The first held key in a column. */
static double *held(const pm_pushed_keys *p, unsigned column) {
    return p->rows[column] + p->begin * p->numbers[column];
}

pm_status pm_resampler_open(pm_resampler **resampler, pm_error *error) {
    pm_error_clear(error);
    if (!resampler)
        return pm_fail(error, PM_ERROR_ARGUMENT, "resampler is NULL");
    pm_resampler *made = pm_allocate_zeroed(NULL, 1, sizeof *made);
    if (made)
        made->pushed = pm_allocate_zeroed(NULL, 1, sizeof *made->pushed);
    if (!made || !made->pushed) {
        pm_release(made);
        return pm_fail_memory(error);
    }
    pm_threads_keep();
    *resampler = made;
    return PM_OK;
}

static pm_status check_resampler(const pm_resampler *r, pm_error *error) {
    pm_error_clear(error);
    if (!r)
        return pm_fail(error, PM_ERROR_ARGUMENT, "resampler is NULL");
    return r->pushed ? PM_OK
                     : pm_fail(error, PM_ERROR_ARGUMENT,
                               "the resampler has all of its keys: pm_resampler_sample samples "
                               "them, and pm_resampler_open makes one whose keys are pushed");
}

pm_status pm_resampler_end(pm_resampler *resampler, pm_error *error) {
    const pm_status status = check_resampler(resampler, error);
    if (status == PM_OK)
        resampler->pushed->ended = true;
    return status;
}

/* ---- pushing ------------------------------------------------------------------------------- */

static pm_array *array_of(pm_clip_desc *d, unsigned array) {
    pm_array *const all[ARRAYS] = {
        &d->rotations,     &d->tangents_in, &d->tangents_out, &d->positions,  &d->positions_in,
        &d->positions_out, &d->scales,      &d->scales_in,    &d->scales_out, &d->user_tangents};
    return all[array];
}

/* Numbers that an array of a checked description has for a key; 0: it is not read. */
static size_t numbers_of(const pm_clip_desc *desc, unsigned array) {
    const unsigned channel = array / PM_ARRAY_COUNT;
    if (array == USER)
        return pm_takes_user_tangents(desc) ? 3 * desc->track_count : 0;
    const bool is_read =
        pm_channel_array(desc, channel, PM_ARRAY_KEYS)->data &&
        (array % PM_ARRAY_COUNT == PM_ARRAY_KEYS || pm_channel_impl(desc, channel).both_tangents);
    return is_read ? pm_channel_components(channel) * desc->track_count : 0;
}

/* The latency of the channels; 0: a sample depends on all keys. */
static size_t latency_of(const pm_clip_desc *desc) {
    size_t latency = 1;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_method_impl impl = pm_channel_impl(desc, c);
        if (pm_channel_array(desc, c, PM_ARRAY_KEYS)->data)
            latency = pm_longer_latency(latency, pm_impl_latency(&impl));
    }
    return latency;
}

static pm_status check_first(const pm_clip_desc *desc, pm_error *error) {
    if (pm_timeline_count(desc) > 1)
        return pm_fail(error, PM_ERROR_ARGUMENT, "pushed keys have one timeline");
    if (desc->loop > 0)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "loop",
                             "is given, but the last keys of a loop are beside its first");
    if (pm_is_coded(desc))
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "rotations",
                             "are codes, expected numbers where keys are pushed");
    if (latency_of(desc) == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "a spline depends on all keys, and those to come are not known: circular-c2 "
                       "and parabolas through three keys are as smooth and depend on four");
    for (unsigned c = 0; desc->timelines[0].times && c < PM_CHANNEL_COUNT; c++)
        if (pm_channel_array(desc, c, PM_ARRAY_KEYS)->data && pm_channel_impl(desc, c).uniform)
            return pm_fail(error, PM_ERROR_TIME,
                           "a B-spline requires uniform keys, and those to come are not known: "
                           "expected a rate in place of times");
    return PM_OK;
}

/* What all pushes have in common, beside the rate and which arrays there are. */
#define PM_OPTION(name, field)                                                                     \
    { name, offsetof(pm_clip_desc, field), sizeof((pm_clip_desc *)0)->field }
static const struct {
    const char *name;
    size_t field, bytes;
} options[] = {PM_OPTION("track-count", track_count),
               PM_OPTION("method", method),
               PM_OPTION("vector-method", vector_method),
               PM_OPTION("key-format", key_format),
               PM_OPTION("loop", loop),
               PM_OPTION("tangents", tangents),
               PM_OPTION("tension", tension),
               PM_OPTION("continuity", continuity),
               PM_OPTION("bias", bias),
               PM_OPTION("ends", ends),
               PM_OPTION("unlimited", unlimited),
               PM_OPTION("axes", axes.data),
               PM_OPTION("axis-count", axis_count),
               PM_OPTION("axis-frame", axis_frame),
               PM_OPTION("windows", windows),
               PM_OPTION("window-count", window_count)};

/* Whether keys go on those that are held, in their options, arrays and times. */
static pm_status check_next(const pm_resampler *r, const pm_clip_desc *desc, pm_error *error) {
    const pm_pushed_keys *p = r->pushed;
    const pm_timeline *timeline = &desc->timelines[0];
    const char *differs = NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (memcmp((const char *)desc + options[i].field, (const char *)&r->desc + options[i].field,
                   options[i].bytes) != 0)
            differs = options[i].name;
    if (timeline->rate.num != p->key_rate.num || timeline->rate.den != p->key_rate.den)
        differs = "rate";
    if (differs)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, differs, "is not that of the first push");
    for (unsigned a = 0; a < ARRAYS; a++)
        if (numbers_of(desc, a) != p->numbers[a])
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "the arrays of keys are not those of the first push");
    const double times[] = {held(p, TIMES)[p->count - 1], pm_timeline_time(timeline, 0)};
    const pm_timeline step = {.key_count = 2, .times = times};
    if (timeline->times && pm_timeline_check(&step, 0, NULL) != PM_OK)
        return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, 0,
                          "key time is %.17g s, not 1e-70 to 1e70 s behind that of the last key "
                          "pushed, %.17g s",
                          times[1], times[0]);
    const pm_timeline all = {.key_count = p->first + p->count + timeline->key_count,
                             .rate = {1, 1}};
    return pm_timeline_check(&all, 0, error);
}

/* What does not change from push to push. The layout has one key: jobs are checked with it. */
static pm_status begin(pm_resampler *r, const pm_clip_desc *desc, pm_error *error) {
    pm_pushed_keys *p = r->pushed;
    pm_timeline timeline = desc->timelines[0];
    r->desc = *desc;
    r->desc.timelines = &timeline;
    timeline.key_count = 1;
    p->latency = latency_of(desc);
    p->key_rate = timeline.rate;
    p->first_time = pm_timeline_time(&timeline, 0);
    for (unsigned a = 0; a < ARRAYS; a++)
        p->numbers[a] = numbers_of(desc, a);
    p->numbers[TIMES] = 1;
    return pm_clip_data_lay_out(NULL, &r->desc, NULL, &r->layout, error);
}

/* Makes room behind the held keys. They are moved to the front where no more are held than were dropped, so
 * that a key is moved once. */
static bool make_room(pm_pushed_keys *p, size_t more) {
    size_t bytes;
    if (p->begin + p->count + more <= p->room)
        return true;
    for (unsigned c = 0; p->begin >= p->count && c < COLUMNS; c++)
        if (p->rows[c])
            memmove(p->rows[c], held(p, c), p->count * p->numbers[c] * sizeof(double));
    p->begin = p->begin >= p->count ? 0 : p->begin;
    const size_t room = 2 * (p->begin + p->count + more);
    for (unsigned c = 0; room > 2 * p->room && c < COLUMNS; c++) {
        double *rows = NULL;
        if (p->numbers[c] == 0)
            continue;
        if (pm_multiply(room, p->numbers[c] * sizeof *rows, &bytes))
            rows = pm_reallocate(NULL, p->rows[c], bytes);
        if (!rows)
            return false;
        p->rows[c] = rows;
    }
    p->room = room > 2 * p->room ? room : p->room;
    return true;
}

static void append(pm_pushed_keys *p, pm_clip_desc desc) {
    const pm_timeline *timeline = &desc.timelines[0];
    for (size_t k = 0; k < timeline->key_count; k++, p->count++) {
        held(p, TIMES)[p->count] =
            pm_timeline_time(timeline, timeline->times ? k : p->first + p->count);
        for (unsigned a = 0; a < ARRAYS; a++) {
            const pm_array *from = array_of(&desc, a);
            const size_t row = p->numbers[a] * pm_number_size(from->type);
            const pm_array_view view = {from->data, from->type, from->stride ? from->stride : row};
            for (size_t i = 0; i < p->numbers[a]; i++)
                held(p, a)[p->count * p->numbers[a] + i] = pm_number_at(&view, k, i);
        }
    }
}

pm_status pm_resampler_push(pm_resampler *resampler, const pm_clip_desc *desc, pm_error *error) {
    pm_resampler *r = resampler;
    pm_status status = check_resampler(r, error);
    if (status == PM_OK && r->pushed->ended)
        return pm_fail(error, PM_ERROR_ARGUMENT, "keys are pushed behind the end");
    const bool is_first = status == PM_OK && !r->layout;
    if (status == PM_OK)
        status = pm_clip_check(desc, error);
    if (status == PM_OK)
        status = is_first ? check_first(desc, error) : check_next(r, desc, error);
    if (status == PM_OK && is_first)
        status = begin(r, desc, error);
    if (status == PM_OK && !make_room(r->pushed, desc->timelines[0].key_count))
        status = pm_fail_memory(error);
    if (status == PM_OK)
        append(r->pushed, *desc);
    else if (is_first && r)
        pm_clip_data_free(&r->layout);
    return status;
}

/* ---- pulling ------------------------------------------------------------------------------- */

/* Samples `done` and later of a request are to be computed. */
typedef struct pulling {
    pm_resampler *r;
    pm_pushed_keys *keys;
    pm_sample_request request;
    pm_exact_uniform_map
        map; /* of the request, on key 0 and later; scale 0: keys have listed times */
    size_t done;
} pulling;

/* Whether sample k is before a key, one of those held; or, `with_key`, at its time. */
static bool is_before(const pulling *p, size_t k, size_t key, bool with_key) {
    const pm_pushed_keys *keys = p->keys;
    if (p->map.scale) {
        const pm_i128 at = p->map.start + (pm_i128)(p->map.step * k);
        const pm_i128 end = (pm_i128)p->map.scale * (pm_i128)(keys->first + key);
        return with_key ? at <= end : at < end;
    }
    const double at = pm_sample_time(&p->request, keys->first_time, p->request.first + k);
    return with_key ? at <= held(keys, TIMES)[key] : at < held(keys, TIMES)[key];
}

/* Whether sample k is decided by the first `count` of the held keys, which are the last of all or not. */
static bool is_decided(const pulling *p, size_t k, size_t count, bool are_last) {
    const size_t latency = p->keys->latency;
    if (are_last)
        return is_before(p, k, count - 1, true);
    return count > latency && is_before(p, k, count - latency, false);
}

/* Held keys before sample k that lie behind the first, at most WINDOW. */
static size_t keys_before(const pulling *p, size_t k) {
    size_t key = 0;
    while (key < WINDOW && key + 1 < p->keys->count && !is_before(p, k, key + 1, false))
        key++;
    return key;
}

static pm_status build_window(const pulling *p, size_t count, pm_clip_data **clip,
                              pm_error *error) {
    const pm_pushed_keys *keys = p->keys;
    const pm_clip_limits limits = {.threads = p->request.host_threads, .is_checked = true};
    const pm_timeline timeline = {.key_count = count, .times = held(keys, TIMES)};
    pm_clip_desc desc = p->r->desc;
    desc.timelines = &timeline;
    for (unsigned a = 0; a < ARRAYS; a++) {
        const void *rows = keys->numbers[a] ? held(keys, a) : NULL;
        *array_of(&desc, a) = (pm_array){.data = rows, .type = PM_FLOAT64};
    }
    return pm_clip_data_build(&desc, &limits, clip, error);
}

/* Where sample k is in a window. */
static pm_cursor cursor_of(const pulling *p, const pm_clip_data *window, size_t k, size_t *hint) {
    const pm_pushed_keys *keys = p->keys;
    const size_t last = keys->first + keys->count - 1;
    const pm_clip_timeline all = {.segment_count = !keys->ended ? PM_CURSOR_SEGMENT
                                                   : last > 0   ? last
                                                                : 1,
                                  .constant = keys->ended && last == 0};
    if (!p->map.scale)
        return pm_timeline_locate(
            window->timelines, pm_sample_time(&p->request, keys->first_time, p->request.first + k),
            hint);
    pm_cursor cursor = pm_timeline_locate_exact(&all, &p->map, k);
    cursor.segment -= (pm_u32)keys->first;
    return cursor;
}

static pm_status compute(void *context, const pm_sample_request *request, pm_error *error) {
    (void)context;
    return pm_cpu_sample(request, error);
}

/* Computes the samples that a window decides. */
static pm_status sample_window(pulling *p, const pm_clip_data *window, size_t keys, bool are_last,
                               pm_error *error) {
    pm_cursor cursors[CURSORS];
    pm_status status = PM_OK;
    size_t count = CURSORS, hint = 0;
    while (status == PM_OK && count == CURSORS) {
        for (count = 0; count < CURSORS && p->done + count < p->request.sample_count &&
                        is_decided(p, p->done + count, keys, are_last);
             count++)
            cursors[count] = cursor_of(p, window, p->done + count, &hint);
        pm_sample_request part = pm_sample_request_piece(&p->request, &(pm_piece){p->done, count});
        part.clip = window;
        part.cursors = cursors;
        part.map = (pm_uniform_map){0}; /* samples are where the cursors are */
        if (count > 0)
            status = pm_sample_with_strides(&part, PM_STRIDED_VALUES, compute, NULL, error);
        if (status == PM_OK)
            p->done += count;
    }
    return status;
}

static pm_quat stored_key(const pm_channel *channel, size_t track, size_t key) {
    const pm_track_layout *layout = &channel->layout[track];
    const size_t at = layout->first + key * layout->row;
    const float *floats = (const float *)channel->keys + at;
    return channel->format == PM_KEYS_FLOAT32
               ? pm_quat_of(floats[0], floats[1], floats[2], floats[3])
               : pm_key_load(channel->format, channel->keys, at);
}

/* Gives a held key the signs with which it is stored in a window: those that all keys before it decide. */
static void keep_signs(const pm_pushed_keys *keys, const pm_clip_data *window, size_t key) {
    const pm_channel *channel = &window->channels[PM_ROTATIONS];
    double *q = held(keys, ROTATIONS) + key * keys->numbers[ROTATIONS];
    for (size_t t = 0; channel->present && t < window->track_count; t++, q += 4) {
        const pm_quat stored = stored_key(channel, t, key);
        const double dot = q[0] * (double)stored.x + q[1] * (double)stored.y +
                           q[2] * (double)stored.z + q[3] * (double)stored.w;
        for (size_t i = 0; dot < 0 && i < 4; i++)
            q[i] = -q[i];
    }
}

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Samples a window, and drops the keys that later samples do not depend on. *goes_on: there may be more. */
static pm_status pull_window(pulling *p, bool *goes_on, pm_error *error) {
    pm_pushed_keys *keys = p->keys;
    const size_t left = p->request.sample_count - p->done;
    const bool any = left > 0 && is_decided(p, p->done, keys->count, keys->ended);
    const size_t reach = any ? keys_before(p, p->done + left - 1) + keys->latency + 1 : WINDOW;
    const size_t count = least_of(least_of(reach, WINDOW), keys->count);
    pm_clip_data *window = NULL;
    *goes_on = any || keys_before(p, p->done) == WINDOW;
    if (!*goes_on)
        return PM_OK;
    pm_status status = build_window(p, count, &window, error);
    if (status == PM_OK)
        status = sample_window(p, window, count, keys->ended && count == keys->count, error);
    const size_t before = keys_before(p, p->done);
    if (status == PM_OK && before > BESIDE) {
        const size_t dropped = least_of(before - BESIDE, count - 1);
        keep_signs(keys, window, dropped);
        keys->begin += dropped;
        keys->first += dropped;
        keys->count -= dropped;
    }
    pm_clip_data_free(&window);
    return status;
}

static bool is_same(pm_rational a, pm_rational b) {
    return a.num == b.num && a.den == b.den;
}

/* Checks a job, and resolves which samples it is about. */
static pm_status resolve(pulling *p, const pm_sample_job *job, pm_error *error) {
    pm_pushed_keys *keys = p->keys;
    const pm_rational start = job->start_after_first_key;
    if (job->times || job->tracks || job->subset || job->subset_count > 0)
        return pm_fail(
            error, PM_ERROR_ARGUMENT,
            "times, tracks or a subset are given: samples are pulled at a rate, of all tracks");
    pm_status status = pm_sample_check_outputs(&p->request, error);
    if (status == PM_OK)
        status = pm_sample_check_times(p->r->layout, job, 1, error);
    if (status != PM_OK)
        return status;
    if (keys->pulled > 0 && !(is_same(job->rate, keys->rate) && is_same(start, keys->start) &&
                              job->first == keys->first_sample))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "rate, start and first are not those of the samples pulled before");
    keys->rate = job->rate;
    keys->start = start;
    keys->first_sample = job->first;
    uint64_t *first = &p->request.first;
    if (__builtin_add_overflow(job->first, keys->pulled, first) ||
        (pm_rational_given(keys->key_rate) &&
         !pm_uniform_map_of(keys->key_rate, job->rate, start, *first, job->sample_count, &p->map)))
        return pm_fail(error, PM_ERROR_SIZE, "the samples are too many for exact times");
    return PM_OK;
}

pm_status pm_resampler_pull(pm_resampler *resampler, const pm_sample_job *job, size_t *count,
                            pm_error *error) {
    pm_resampler *r = resampler;
    pm_status status = check_resampler(r, error);
    if (status == PM_OK && (!job || !count))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", job ? "count" : "job");
    if (status == PM_OK)
        status = PM_CHECK_NEXT(pm_sample_job, job, error);
    if (status != PM_OK)
        return status;
    *count = 0;
    if (!r->layout || job->sample_count == 0)
        return PM_OK;
    pulling p = {.r = r, .keys = r->pushed};
    p.request = pm_sample_request_of(r->layout, job, pm_processors());
    status = resolve(&p, job, error);
    for (bool goes_on = true; status == PM_OK && goes_on;)
        status = pull_window(&p, &goes_on, error);
    p.keys->pulled += p.done;
    *count = p.done;
    return status;
}
