/* SPDX-License-Identifier: MIT
 *
 * Animations: a clip of each, with the channels that move nodes. Channels of other things, and those
 * that have no node, are carried over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/accessor.h"
#include "motion/gltf/extensions.h"
#include "motion/time/key_rate.h"
#include "motion/time/rate.h"

static bool read_interpolation(gltf_reader *r, const json_t *json, const gltf_place *place,
                               pm_motion_interpolation *interpolation) {
    const json_t *text = NULL;
    *interpolation = PM_MOTION_LINEAR;
    if (!gltf_get_text(r, json, place, "interpolation", false, &text))
        return false;
    for (unsigned i = 0; text && i < PM_MOTION_INTERPOLATION_COUNT; i++) {
        if (strcmp(json_string_value(text), gltf_interpolations[i]) == 0) {
            *interpolation = (pm_motion_interpolation)i;
            return true;
        }
    }
    return !text || gltf_refuse(r, GLTF_KEY(place, "interpolation"),
                                "is '%s'; expected LINEAR, STEP or CUBICSPLINE",
                                MOTION_SHOWN(json_string_value(text), json_string_length(text)));
}

static bool read_sampler(gltf_reader *r, const json_t *json, const gltf_place *place,
                         gltf_sampler *sampler) {
    const size_t accessors = r->document->accessor_count;
    const gltf_place *const input = GLTF_KEY(place, "input");
    if (!gltf_object_of(r, json, place) ||
        !gltf_get_index(r, json, place, "input", accessors, true, &sampler->input) ||
        !gltf_get_index(r, json, place, "output", accessors, true, &sampler->output) ||
        !read_interpolation(r, json, place, &sampler->interpolation) ||
        !gltf_read_timeline(r, sampler->input, input))
        return false;
    sampler->always_linear =
        json_is_true(json_object_get(json_object_get(json, "extras"), GLTF_ALWAYS_LINEAR));
    sampler->key_count = r->cache[sampler->input].timeline.key_count;
    return sampler->interpolation != PM_MOTION_CUBICSPLINE || sampler->key_count >= 2 ||
           gltf_refuse(r, input, "has 1 key; CUBICSPLINE needs 2 or more");
}

/* What a channel animates; is_carried if that is not a node's transform or weights. */
typedef struct target {
    size_t sampler;
    size_t node;
    pm_motion_path path;
    bool is_carried;
} target;

static bool read_path(gltf_reader *r, const json_t *json, const gltf_place *place, target *made) {
    const gltf_place *const at = GLTF_KEY(place, "path");
    const json_t *path = NULL;
    if (!gltf_get_text(r, json, place, "path", true, &path))
        return false;
    for (unsigned i = 0; i < GLTF_PATHS; i++) {
        if (strcmp(json_string_value(path), gltf_paths[i]) == 0) {
            made->path = (pm_motion_path)i;
            return true;
        }
    }
    made->is_carried = true;
    if (made->node == GLTF_NONE &&
        !json_object_get(json_object_get(json, "extensions"), GLTF_POINTER_EXTENSION))
        return true; /* a channel without a node is to be ignored */
    if (strcmp(json_string_value(path), "pointer") != 0)
        return gltf_note(r, at, "is '%s'; the channel is carried over, not resampled",
                         MOTION_SHOWN(json_string_value(path), json_string_length(path)));
    gltf_warn(r, at,
              "is a pointer of KHR_animation_pointer; the channel is carried over, not resampled");
    return true;
}

static bool read_target(gltf_reader *r, const json_t *json, const gltf_place *place,
                        size_t sampler_count, target *made) {
    const gltf_place *const at = GLTF_KEY(place, "target");
    const json_t *object = NULL;
    *made = (target){0};
    if (!gltf_object_of(r, json, place) ||
        !gltf_get_index(r, json, place, "sampler", sampler_count, true, &made->sampler) ||
        !gltf_get_object(r, json, place, "target", true, &object) ||
        !gltf_get_index(r, object, at, "node", r->motion->content.node_count, false, &made->node) ||
        !read_path(r, object, at, made))
        return false;
    made->is_carried = made->is_carried || made->node == GLTF_NONE;
    return true;
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

static bool check_target(const clip_reader *r, const target *t, const gltf_place *at) {
    size_t *last = &r->targeted[GLTF_PATHS * t->node + (size_t)t->path];
    const json_t *node = json_array_get(r->reader->document->nodes, t->node);
    if (*last == r->index + 1)
        return gltf_refuse(r->reader, at, "an earlier channel has the same node and path");
    *last = r->index + 1;
    return !json_object_get(node, "matrix") || t->path == PM_MOTION_WEIGHTS ||
           gltf_refuse(r->reader, GLTF_KEY(at, "node"), "node %zu has a matrix", t->node);
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

static bool add_channel(clip_reader *r, const target *t, const gltf_place *place,
                        size_t json_index) {
    const gltf_sampler *sampler = &r->samplers[t->sampler];
    const gltf_place *const output =
        GLTF_KEY(GLTF_ITEM(GLTF_KEY(r->place, "samplers"), t->sampler), "output");
    const gltf_place *const at = GLTF_KEY(place, "target");
    pm_motion_channel *channel = &r->channels[r->clip->channel_count];
    if (!check_target(r, t, at))
        return false;
    *channel = (pm_motion_channel){.node = (int32_t)t->node,
                                   .path = t->path,
                                   .interpolation = sampler->interpolation,
                                   .always_linear = sampler->always_linear,
                                   .name = {"", 0}};
    if (!gltf_read_keys(r->reader, sampler, output, at, channel))
        return false;
    channel->timeline = timeline_of(r, sampler->input);
    r->json_channels[r->clip->channel_count++] = json_index;
    return true;
}

static bool read_channels(clip_reader *r, const json_t *array) {
    bool is_good = true;
    for (size_t i = 0; is_good && i < json_array_size(array); i++) {
        const gltf_place *const place = GLTF_ITEM(GLTF_KEY(r->place, "channels"), i);
        target t;
        is_good = read_target(r->reader, json_array_get(array, i), place, r->sampler_count, &t) &&
                  (t.is_carried || add_channel(r, &t, place, i));
    }
    return is_good;
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

static void warn_clip(gltf_reader *reader, const gltf_place *place, const pm_motion_clip *clip,
                      const char *fault) {
    char name[MOTION_PRINTABLE], message[512];
    motion_printable(name, clip->name.text, clip->name.size);
    snprintf(message, sizeof message, "clip%s%s%s is carried over, not resampled: %s",
             *name ? " '" : "", name, *name ? "'" : "", fault);
    gltf_warn(reader, place, message);
}

static bool read_clip(clip_reader *r, const json_t *json) {
    const json_t *samplers = NULL, *channels = NULL;
    const gltf_place *const in_samplers = GLTF_KEY(r->place, "samplers");
    if (!gltf_object_of(r->reader, json, r->place) ||
        !gltf_get_name(r->reader, json, r->place, &r->clip->name) ||
        !gltf_get_array(r->reader, json, r->place, "channels", true, &channels) ||
        !gltf_get_array(r->reader, json, r->place, "samplers", true, &samplers) ||
        (json_array_size(channels) == 0 &&
         !gltf_note(r->reader, GLTF_KEY(r->place, "channels"), "has no elements")) ||
        !allocate_clip(r, json_array_size(samplers), json_array_size(channels)))
        return false;
    for (size_t i = 0; i < r->sampler_count; i++)
        if (!read_sampler(r->reader, json_array_get(samplers, i), GLTF_ITEM(in_samplers, i),
                          &r->samplers[i]))
            return false;
    if (!read_channels(r, channels))
        return false;
    find_rate(r, json);
    if (r->clip->channel_count == 0 && json_array_size(channels) > 0)
        warn_clip(r->reader, r->place, r->clip, "no channel moves a node");
    return true;
}

/* A fault of one clip leaves the others: it has no channels then, and is written as it is. */
static bool set_aside(const clip_reader *r) {
    const char *message = r->reader->error.message;
    const char *text = motion_copy_text(&r->reader->motion->arena, message, strlen(message));
    if (!text)
        return gltf_refuse_memory(r->reader);
    *r->clip = (pm_motion_clip){.name = r->clip->name, .rate_text = {"", 0}, .fault = text};
    warn_clip(r->reader, r->place, r->clip, text);
    r->reader->error = (pm_error){.status = PM_OK};
    return true;
}

/* A fault for which the whole file is refused names its clip. */
static pm_error name_clip(const pm_motion_clip *clip, const pm_error *fault) {
    pm_error named = {.status = PM_OK};
    char name[MOTION_PRINTABLE];
    motion_printable(name, clip->name.text, clip->name.size);
    motion_report(&named, fault->status, "%s%s%s%s", fault->message, *name ? " (clip '" : "", name,
                  *name ? "')" : "");
    return named;
}

/* The first fault is that of the file if no clip is without one. */
static bool read_clips(gltf_reader *reader, const json_t *array, pm_motion_clip *clips,
                       size_t *targeted) {
    const size_t count = json_array_size(array);
    pm_error first = {.status = PM_OK};
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        clip_reader r = {.reader = reader,
                         .place = GLTF_ITEM_OF("animations", i),
                         .index = i,
                         .targeted = targeted,
                         .clip = &clips[i]};
        clips[i].name = (pm_motion_name){"", 0};
        const bool is_good = read_clip(&r, json_array_get(array, i));
        good += is_good;
        if (is_good)
            continue;
        const bool is_fault = reader->error.status == PM_ERROR_FILE && !reader->is_too_much;
        if (is_fault && first.status == PM_OK)
            first = name_clip(&clips[i], &reader->error);
        if (is_fault && !reader->input->options->strict && count > 1) {
            if (!set_aside(&r))
                return false;
            continue;
        }
        if (is_fault)
            reader->error = first;
        return false;
    }
    if (good == 0 && count > 0)
        reader->error = first;
    return good > 0 || count == 0;
}

bool gltf_read_animations(gltf_reader *r) {
    const json_t *array = NULL;
    if (!gltf_get_array(r, r->document->root, NULL, "animations", false, &array))
        return false;
    const size_t count = json_array_size(array);
    pm_motion_clip *clips = gltf_allocate(r, count, sizeof *clips);
    r->document->json_channels = gltf_allocate(r, count, sizeof *r->document->json_channels);
    if (!clips || !r->document->json_channels)
        return false;
    r->motion->content.clips = clips;
    r->motion->content.clip_count = count;
    FREED size_t *targeted =
        calloc(r->motion->content.node_count + 1, GLTF_PATHS * sizeof *targeted);
    return targeted ? read_clips(r, array, clips, targeted) : gltf_refuse_memory(r);
}
