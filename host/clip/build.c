/* SPDX-License-Identifier: MIT
 *
 * Builds the planes of a clip from a description. Threads take the tracks block by block;
 * segments/block.c builds one block.
 */
#include "description.h"

#include "base/base.h"
#include "kernels/pm_keys.h"

/* State shared by the threads that build tracks. */
typedef struct construction {
    const pm_clip_desc *desc;
    pm_clip_data *clip;
    size_t *first_rows; /* (track_count): keys of all tracks before each; NULL: common timeline */
    size_t tracks;      /* per work item */
    pm_first_failure failure; /* of a track */
} construction;

pm_block pm_clip_block(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned c,
                       const pm_track_span *tracks) {
    const pm_channel *channel = &clip->channels[c];
    const size_t first = pm_track_at(clip->order, tracks->place);
    const pm_clip_timeline *timeline = pm_clip_timeline_of(clip, first);
    const pm_track_layout *layout = &channel->layout[first];
    float *planes = channel->format == PM_KEYS_FLOAT32 ? channel->keys : NULL;
    return (pm_block){.host = clip->host,
                      .desc = desc,
                      .channel = c,
                      .place = tracks->place,
                      .count = tracks->count,
                      .is_last = tracks->place + tracks->count == clip->track_count,
                      .order = clip->order,
                      .first_row = tracks->first_row,
                      .builder = channel->impl.segments,
                      .keeps_keys = channel->impl.keeps_keys,
                      .four_keys = pm_curves[channel->impl.curve].four_keys,
                      .key_count = timeline->key_count,
                      .segment_count = timeline->segment_count,
                      .loop = timeline->loop,
                      .single = timeline->constant,
                      .times = timeline->times,
                      .format = channel->format,
                      .keys = channel->keys,
                      .planes = planes ? planes + layout->first : NULL,
                      .row = layout->row,
                      .plane = layout->plane,
                      .layout = channel->layout,
                      .room = clip->common_timeline ? channel->places - tracks->place : 1};
}

static void note(construction *c, pm_block_result result) {
    if (result.status != PM_OK)
        pm_first_failure_note(&c->failure, result.status, result.failed, NULL);
}

/* After the position of the root, with which zeros are written to the place of the first scalar. */
static void build_scalars(construction *c) {
    const size_t count = c->clip->channels[PM_POSITIONS].scalars;
    pm_block block = pm_clip_block(c->desc, c->clip, PM_POSITIONS, &(pm_track_span){0, 1, 0});
    block.channel = PM_SCALARS;
    block.order = c->clip->scalar_order;
    block.layout = NULL;
    block.is_last = false;
    block.planes += PM_FIRST_SCALAR;
    for (; block.place < count; block.place += block.count, block.planes += block.count) {
        const size_t rest = count - block.place;
        block.count = block.room = rest < PM_BLOCK_TRACKS ? rest : PM_BLOCK_TRACKS;
        note(c, pm_segment_functions_for(block.count)->build(&block));
    }
}

static void build_span(construction *c, const pm_track_span *tracks) {
    const pm_segment_functions *set = pm_segment_functions_for(tracks->count);
    for (unsigned n = 0; n < PM_CHANNEL_COUNT; n++) {
        const pm_channel *channel = &c->clip->channels[n];
        if (!channel->present || (channel->of_root && tracks->place > 0))
            continue;
        const pm_track_span all = {tracks->place, channel->of_root ? 1 : tracks->count,
                                   tracks->first_row};
        const pm_block block = pm_clip_block(c->desc, c->clip, n, &all);
        note(c, set->build(&block));
    }
    if (tracks->place == 0 && c->clip->channels[PM_POSITIONS].scalars > 0)
        build_scalars(c);
}

/* The per-track values beside the keys: track constants, and the sign of odd laps. */
static void finish_track(const construction *c, size_t place) {
    pm_clip_data *clip = c->clip;
    const size_t t = pm_track_at(clip->order, place);
    for (unsigned n = 0; n < PM_CHANNEL_COUNT; n++) {
        pm_channel *channel = &clip->channels[n];
        if (channel->present && channel->impl.constants && (place == 0 || !channel->of_root))
            channel->impl.constants(c->desc, t, channel->constants + 4 * place,
                                    4 * channel->places);
    }
    if (clip->channels[PM_ROTATIONS].present)
        clip->wraps[t] = clip->channels[PM_ROTATIONS].layout[t].wrap;
}

/* With per-track timelines, each track is built alone. */
static pm_track_span span_at(const construction *c, size_t place) {
    const size_t rest = c->clip->track_count - place;
    if (c->first_rows)
        return (pm_track_span){place, 1, c->first_rows[pm_track_at(c->clip->order, place)]};
    return (pm_track_span){place, rest < c->tracks ? rest : c->tracks, 0};
}

static void build_items(void *context, pm_items *items) {
    construction *c = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        size_t place = item * c->tracks, end = place + c->tracks;
        while (place < end && place < c->clip->track_count) {
            const pm_track_span tracks = span_at(c, place);
            build_span(c, &tracks);
            for (size_t i = 0; i < tracks.count; i++)
                finish_track(c, place++);
        }
    }
}

static bool find_first_rows(construction *c) {
    size_t row = 0;
    if (c->clip->common_timeline)
        return true;
    c->first_rows = pm_allocate(c->clip->host, c->clip->track_count * sizeof *c->first_rows);
    for (size_t t = 0; c->first_rows && t < c->clip->track_count; t++) {
        c->first_rows[t] = row;
        row += pm_timeline_of_track(c->desc, t)->key_count;
    }
    return c->first_rows != NULL;
}

/* Starting a thread costs as much time as building some hundreds of keys. */
static size_t useful_threads(const pm_clip_data *clip, size_t threads) {
    const size_t keys_a_thread = 2048;
    size_t keys = 0;
    for (size_t t = 0; t < clip->track_count; t++)
        keys += pm_clip_timeline_of(clip, t)->key_count;
    size_t useful = 1 + keys / keys_a_thread;
    return useful < threads ? useful : threads;
}

/* Whether rows of a crowd's 48-bit keys end within a group of keys, whose signs share a word: then one thread
 * builds all tracks, beside the threads of other clips. */
static bool shares_groups(const pm_clip_data *clip) {
    const pm_channel *channel = &clip->channels[PM_ROTATIONS];
    return channel->present && channel->format != PM_KEYS_FLOAT32 && clip->order &&
           clip->common_timeline && channel->places % PM_KEY_GROUP != 0;
}

/* Tracks per work item: a block, or fewer where that would leave threads idle. A multiple of
 * PM_TRACK_GROUP, because neighbouring tracks share cache lines. */
static size_t tracks_of_item(const pm_clip_data *clip, size_t threads) {
    size_t groups = (clip->padded_tracks + PM_TRACK_GROUP - 1) / PM_TRACK_GROUP;
    size_t per_thread = (groups + threads - 1) / threads * PM_TRACK_GROUP;
    return per_thread < PM_BLOCK_TRACKS ? per_thread : PM_BLOCK_TRACKS;
}

/* The duration of a segment over that of another one. Beyond the bounds the tangents are limited, or
 * differ from those at the bounds by less than a rounding. */
static float spacing_of(double duration, double other) {
    return pm_stored(fmax(fmin(duration / other, 0x1p40), 0x1p-40));
}

/* The spacing at an end of an open track. Two keys are joined by a slerp. */
static float end_spacing(const pm_clip_desc *desc, const pm_clip_timeline *timeline) {
    static const float rules[] = {[PM_ENDS_CHORD] = PM_END_CHORD,
                                  [PM_ENDS_NATURAL] = PM_END_NATURAL,
                                  [PM_ENDS_PARABOLA] = PM_END_PARABOLA,
                                  [PM_ENDS_ZERO] = PM_END_ZERO};
    return timeline->segment_count > 1 ? rules[desc->ends] : PM_END_CHORD;
}

static double duration_of(const pm_clip_timeline *timeline, size_t segment) {
    const size_t k = segment % timeline->segment_count;
    return timeline->times[k + 1] - timeline->times[k];
}

static void put_spacings(const pm_clip_desc *desc, const pm_clip_timeline *timeline, float *to) {
    const size_t count = timeline->segment_count;
    const bool loops = timeline->loop && !timeline->constant;
    for (size_t k = 0; k < count; k++, to += PM_SPACING_FLOATS) {
        const double own = duration_of(timeline, k);
        to[0] = to[1] = end_spacing(desc, timeline);
        if (k > 0 || loops)
            to[0] = spacing_of(own, duration_of(timeline, k + count - 1));
        if (k + 1 < count || loops)
            to[1] = spacing_of(own, duration_of(timeline, k + 1));
    }
}

/* Those of all segments, for curves with four keys. */
static void build_spacings(const pm_clip_desc *desc, const pm_clip_data *clip) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_channel *channel = &clip->channels[c];
        for (size_t i = 0; channel->present && pm_rows_before(channel) && i < clip->timeline_count;
             i++)
            put_spacings(desc, &clip->timelines[i],
                         channel->constants + PM_SPACING_FLOATS * (size_t)clip->timelines[i].rates);
    }
}

void pm_clip_build_beside_keys(const pm_clip_desc *desc, pm_clip_data *clip) {
    const construction c = {.desc = desc, .clip = clip};
    build_spacings(desc, clip);
    for (size_t place = 0; place < clip->track_count; place++)
        finish_track(&c, place);
}

pm_status pm_clip_build_tracks(const pm_clip_desc *desc, size_t threads, pm_clip_data *clip,
                               pm_error *error) {
    threads = shares_groups(clip) ? 1 : useful_threads(clip, threads);
    construction c = {.desc = desc, .clip = clip, .tracks = tracks_of_item(clip, threads)};
    if (!find_first_rows(&c))
        return pm_fail_memory(error);
    build_spacings(desc, clip);
    pm_first_failure_begin(&c.failure);
    const pm_status status =
        pm_run_pieces(clip->host, threads, (clip->padded_tracks + c.tracks - 1) / c.tracks,
                      build_items, &c, error);
    pm_first_failure_end(&c.failure);
    pm_release(c.first_rows);
    return status == PM_OK ? pm_clip_fail_build(desc, &c.failure, error) : status;
}

pm_status pm_clip_fail_build(const pm_clip_desc *desc, const pm_first_failure *failure,
                             pm_error *error) {
    if (failure->status == PM_OK)
        return PM_OK;
    if (failure->status == PM_ERROR_MEMORY)
        return pm_fail_memory(error);
    return pm_fail_at(
        error, failure->status, failure->item, PM_NO_INDEX,
        "%s: the curve does not exist: its velocities do not converge, or turn too far",
        pm_method_get_info(desc->method)->name);
}
