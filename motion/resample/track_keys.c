/* SPDX-License-Identifier: MIT
 *
 * The keys of a group of tracks in the layout that pm_clip_create takes: pointed to where they have
 * it already, else copied.
 */
#include "motion/resample/tracks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/model/evaluate.h"

static size_t size_of(pm_number type) {
    return type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
}

static size_t stride_of(const pm_array *array, uint32_t components) {
    return array->stride ? array->stride : components * size_of(array->type);
}

static bool one_timeline(const track_group *group) {
    for (size_t t = 1; t < group->track_count; t++)
        if (group->timelines[t] != group->timelines[0])
            return false;
    return true;
}

/* How many keys a timeline loses at the start: never the last one. */
static size_t trim_of(const pm_timeline *timeline, size_t trim) {
    return trim < timeline->key_count ? trim : timeline->key_count - 1;
}

static pm_timeline cut(pm_timeline timeline, track_range range) {
    const size_t trim = trim_of(&timeline, range.trim);
    timeline.key_count -= trim;
    if (timeline.key_count > range.most)
        timeline.key_count = range.most;
    if (timeline.times)
        timeline.times += trim;
    return timeline;
}

/* Numbers the timelines that tracks have, in the order of their first tracks; returns how many. `number`
 * is by timeline of the clip. */
static uint32_t number_timelines(const track_group *group, const pm_motion_clip *clip,
                                 uint32_t *number, track_range range, track_keys *keys) {
    uint32_t count = 0;
    for (size_t i = 0; i < clip->timeline_count; i++)
        number[i] = UINT32_MAX;
    for (size_t t = 0; t < group->track_count; t++) {
        const uint32_t timeline = group->timelines[t];
        if (number[timeline] == UINT32_MAX) {
            keys->timelines[count] = cut(clip->timelines[timeline], range);
            number[timeline] = count++;
        }
        keys->timeline_of[t] = number[timeline];
    }
    return count;
}

/* Those of the tracks: the engine locates the samples in each. */
static pm_status describe_timelines(const track_group *group, const pm_motion_clip *clip,
                                    track_range range, pm_clip_desc *desc, track_keys *keys,
                                    pm_error *error) {
    FREED uint32_t *number = calloc(clip->timeline_count, sizeof *number);
    keys->timelines = calloc(clip->timeline_count, sizeof *keys->timelines);
    keys->timeline_of = calloc(group->track_count, sizeof *keys->timeline_of);
    const bool good = number && keys->timelines && keys->timeline_of;
    if (good) {
        desc->timeline_count = number_timelines(group, clip, number, range, keys);
        desc->timelines = keys->timelines;
        desc->timeline_of = desc->timeline_count > 1 ? keys->timeline_of : NULL;
    }
    return good ? PM_OK : motion_refuse_memory(error);
}

typedef enum key_array { KEYS, IN_TANGENTS, OUT_TANGENTS } key_array;

static bool takes_tangents(const track_group *group) {
    return group->rotates ? group->method == PM_METHOD_CUBICSPLINE
                          : group->vector_method == PM_VECTOR_CUBICSPLINE;
}

/* Whether keys may have any length, and the method takes unit ones. */
static bool needs_unit_keys(const track_group *group, const pm_motion_channel *channel) {
    return group->rotates && !takes_tangents(group) &&
           channel->interpolation == PM_MOTION_CUBICSPLINE;
}

/* Whether the quaternions of all tracks lie side by side, key after key, as the method takes them. */
static bool is_laid_out(const track_group *group, const pm_motion_clip *clip) {
    if (!group->rotates || !one_timeline(group))
        return false;
    const pm_array *first = &clip->channels[group->numbers[0].channel].keys;
    const size_t size = size_of(first->type);
    if ((uintptr_t)first->data % size != 0 || stride_of(first, 4) % size != 0)
        return false;
    for (size_t t = 0; t < group->track_count; t++) {
        const pm_motion_channel *channel = &clip->channels[group->numbers[t].channel];
        const pm_array *keys = &channel->keys;
        if (needs_unit_keys(group, channel) || keys->type != first->type ||
            stride_of(keys, 4) != stride_of(first, 4) ||
            (const char *)keys->data != (const char *)first->data + 4 * t * size)
            return false;
    }
    return stride_of(first, 4) >= 4 * group->track_count * size;
}

/* Sets the bases of a group of numbers to the first keys. */
static void find_bases(track_group *group, const pm_motion_clip *clip, size_t trim) {
    for (size_t i = 0; !group->rotates && i < 3 * group->track_count; i++) {
        track_number *number = &group->numbers[i];
        if (number->channel == TRACKS_NO_CHANNEL)
            continue;
        const pm_motion_channel *channel = &clip->channels[number->channel];
        const size_t first = trim_of(&clip->timelines[channel->timeline], trim);
        number->base =
            evaluate_number(&channel->keys, channel->components, first, number->component);
    }
}

/* The keys of all tracks, counted; SIZE_MAX if their numbers cannot be. */
static size_t count_keys(const track_group *group, const pm_clip_desc *desc) {
    size_t keys = 0;
    for (size_t t = 0; t < group->track_count; t++) {
        const size_t own = desc->timelines[desc->timeline_of ? desc->timeline_of[t] : 0].key_count;
        if (own > SIZE_MAX / 64 - keys)
            return SIZE_MAX;
        keys += own;
    }
    return keys;
}

/* The first key of a track that is not trimmed. */
static size_t first_key(const track_group *group, const pm_motion_clip *clip, size_t track,
                        size_t trim) {
    return trim_of(&clip->timelines[group->timelines[track]], trim);
}

/* Numbers of a track, key after key. */
typedef struct number_source {
    const char *first; /* NULL: all are 0 */
    size_t stride;
    double base;
    bool is_single;
} number_source;

static number_source source_of(const track_group *group, const pm_motion_clip *clip, size_t trim,
                               key_array which, size_t track, size_t component) {
    const track_number *number = &group->numbers[group->rotates ? track : 3 * track + component];
    if (number->channel == TRACKS_NO_CHANNEL)
        return (number_source){.first = NULL};
    const pm_motion_channel *channel = &clip->channels[number->channel];
    const pm_array *array = which == KEYS          ? &channel->keys
                            : which == IN_TANGENTS ? &channel->in
                                                   : &channel->out;
    const size_t stride = stride_of(array, group->rotates ? 4 : channel->components);
    const size_t at = (group->rotates ? component : number->component) * size_of(array->type);
    return (number_source){.first = (const char *)array->data +
                                    first_key(group, clip, track, trim) * stride + at,
                           .stride = stride,
                           .base = !group->rotates && which == KEYS ? number->base : 0,
                           .is_single = array->type == PM_FLOAT32};
}

static double number_at(const number_source *source, size_t key) {
    const char *at = source->first + key * source->stride;
    float narrow;
    double wide;
    if (!source->is_single) {
        memcpy(&wide, at, sizeof wide);
        return wide - source->base;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow - source->base;
}

/* Copies numbers to places that are `step` apart. */
static void copy_numbers(const number_source *source, size_t first, size_t count, double *to,
                         size_t step) {
    for (size_t k = 0; k < count; k++)
        to[k * step] = source->first ? number_at(source, first + k) : 0;
}

/* Copies keys of a track, those from `first` on of the keys that are not trimmed, to places that are `step`
 * numbers apart. float32 is of rotations that have it. */
static void copy_track(const track_group *group, const pm_motion_clip *clip, size_t trim,
                       key_array which, size_t track, size_t first, size_t count, pm_number type,
                       void *to, size_t step) {
    const size_t width = group->rotates ? 4 : 3;
    const pm_motion_channel *channel =
        &clip->channels[group->numbers[group->rotates ? track : 3 * track].channel];
    if (type == PM_FLOAT32) {
        const number_source source = source_of(group, clip, trim, which, track, 0);
        for (size_t k = 0; k < count; k++)
            memcpy((float *)to + k * step, source.first + (first + k) * source.stride,
                   4 * sizeof(float));
        return;
    }
    for (size_t i = 0; i < width; i++) {
        const number_source source = source_of(group, clip, trim, which, track, i);
        copy_numbers(&source, first, count, (double *)to + i, step);
    }
    if (which == KEYS && needs_unit_keys(group, channel))
        for (size_t k = 0; k < count; k++)
            evaluate_key(channel, first_key(group, clip, track, trim) + first + k,
                         (double *)to + k * step);
}

/* Tracks side by side, in pieces of time that stay in a cache; or one after another. */
static void *copy_keys(const track_group *group, const pm_motion_clip *clip, size_t trim,
                       const pm_clip_desc *desc, key_array which, pm_number type) {
    enum { PIECE = 64 };
    const size_t width = group->rotates ? 4 : 3, all = count_keys(group, desc);
    const size_t step = width * group->track_count, size = size_of(type);
    char *copy = all < SIZE_MAX ? malloc((all + 1) * width * size) : NULL;
    char *to = copy;
    os_ask_for_huge_pages(copy, (all + 1) * width * size);
    const size_t shared = desc->timeline_of ? 0 : desc->timelines[0].key_count;
    for (size_t k = 0; to && k < shared; k += PIECE)
        for (size_t t = 0; t < group->track_count; t++)
            copy_track(group, clip, trim, which, t, k, shared - k < PIECE ? shared - k : PIECE,
                       type, copy + (k * step + t * width) * size, step);
    for (size_t t = 0; to && desc->timeline_of && t < group->track_count; t++) {
        const size_t count = desc->timelines[desc->timeline_of[t]].key_count;
        copy_track(group, clip, trim, which, t, 0, count, type, to, width);
        to += count * width * size;
    }
    return copy;
}

/* Whether the format converts the rotations. */
static bool are_converted(const track_group *group, const pm_motion_clip *clip) {
    for (size_t t = 0; group->rotates && t < group->track_count; t++)
        if (!clip->channels[group->numbers[t].channel].keys.data)
            return true;
    return false;
}

/* float32 if all keys are, and are rotations that the method takes as they are. */
static pm_number type_of(const track_group *group, const pm_motion_clip *clip) {
    for (size_t t = 0; group->rotates && t < group->track_count; t++) {
        const pm_motion_channel *channel = &clip->channels[group->numbers[t].channel];
        if (channel->keys.type != PM_FLOAT32 || needs_unit_keys(group, channel))
            return PM_FLOAT64;
    }
    return group->rotates ? PM_FLOAT32 : PM_FLOAT64;
}

/* Clips with such rotations have one timeline. */
static void *convert_keys(const track_group *group, const pm_motion *motion,
                          const pm_motion_clip *clip, size_t trim, const pm_clip_desc *desc,
                          pm_number type) {
    const size_t keys = desc->timelines[0].key_count, all = count_keys(group, desc);
    FREED size_t *channels = malloc(group->track_count * sizeof *channels);
    void *made = channels && all < SIZE_MAX ? malloc((all + 1) * 4 * size_of(type)) : NULL;
    os_ask_for_huge_pages(made, (all + 1) * 4 * size_of(type));
    for (size_t t = 0; made && t < group->track_count; t++)
        channels[t] = group->numbers[t].channel;
    if (made)
        motion->format->convert(motion, channels, group->track_count,
                                first_key(group, clip, 0, trim), keys, type, made);
    return made;
}

static pm_array array_for(const double *numbers) {
    return (pm_array){.data = numbers, .type = PM_FLOAT64};
}

static pm_array laid_out(const track_group *group, const pm_motion_clip *clip, size_t trim) {
    pm_array keys = clip->channels[group->numbers[0].channel].keys;
    keys.stride = stride_of(&keys, 4);
    keys.data = (const char *)keys.data + first_key(group, clip, 0, trim) * keys.stride;
    return keys;
}

static pm_status describe_tangents(const track_group *group, const pm_motion_clip *clip,
                                   size_t trim, pm_clip_desc *desc, track_keys *keys,
                                   pm_error *error) {
    keys->in = copy_keys(group, clip, trim, desc, IN_TANGENTS, PM_FLOAT64);
    keys->out = copy_keys(group, clip, trim, desc, OUT_TANGENTS, PM_FLOAT64);
    MOTION_TRY_MEMORY(keys->in && keys->out, error);
    *(group->rotates ? &desc->tangents_in : &desc->positions_in) = array_for(keys->in);
    *(group->rotates ? &desc->tangents_out : &desc->positions_out) = array_for(keys->out);
    return PM_OK;
}

static pm_status check_tangents(const track_group *group, const pm_motion_clip *clip,
                                pm_error *error) {
    for (size_t i = 0; i < group->track_count * (group->rotates ? 1 : 3); i++) {
        const size_t c = group->numbers[i].channel;
        if (c != TRACKS_NO_CHANNEL && (!clip->channels[c].in.data || !clip->channels[c].out.data))
            return motion_refuse(error, "channel %zu has no tangents; cubicspline requires them",
                                 c);
    }
    return PM_OK;
}

pm_status tracks_describe(track_group *group, const pm_motion *motion, const pm_motion_clip *clip,
                          track_range range, pm_clip_desc *desc, track_keys *keys,
                          pm_error *error) {
    const size_t trim = range.trim;
    *keys = (track_keys){.timelines = NULL};
    if (takes_tangents(group) && check_tangents(group, clip, error) != PM_OK)
        return PM_ERROR_FILE;
    desc->track_count = group->track_count;
    MOTION_TRY(describe_timelines(group, clip, range, desc, keys, error));
    pm_array *to = group->rotates ? &desc->rotations : &desc->positions;
    find_bases(group, clip, trim);
    if (are_converted(group, clip)) {
        *to = (pm_array){.type = type_of(group, clip)};
        to->data = keys->keys = convert_keys(group, motion, clip, trim, desc, to->type);
    } else if (is_laid_out(group, clip)) {
        *to = laid_out(group, clip, trim);
    } else {
        *to = (pm_array){.type = type_of(group, clip)};
        to->data = keys->keys = copy_keys(group, clip, trim, desc, KEYS, to->type);
    }
    MOTION_TRY_MEMORY(to->data, error);
    return takes_tangents(group) ? describe_tangents(group, clip, trim, desc, keys, error) : PM_OK;
}

void tracks_keys_release(track_keys *keys) {
    MOTION_FREE(keys->timelines, keys->timeline_of, keys->keys, keys->in, keys->out);
    *keys = (track_keys){.timelines = NULL};
}
