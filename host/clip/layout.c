/* SPDX-License-Identifier: MIT
 *
 * Lays out a clip's planes and timelines, and allocates those of a clip on its own; build.c fills them.
 */
#include "description.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "kernels/pm_keys.h"

/* Rows of a track: one per segment border. The last row holds a loop's first key again. Curves with four
 * keys have one more at either end, which holds the neighbour of a loop's end; those of open tracks are
 * read, and have no meaning. */
static size_t rows_of(const pm_channel *channel, const pm_clip_timeline *timeline) {
    return timeline->segment_count + 1 + 2 * pm_rows_before(channel);
}

/* Of a track beside that of the root, which alone has keys: its time is found, and what is loaded is the
 * first key. */
static pm_track_layout no_keys(uint32_t timeline, pm_u32 rates) {
    return (pm_track_layout){.timeline = timeline, .rates = rates, .wrap = 1};
}

static pm_status lay_out_common(const pm_clip_data *clip, pm_channel *channel, pm_error *error) {
    size_t plane = 4 * channel->places;
    size_t row = plane * pm_curve_planes(channel->impl.curve);
    size_t rest = pm_key_alignment(channel->format) - 1;
    size_t *numbers = &channel->key_numbers;
    if (row > UINT32_MAX || !pm_multiply(row, rows_of(channel, clip->timelines), numbers) ||
        __builtin_add_overflow(*numbers, rest, numbers))
        return pm_fail(error, PM_ERROR_SIZE, "the clip's rows are too large");
    *numbers &= ~rest;
    for (size_t p = 0; p < clip->track_count; p++)
        channel->layout[pm_track_at(clip->order, p)] =
            channel->of_root && p > 0
                ? no_keys(0, 0)
                : (pm_track_layout){.first = 4 * p + pm_rows_before(channel) * row,
                                    .row = (pm_u32)row,
                                    .plane = (pm_u32)plane,
                                    .wrap = 1};
    return PM_OK;
}

static pm_status lay_out_per_track(const pm_clip_data *clip, pm_channel *channel, pm_error *error) {
    pm_u32 row = 4 * pm_curve_planes(channel->impl.curve);
    size_t rest = pm_key_alignment(channel->format) - 1;
    size_t at = 0;
    for (size_t t = 0; t < clip->track_count; t++) {
        uint32_t timeline = clip->timeline_of[t];
        pm_u32 rates = clip->timelines[timeline].rates;
        channel->layout[t] = no_keys(timeline, rates);
        if (channel->of_root && t != pm_track_at(clip->order, 0))
            continue;
        channel->layout[t].first = at + pm_rows_before(channel) * row;
        channel->layout[t].row = row;
        channel->layout[t].plane = 4;
        if (__builtin_add_overflow(at, row * rows_of(channel, &clip->timelines[timeline]), &at) ||
            __builtin_add_overflow(at, rest, &at))
            return pm_fail(error, PM_ERROR_SIZE, "the clip's rows are too large");
        at &= ~rest;
    }
    channel->key_numbers = at;
    return PM_OK;
}

static pm_status lay_out(const pm_clip_data *clip, pm_channel *channel, pm_error *error) {
    channel->layout = pm_allocate_zeroed(clip->host, clip->track_count, sizeof *channel->layout);
    if (!channel->layout)
        return pm_fail_memory(error);
    pm_status status = clip->common_timeline ? lay_out_common(clip, channel, error)
                                             : lay_out_per_track(clip, channel, error);
    if (status == PM_OK &&
        !pm_key_bytes(channel->format, channel->key_numbers, &channel->key_bytes))
        return pm_fail(error, PM_ERROR_SIZE, "the clip's bytes do not fit size_t");
    channel->constant_floats =
        pm_rows_before(channel)
            ? PM_SPACING_FLOATS * clip->rate_count
            : (size_t)pm_curves[channel->impl.curve].constants * 4 * channel->places;
    return status;
}

/* The segments of all timelines, one timeline after another. */
static pm_status number_segments(pm_clip_data *clip, pm_error *error) {
    for (size_t i = 0; i < clip->timeline_count; i++) {
        clip->timelines[i].rates = (pm_u32)clip->rate_count;
        clip->rate_count += clip->timelines[i].segment_count;
        if (clip->rate_count > UINT32_MAX)
            return pm_fail(error, PM_ERROR_SIZE,
                           "the timelines have more than %u segments in total", UINT32_MAX);
    }
    return PM_OK;
}

static pm_status build_timelines(const pm_clip_desc *desc, pm_clip_data *clip, pm_error *error) {
    clip->timelines = pm_allocate_zeroed(clip->host, clip->timeline_count, sizeof *clip->timelines);
    clip->timeline_of =
        pm_allocate_zeroed(clip->host, clip->track_count, sizeof *clip->timeline_of);
    clip->wraps = pm_allocate_zeroed(clip->host, clip->padded_tracks, sizeof *clip->wraps);
    if (!clip->timelines || !clip->timeline_of || !clip->wraps)
        return pm_fail_memory(error);
    for (size_t t = 0; desc->timeline_of && t < clip->track_count; t++)
        clip->timeline_of[t] = desc->timeline_of[t];
    for (size_t i = 0; i < clip->timeline_count; i++) {
        pm_status status = pm_timeline_build(clip->host, &desc->timelines[i], desc->loop,
                                             &clip->timelines[i], error);
        if (status != PM_OK)
            return status;
    }
    return number_segments(clip, error);
}

static pm_status build_rates(pm_clip_data *clip, pm_error *error) {
    clip->rates = pm_allocate_zeroed(clip->host, clip->rate_count, sizeof *clip->rates);
    if (!clip->rates)
        return pm_fail_memory(error);
    for (size_t i = 0; i < clip->timeline_count; i++) {
        const pm_clip_timeline *timeline = &clip->timelines[i];
        for (size_t k = 0; k < timeline->segment_count; k++) {
            const double *times = timeline->times + k;
            clip->rates[timeline->rates + k] = pm_stored(fmin(1 / (times[1] - times[0]), 1e38));
        }
    }
    return PM_OK;
}

/* A crowd's planes have as many places as there are tracks. Scalars lie four to a place. */
static size_t places_of(const pm_clip_data *clip, const pm_channel *channel) {
    if (!clip->order)
        return clip->padded_tracks;
    if (channel->scalars > 0)
        return (PM_FIRST_SCALAR + channel->scalars + 3) / 4;
    return channel->of_root ? 1 : clip->track_count;
}

static pm_status lay_out_channels(const pm_clip_desc *desc, pm_clip_data *clip, pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++) {
        pm_channel *channel = &clip->channels[c];
        channel->present = pm_channel_array(desc, c, PM_ARRAY_KEYS)->data != NULL;
        channel->of_root = channel->present && pm_is_of_root(desc, c);
        channel->scalars = c == PM_POSITIONS ? pm_scalar_count(desc) : 0;
        channel->components = pm_channel_components(c);
        channel->impl = pm_channel_impl(desc, c);
        channel->format = pm_channel_format(desc, c);
        channel->places = places_of(clip, channel);
        if (channel->present)
            status = lay_out(clip, channel, error);
    }
    return status;
}

/* Zeros what the builder does not write: all, if tracks lie one after another or keys have 48 bits; else
 * the rows at the ends, which hold at most a key. */
static void clear_rest(const pm_clip_data *clip, pm_channel *channel) {
    const size_t before = pm_rows_before(channel);
    const size_t row = 4 * channel->places * pm_curve_planes(channel->impl.curve);
    const size_t rows = rows_of(channel, clip->timelines);
    if (!clip->common_timeline || channel->format != PM_KEYS_FLOAT32) {
        memset(channel->keys, 0, channel->key_bytes);
        return;
    }
    float *keys = channel->keys;
    memset(keys, 0, before * row * sizeof *keys);
    memset(keys + (rows - 1 - before) * row, 0, (1 + before) * row * sizeof *keys);
}

static pm_status allocate_channel(const pm_clip_data *clip, pm_channel *channel,
                                  const pm_clip_limits *limits, pm_error *error) {
    channel->constants =
        pm_allocate_zeroed(clip->host, channel->constant_floats + 1, sizeof(float));
    if (!channel->constants)
        return pm_fail_memory(error);
    if (limits->without_keys)
        return PM_OK;
    channel->memory = limits->pool ? pm_pool_take(limits->pool, channel->key_bytes)
                                   : pm_block_make(clip->host, channel->key_bytes);
    channel->keys = pm_pool_memory(channel->memory);
    if (!channel->keys)
        return pm_fail_memory(error);
    clear_rest(clip, channel);
    return PM_OK;
}

/* Sizes are checked before any segment is computed. */
static pm_status allocate_channels(pm_clip_data *clip, const pm_clip_limits *limits,
                                   pm_error *error) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        pm_channel *channel = &clip->channels[c];
        if (!channel->present)
            continue;
        pm_status status =
            pm_check_allocation(limits->max_allocation_bytes, "clip", channel->key_bytes, error);
        if (status == PM_OK)
            status = allocate_channel(clip, channel, limits, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static pm_status build(const pm_clip_desc *desc, const pm_clip_limits *limits, pm_clip_data *clip,
                       pm_error *error) {
    pm_status status = build_timelines(desc, clip, error);
    if (status == PM_OK)
        status = build_rates(clip, error);
    if (status == PM_OK)
        status = lay_out_channels(desc, clip, error);
    if (status == PM_OK)
        status = allocate_channels(clip, limits, error);
    if (status == PM_OK && limits->without_keys)
        pm_clip_build_beside_keys(desc, clip);
    else if (status == PM_OK)
        status = pm_clip_build_tracks(desc, limits->threads, clip, error);
    return status;
}

size_t pm_padded_tracks(size_t tracks) {
    size_t power = 1;
    while (power < tracks && power < PM_TRACK_GROUP)
        power *= 2;
    return (tracks + power - 1) / power * power;
}

static pm_clip_data *describe(const pm_host *host, const pm_clip_desc *desc) {
    pm_clip_data *made = pm_allocate_zeroed(host, 1, sizeof *made);
    if (!made)
        return NULL;
    made->host = host;
    made->method = desc->method;
    made->track_count = desc->track_count;
    made->padded_tracks = pm_padded_tracks(desc->track_count);
    made->timeline_count = pm_timeline_count(desc);
    made->common_timeline = made->timeline_count == 1;
    return made;
}

static pm_status give(pm_status status, pm_clip_data *made, pm_clip_data **clip) {
    if (status == PM_OK)
        *clip = made;
    else
        pm_clip_data_free(&made);
    return status;
}

pm_status pm_clip_data_build(const pm_clip_desc *desc, const pm_clip_limits *limits,
                             pm_clip_data **clip, pm_error *error) {
    pm_status status = limits->is_checked ? PM_OK : pm_clip_check(desc, error);
    if (status != PM_OK)
        return status;
    pm_clip_data *made = describe(limits->host, desc);
    return made ? give(build(desc, limits, made, error), made, clip) : pm_fail_memory(error);
}

pm_status pm_clip_data_lay_out(const pm_host *host, const pm_clip_desc *desc, const uint32_t *order,
                               pm_clip_data **clip, pm_error *error) {
    pm_clip_data *made = describe(host, desc);
    if (!made)
        return pm_fail_memory(error);
    made->order = order;
    pm_status status = build_timelines(desc, made, error);
    if (status == PM_OK)
        status = lay_out_channels(desc, made, error);
    return give(status, made, clip);
}

void pm_clip_data_place(pm_clip_data *clip, unsigned channel, void *keys, size_t first,
                        float *constants) {
    pm_channel *to = &clip->channels[channel];
    to->keys = keys;
    to->constants = constants;
    for (size_t t = 0; t < clip->track_count; t++)
        to->layout[t].first += first;
}

void pm_clip_data_hold(const pm_clip_data *clip) {
    atomic_fetch_add(&((pm_clip_data *)(uintptr_t)clip)->holders, 1);
}

void pm_clip_data_free(pm_clip_data **handle) {
    pm_clip_data *clip = *handle;
    *handle = NULL;
    if (!clip || atomic_fetch_sub(&clip->holders, 1) > 0)
        return;
    if (clip->whole) { /* a single block */
        pm_clip_data_let(clip->whole);
        pm_release(clip);
        return;
    }
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        if (!clip->order) {
            pm_pool_give(clip->channels[c].memory);
            pm_release(clip->channels[c].constants);
        }
        pm_release(clip->channels[c].layout);
    }
    for (size_t i = 0; clip->timelines && i < clip->timeline_count; i++)
        pm_timeline_free(&clip->timelines[i]);
    pm_release(clip->timelines);
    pm_release(clip->timeline_of);
    pm_release(clip->wraps);
    pm_release(clip->rates);
    pm_release(clip);
}

void pm_clip_data_let(const pm_clip_data *clip) {
    pm_clip_data *own = (pm_clip_data *)(uintptr_t)clip;
    pm_clip_data_free(&own);
}
