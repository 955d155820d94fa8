/* SPDX-License-Identifier: MIT
 *
 * From a description to the planes of a clip: keys normalised, unrolled, rounded, and each
 * method's segments beside them; tracks in parallel.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "parallel.h"
#include "status.h"

/* Conditions the keys of a track: normalised, unrolled, and put into their rows, rounded.
 * What segments are made of is that rounded key made unit again in double: rounding moves
 * it off the sphere by 1e-7, of which a circle through near keys, or the middle of far
 * ones, would make much. */
static void read_keys(const pm_rows_of_track *rows, unsigned components, size_t count, bool unrolls,
                      const pm_extras_out *out, dquat *keys) {
    dquat before = {0, 0, 0, 0};
    for (size_t k = 0; k < count; k++) {
        dquat q = {pm_number_at(rows, k, 0), pm_number_at(rows, k, 1), pm_number_at(rows, k, 2),
                   components == 4 ? pm_number_at(rows, k, 3) : 0};
        if (components == 4) {
            q = dquat_scaled(q, 1 / dquat_norm(q));
            if (unrolls && dquat_dot(before, q) < 0)
                q = dquat_scaled(q, -1);
            before = q;
        }
        q = pm_put(out, k, 0, q);
        keys[k] = components == 4 ? dquat_scaled(q, 1 / dquat_norm(q)) : q;
    }
}

/* The row behind the last key: a loop's key 0 as it follows, or a lone key again. */
static void put_last_row(const pm_track *track, const pm_extras_out *out) {
    float *last = out->to + track->segment_count * out->row;
    for (size_t i = 0; i < 4; i++) {
        double value = (double)out->to[i] * track->wrap;
        last[i] = value == 0 ? 0.0f : (float)value;
    }
}

/* Memory for one track at a time, as many as the longest has keys. */
typedef struct workspace {
    dquat *keys;
    dvec3 *logs;
} workspace;

/* The track as builders see it, with its keys put into their rows. */
static pm_track read_track(const pm_clip_desc *desc, pm_clip *clip, unsigned c, size_t t,
                           size_t first_row, const workspace *space) {
    pm_channel *channel = &clip->channels[c];
    const pm_placed_timeline *timeline = &clip->timelines[clip->timeline_of[t]];
    const pm_track_rows *at = &channel->layout[t];
    unsigned n = channel->components;
    pm_rows_of_track rows = pm_rows_of(desc, pm_channel_array(desc, c), n, t, first_row);
    pm_track track = {
        .key_count = timeline->key_count,
        .segment_count = timeline->segment_count,
        .loop = timeline->loop,
        .wrap = 1,
        .keys = space->keys,
        .logs = space->logs,
        .times = timeline->times,
        .desc = desc,
        .index = t,
        .single = timeline->constant,
        .components = n,
        .user_tangents = pm_rows_of(desc, &desc->user_tangents, 3, t, first_row),
        .tangents_in = pm_rows_of(desc, pm_channel_tangents_in(desc, c), n, t, first_row),
        .tangents_out = pm_rows_of(desc, pm_channel_tangents_out(desc, c), n, t, first_row)};
    pm_extras_out out = {channel->keys + at->first, at->row, at->plane};
    bool unrolls = !channel->recipe.keeps_signs;
    dquat *keys = space->keys;
    read_keys(&rows, n, timeline->key_count, unrolls, &out, keys);
    if (timeline->constant) {
        keys[1] = keys[0];
        track.key_count = 2;
        track.user_tangents.stride = 0;
    }
    if (c == PM_ROTATIONS && track.loop && unrolls)
        track.wrap = dquat_dot(keys[track.key_count - 1], keys[0]) < 0 ? -1 : 1;
    if (track.loop || timeline->constant)
        put_last_row(&track, &out);
    return track;
}

static pm_built_segments build_track(const pm_clip_desc *desc, pm_clip *clip, unsigned c, size_t t,
                                     size_t first_row, const workspace *space) {
    pm_channel *channel = &clip->channels[c];
    pm_track_rows *at = &channel->layout[t];
    pm_track track = read_track(desc, clip, c, t, first_row, space);
    pm_built_segments built = {PM_OK, false};
    pm_extras_out extras = {channel->keys + at->first + at->plane, at->row, at->plane};
    at->wrap = (float)track.wrap;
    if (channel->recipe.segments)
        built = channel->recipe.segments(&track, &extras);
    if (channel->recipe.statics)
        channel->recipe.statics(desc, t, channel->statics + 4 * t, 4 * clip->padded_tracks);
    return built;
}

/* What all threads that build tracks share. */
typedef struct construction {
    const pm_clip_desc *desc;
    pm_clip *clip;
    size_t longest;       /* keys of a track */
    pthread_mutex_t lock; /* guards what follows */
    pm_status status;     /* of the first track that failed */
    size_t failed;        /* that track; all are tried, so that it is always the same */
    bool wide[PM_CHANNEL_COUNT];
} construction;

static void note_failure(construction *c, pm_status status, size_t track) {
    pthread_mutex_lock(&c->lock);
    if (c->status == PM_OK || track < c->failed) {
        c->status = status;
        c->failed = track;
    }
    pthread_mutex_unlock(&c->lock);
}

static void build_channels(construction *c, size_t t, size_t first_row, const workspace *space,
                           bool wide[PM_CHANNEL_COUNT]) {
    pm_clip *clip = c->clip;
    for (unsigned n = 0; n < PM_CHANNEL_COUNT; n++) {
        if (!clip->channels[n].present)
            continue;
        pm_built_segments built = build_track(c->desc, clip, n, t, first_row, space);
        wide[n] = wide[n] || built.wide;
        if (built.status != PM_OK) {
            note_failure(c, built.status, t);
            return;
        }
    }
    if (clip->channels[PM_ROTATIONS].present)
        clip->wraps[t] = clip->channels[PM_ROTATIONS].layout[t].wrap;
}

/* Items are groups of tracks: neighbours share lines of the cache. */
static void build_groups(void *context, pm_items *items) {
    construction *c = context;
    const pm_clip *clip = c->clip;
    bool wide[PM_CHANNEL_COUNT] = {false};
    workspace space = {calloc(c->longest, sizeof *space.keys),
                       calloc(c->longest, sizeof *space.logs)};
    size_t group, t = 0, first_row = 0;
    while (pm_take_item(items, &group)) {
        if (!space.keys || !space.logs) {
            note_failure(c, PM_ERROR_MEMORY, group * PM_TRACK_GROUP);
            continue;
        }
        for (; t < group * PM_TRACK_GROUP; t++)
            first_row += clip->timelines[clip->timeline_of[t]].given_keys;
        for (; t < clip->track_count && t < (group + 1) * PM_TRACK_GROUP; t++) {
            build_channels(c, t, first_row, &space, wide);
            first_row += clip->timelines[clip->timeline_of[t]].given_keys;
        }
    }
    pthread_mutex_lock(&c->lock);
    for (unsigned n = 0; n < PM_CHANNEL_COUNT; n++)
        c->wide[n] = c->wide[n] || wide[n];
    pthread_mutex_unlock(&c->lock);
    free(space.keys);
    free(space.logs);
}

static size_t longest_track(const pm_clip *clip) {
    size_t most = 2;
    for (size_t i = 0; i < clip->timeline_count; i++)
        if (clip->timelines[i].key_count > most)
            most = clip->timelines[i].key_count;
    return most;
}

/* Starting a thread takes as long as some hundreds of keys. */
static size_t useful_threads(const pm_clip *clip) {
    const size_t keys_a_thread = 2048;
    size_t keys = 0;
    for (size_t t = 0; t < clip->track_count; t++)
        keys += clip->timelines[clip->timeline_of[t]].key_count;
    size_t useful = 1 + keys / keys_a_thread;
    return useful < clip->engine->host_threads ? useful : clip->engine->host_threads;
}

pm_status pm_clip_build_tracks(const pm_clip_desc *desc, pm_clip *clip, pm_error *error) {
    construction c = {.desc = desc, .clip = clip, .longest = longest_track(clip)};
    pthread_mutex_init(&c.lock, NULL);
    pm_run_parallel(useful_threads(clip), clip->padded_tracks / PM_TRACK_GROUP, build_groups, &c);
    pthread_mutex_destroy(&c.lock);
    for (unsigned n = 0; n < PM_CHANNEL_COUNT; n++)
        if (c.wide[n])
            clip->channels[n].curve = clip->channels[n].recipe.wide;
    if (c.status == PM_ERROR_MEMORY)
        return pm_fail_memory(error);
    if (c.status != PM_OK)
        return pm_fail_at(error, c.status, c.failed, PM_NOWHERE,
                          "%s: no such curve: its velocities do not converge, or turn too far",
                          pm_method_describe(desc->method)->name);
    return PM_OK;
}
