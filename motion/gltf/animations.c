/* SPDX-License-Identifier: MIT
 *
 * Animations: a clip of each, with the channels that move nodes. Channels of other things, and those
 * that have no node, are carried over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/channels.h"
#include "motion/gltf/extensions.h"
#include "motion/gltf/timelines.h"
#include "motion/time/key_rate.h"
#include "motion/time/rate.h"

/* ---- samplers ------------------------------------------------------------------------------ */

static pm_status read_interpolation(const json_t *json, const gltf_place *place,
                                    pm_motion_interpolation *interpolation, pm_error *error) {
    const json_t *text = NULL;
    char shown[MOTION_PRINTABLE];
    const pm_status status = gltf_get_text(json, place, "interpolation", false, &text, error);
    *interpolation = PM_MOTION_LINEAR;
    if (status != PM_OK || !text)
        return status;
    for (unsigned i = 0; i < PM_MOTION_INTERPOLATION_COUNT; i++) {
        if (strcmp(json_string_value(text), gltf_interpolations[i]) == 0) {
            *interpolation = (pm_motion_interpolation)i;
            return PM_OK;
        }
    }
    return gltf_refuse(error, GLTF_KEY(place, "interpolation"),
                       "is '%s'; expected LINEAR, STEP or CUBICSPLINE",
                       motion_printable(shown, json_string_value(text), json_string_length(text)));
}

static pm_status read_sampler(gltf_reader *reader, const json_t *json, const gltf_place *place,
                              gltf_sampler *sampler, pm_error *error) {
    const size_t accessors = reader->document->accessor_count;
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = gltf_get_index(json, place, "input", accessors, true, &sampler->input, error);
    if (status == PM_OK)
        status = gltf_get_index(json, place, "output", accessors, true, &sampler->output, error);
    if (status == PM_OK)
        status = read_interpolation(json, place, &sampler->interpolation, error);
    if (status == PM_OK)
        status = gltf_read_timeline(reader, sampler->input, GLTF_KEY(place, "input"), error);
    if (status != PM_OK)
        return status;
    sampler->key_count = reader->cache[sampler->input].timeline.key_count;
    if (sampler->interpolation == PM_MOTION_CUBICSPLINE && sampler->key_count < 2)
        return gltf_refuse(error, GLTF_KEY(place, "input"),
                           "has 1 key; CUBICSPLINE needs 2 or more");
    return PM_OK;
}

static pm_status read_samplers(gltf_reader *reader, const json_t *array, const gltf_place *place,
                               gltf_sampler *samplers, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < json_array_size(array); i++)
        status = read_sampler(reader, json_array_get(array, i),
                              GLTF_ITEM(GLTF_KEY(place, "samplers"), i), &samplers[i], error);
    return status;
}

/* ---- channels ------------------------------------------------------------------------------ */

/* What a channel animates; is_carried if that is not a node's transform or weights. */
typedef struct target {
    size_t sampler;
    size_t node;
    pm_motion_path path;
    bool is_carried;
} target;

static pm_status note_unknown_path(gltf_reader *reader, const json_t *path, const gltf_place *at,
                                   pm_error *error) {
    char shown[MOTION_PRINTABLE];
    return gltf_note(reader, error, at, "is '%s'; the channel is carried over, not resampled",
                     motion_printable(shown, json_string_value(path), json_string_length(path)));
}

static pm_status read_path(gltf_reader *reader, const json_t *json, const gltf_place *place,
                           target *made, pm_error *error) {
    const json_t *path = NULL;
    const pm_status status = gltf_get_text(json, place, "path", true, &path, error);
    if (status != PM_OK)
        return status;
    for (unsigned i = 0; i < GLTF_PATHS; i++) {
        if (strcmp(json_string_value(path), gltf_paths[i]) == 0) {
            made->path = (pm_motion_path)i;
            return PM_OK;
        }
    }
    made->is_carried = true;
    if (made->node == GLTF_NONE &&
        !json_object_get(json_object_get(json, "extensions"), GLTF_POINTER_EXTENSION))
        return PM_OK; /* a channel without a node is to be ignored */
    if (strcmp(json_string_value(path), "pointer") != 0)
        return note_unknown_path(reader, path, GLTF_KEY(place, "path"), error);
    gltf_warn(reader, GLTF_KEY(place, "path"),
              "is a pointer of KHR_animation_pointer; the channel is carried over, not resampled");
    return PM_OK;
}

static pm_status read_target(gltf_reader *reader, const json_t *json, const gltf_place *place,
                             size_t sampler_count, target *made, pm_error *error) {
    const gltf_place *const at = GLTF_KEY(place, "target");
    const json_t *object = NULL;
    *made = (target){0};
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = gltf_get_index(json, place, "sampler", sampler_count, true, &made->sampler, error);
    if (status == PM_OK)
        status = gltf_get_object(json, place, "target", true, &object, error);
    if (status == PM_OK)
        status = gltf_get_index(object, at, "node", reader->motion->content.node_count, false,
                                &made->node, error);
    if (status == PM_OK)
        status = read_path(reader, object, at, made, error);
    if (made->node == GLTF_NONE)
        made->is_carried = true;
    return status;
}

/* State of reading one animation. */
typedef struct clip_reader {
    gltf_reader *reader;
    const gltf_place *place;
    size_t index; /* of the clip */
    gltf_sampler *samplers;
    size_t sampler_count;
    size_t *targeted; /* by node and path: clip + 1 of the last channel */
    pm_motion_clip *clip;
    pm_motion_channel *channels;
    pm_timeline *timelines;
    size_t *json_channels;
    pm_rational *rates; /* of the timelines */
} clip_reader;

static pm_status check_target(const clip_reader *r, const target *t, const gltf_place *place,
                              pm_error *error) {
    const gltf_place *const at = GLTF_KEY(place, "target");
    size_t *last = &r->targeted[4 * t->node + (size_t)t->path];
    const json_t *node = json_array_get(r->reader->document->nodes, t->node);
    if (*last == r->index + 1)
        return gltf_refuse(error, at, "an earlier channel has the same node and path");
    *last = r->index + 1;
    if (json_object_get(node, "matrix") && t->path != PM_MOTION_WEIGHTS)
        return gltf_refuse(error, GLTF_KEY(at, "node"), "node %zu has a matrix", t->node);
    return PM_OK;
}

/* Channels with the same input share a timeline. */
static uint32_t timeline_of(clip_reader *r, size_t input) {
    gltf_accessor_cache *cache = &r->reader->cache[input];
    if (cache->clip != r->index + 1) {
        cache->clip = r->index + 1;
        cache->timeline_index = (uint32_t)r->clip->timeline_count;
        r->rates[r->clip->timeline_count] = cache->rate;
        r->timelines[r->clip->timeline_count++] = cache->timeline;
    }
    return cache->timeline_index;
}

static pm_status add_channel(clip_reader *r, const target *t, size_t json_index, pm_error *error) {
    const gltf_sampler *sampler = &r->samplers[t->sampler];
    const gltf_place *const place = GLTF_ITEM(GLTF_KEY(r->place, "channels"), json_index);
    pm_motion_channel *channel = &r->channels[r->clip->channel_count];
    pm_status status = check_target(r, t, place, error);
    if (status != PM_OK)
        return status;
    *channel = (pm_motion_channel){.node = (int32_t)t->node,
                                   .path = t->path,
                                   .interpolation = sampler->interpolation,
                                   .name = {"", 0}};
    status =
        gltf_read_keys(r->reader, sampler,
                       GLTF_KEY(GLTF_ITEM(GLTF_KEY(r->place, "samplers"), t->sampler), "output"),
                       GLTF_KEY(place, "target"), channel, error);
    if (status != PM_OK)
        return status;
    channel->timeline = timeline_of(r, sampler->input);
    r->json_channels[r->clip->channel_count++] = json_index;
    return PM_OK;
}

static pm_status read_channels(clip_reader *r, const json_t *array, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < json_array_size(array); i++) {
        target t;
        status =
            read_target(r->reader, json_array_get(array, i),
                        GLTF_ITEM(GLTF_KEY(r->place, "channels"), i), r->sampler_count, &t, error);
        if (status == PM_OK && !t.is_carried)
            status = add_channel(r, &t, i, error);
    }
    return status;
}

static bool allocate_clip(clip_reader *r, size_t samplers, size_t channels) {
    r->samplers = gltf_allocate(r->reader, samplers, sizeof *r->samplers);
    r->channels = gltf_allocate(r->reader, channels, sizeof *r->channels);
    r->timelines = gltf_allocate(r->reader, channels, sizeof *r->timelines);
    r->rates = gltf_allocate(r->reader, channels, sizeof *r->rates);
    r->json_channels = gltf_allocate(r->reader, channels, sizeof *r->json_channels);
    r->sampler_count = samplers;
    r->clip->channels = r->channels;
    r->clip->timelines = r->timelines;
    r->reader->document->json_channels[r->index] = r->json_channels;
    return r->samplers && r->channels && r->timelines && r->rates && r->json_channels;
}

/* ---- rates --------------------------------------------------------------------------------- */

/* The rate that all timelines have; those of one key have every rate. False: there is none. */
static bool find_common_rate(const clip_reader *r, pm_rational *rate) {
    *rate = (pm_rational){0, 0};
    for (size_t t = 0; t < r->clip->timeline_count; t++) {
        const pm_rational own = r->rates[t];
        if (r->timelines[t].key_count == 1)
            continue;
        if (own.den == 0 || (rate->den != 0 && (own.num != rate->num || own.den != rate->den)))
            return false;
        *rate = own;
    }
    return rate->den != 0;
}

/* A rate that this library wrote, where no key contradicts it. */
static bool find_stated_rate(const clip_reader *r, const json_t *json, pm_rational *rate) {
    const char *text =
        json_string_value(json_object_get(json_object_get(json, "extras"), GLTF_RATE));
    if (!text || !rate_parse(text, rate) || r->clip->timeline_count == 0)
        return false;
    for (size_t t = 0; t < r->clip->timeline_count; t++)
        if (!key_rate_fits(r->timelines[t].times, r->timelines[t].key_count, *rate))
            return false;
    return true;
}

/* The clip has a rate if all keys lie on one grid, which begins with the first of them. */
static void find_rate(clip_reader *r, const json_t *json) {
    size_t first = 0;
    key_grid grid;
    if (!find_stated_rate(r, json, &grid.rate) && !find_common_rate(r, &grid.rate))
        return;
    for (size_t t = 1; t < r->clip->timeline_count; t++)
        if (r->timelines[t].times[0] < r->timelines[first].times[0])
            first = t;
    grid.start = key_grid_start(r->timelines[first].times[0], grid.rate);
    bool is_uniform = grid.start.den != 0;
    for (size_t t = 0; t < r->clip->timeline_count && is_uniform; t++)
        is_uniform = key_grid_frame(&grid, r->timelines[t].times[0]) >= 0;
    if (is_uniform) {
        r->clip->rate = grid.rate;
        r->clip->first_time = grid.start;
    }
}

/* ---- clips --------------------------------------------------------------------------------- */

static void warn_clip(gltf_reader *reader, const gltf_place *place, const pm_motion_clip *clip,
                      const char *fault) {
    char name[MOTION_PRINTABLE], message[512];
    motion_printable(name, clip->name.text, clip->name.size);
    snprintf(message, sizeof message, "clip%s%s%s is carried over, not resampled: %s",
             *name ? " '" : "", name, *name ? "'" : "", fault);
    gltf_warn(reader, place, message);
}

static pm_status read_clip(clip_reader *r, const json_t *json, pm_error *error) {
    const json_t *samplers = NULL, *channels = NULL, *name = NULL;
    pm_status status = gltf_object_of(json, r->place, error);
    if (status == PM_OK)
        status = gltf_get_text(json, r->place, "name", false, &name, error);
    if (status == PM_OK && name)
        r->clip->name = (pm_motion_name){json_string_value(name), json_string_length(name)};
    if (status == PM_OK)
        status = gltf_get_array(json, r->place, "channels", true, &channels, error);
    if (status == PM_OK)
        status = gltf_get_array(json, r->place, "samplers", true, &samplers, error);
    if (status != PM_OK)
        return status;
    if (json_array_size(channels) == 0)
        status = gltf_note(r->reader, error, GLTF_KEY(r->place, "channels"), "has no elements");
    if (status == PM_OK && !allocate_clip(r, json_array_size(samplers), json_array_size(channels)))
        status = motion_refuse_memory(error);
    if (status == PM_OK)
        status = read_samplers(r->reader, samplers, r->place, r->samplers, error);
    if (status == PM_OK)
        status = read_channels(r, channels, error);
    if (status != PM_OK)
        return status;
    find_rate(r, json);
    if (r->clip->channel_count == 0 && json_array_size(channels) > 0)
        warn_clip(r->reader, r->place, r->clip, "no channel moves a node");
    return PM_OK;
}

/* A fault of one clip leaves the others: it has no channels then, and is written as it is. */
static pm_status set_aside(const clip_reader *r, const pm_error *fault, pm_error *error) {
    const char *text =
        motion_copy_text(&r->reader->motion->arena, fault->message, strlen(fault->message));
    if (!text)
        return motion_refuse_memory(error);
    *r->clip = (pm_motion_clip){.name = r->clip->name, .rate_text = {"", 0}, .fault = text};
    warn_clip(r->reader, r->place, r->clip, text);
    return PM_OK;
}

/* A fault for which the whole file is refused names its clip. */
static void refuse_clip(const pm_motion_clip *clip, const pm_error *fault, pm_error *error) {
    char name[MOTION_PRINTABLE];
    motion_printable(name, clip->name.text, clip->name.size);
    motion_report(error, fault->status, "%s%s%s%s", fault->message, *name ? " (clip '" : "", name,
                  *name ? "')" : "");
}

/* The first fault is that of the file if no clip is without one. */
static pm_status read_clips(gltf_reader *reader, const json_t *array, pm_motion_clip *clips,
                            pm_error *error) {
    const size_t count = json_array_size(array);
    size_t *targeted = calloc(reader->motion->content.node_count + 1, 4 * sizeof *targeted);
    pm_error first = {.status = PM_OK}, fault;
    pm_status status = targeted ? PM_OK : motion_refuse_memory(error);
    size_t good = 0;
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        clip_reader r = {.reader = reader,
                         .place = GLTF_ITEM_OF("animations", i),
                         .index = i,
                         .targeted = targeted,
                         .clip = &clips[i]};
        clips[i].name = (pm_motion_name){"", 0};
        status = read_clip(&r, json_array_get(array, i), &fault);
        good += status == PM_OK;
        if (status == PM_ERROR_FILE && first.status == PM_OK)
            refuse_clip(&clips[i], &fault, &first);
        if (status == PM_ERROR_FILE && !reader->input->options->strict && count > 1 &&
            !reader->is_too_much)
            status = set_aside(&r, &fault, error);
        else if (status != PM_OK)
            motion_report(error, status, "%s",
                          status == PM_ERROR_FILE && !reader->is_too_much ? first.message
                                                                          : fault.message);
    }
    free(targeted);
    return status == PM_OK && count > 0 && good == 0
               ? motion_fail(error, first.status, "%s", first.message)
               : status;
}

pm_status gltf_read_animations(gltf_reader *reader, pm_error *error) {
    const json_t *array = NULL;
    pm_status status =
        gltf_get_array(reader->document->root, NULL, "animations", false, &array, error);
    if (status != PM_OK)
        return status;
    const size_t count = json_array_size(array);
    pm_motion_clip *clips = gltf_allocate(reader, count, sizeof *clips);
    reader->document->json_channels =
        gltf_allocate(reader, count, sizeof *reader->document->json_channels);
    if (!clips || !reader->document->json_channels)
        return motion_refuse_memory(error);
    reader->motion->content.clips = clips;
    reader->motion->content.clip_count = count;
    return read_clips(reader, array, clips, error);
}
