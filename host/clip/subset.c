/* SPDX-License-Identifier: MIT
 *
 * Some tracks of a clip, in an order of the caller's, as a clip that shares its keys: whoever samples a clip knows
 * no subsets.
 */
#include "clip.h"

#include <string.h>

static pm_status check(const pm_clip_data *clip, const uint32_t *tracks, size_t count,
                       pm_error *error) {
    if (!tracks || count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "subset: no tracks");
    unsigned char *listed = pm_allocate_zeroed(clip->host, clip->track_count, 1);
    pm_status status = listed ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        const uint32_t track = tracks[i];
        if (track >= clip->track_count)
            status = pm_fail_at(error, PM_ERROR_ARGUMENT, track, PM_NO_INDEX,
                                "subset: there is no such track");
        else if (listed[track]++)
            status = pm_fail_at(error, PM_ERROR_ARGUMENT, track, PM_NO_INDEX,
                                "subset: the track is listed twice");
    }
    pm_release(listed);
    return status;
}

/* Constants of each track, if they are there; the spacing of segments, which other channels have in their place, is
 * shared. */
static size_t constant_planes(const pm_channel *channel) {
    return channel->constants ? pm_curves[channel->impl.curve].constants : 0;
}

/* With a float more, as in all clips. */
static size_t constant_bytes(const pm_channel *channel, size_t count) {
    return (4 * constant_planes(channel) * count + 1) * sizeof(float);
}

/* The next array in the block of a subset. */
static void *cut(char **at, size_t bytes) {
    void *array = *at;
    *at += bytes;
    return array;
}

/* Those of the tracks alone, because each costs a row of cursors. */
static void take_timelines(const pm_clip_data *clip, const uint32_t *tracks, uint32_t *numbers,
                           pm_clip_data *to) {
    to->timeline_count = 0;
    for (size_t i = 0; i < to->track_count; i++) {
        uint32_t *number = &numbers[clip->timeline_of[tracks[i]]]; /* 0: not taken yet */
        if (*number == 0) {
            to->timelines[to->timeline_count] = *pm_clip_timeline_of(clip, tracks[i]);
            *number = (uint32_t)++to->timeline_count;
        }
        to->timeline_of[i] = *number - 1;
    }
}

static void take_channel(const pm_channel *from, const uint32_t *tracks, float *constants,
                         unsigned c, pm_clip_data *to) {
    pm_channel *channel = &to->channels[c];
    const size_t planes = constant_planes(from), count = to->track_count;
    for (size_t i = 0; i < count; i++) {
        channel->layout[i] = from->layout[tracks[i]];
        channel->layout[i].timeline = to->timeline_of[i];
        for (size_t s = 0; s < planes; s++)
            memcpy(constants + 4 * (s * count + i),
                   from->constants + 4 * (s * from->places + tracks[i]), 4 * sizeof *constants);
    }
    if (planes > 0) {
        channel->constants = constants;
        channel->constant_floats = 4 * planes * count;
    }
}

/* Bytes of a subset with its arrays: no more tracks than the clip has, so that they fit. */
static size_t bytes_of(const pm_clip_data *clip, size_t count) {
    size_t bytes = sizeof *clip + clip->timeline_count * sizeof *clip->timelines +
                   (count + clip->timeline_count) * sizeof(uint32_t);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        bytes += count * sizeof(pm_track_layout) + constant_bytes(&clip->channels[c], count);
    return bytes;
}

pm_status pm_clip_subset(const pm_clip_data *clip, const uint32_t *tracks, size_t count,
                         pm_clip_data **subset, pm_error *error) {
    const pm_status status = check(clip, tracks, count, error);
    if (status != PM_OK)
        return status;
    pm_clip_data *made = pm_allocate_zeroed(clip->host, bytes_of(clip, count), 1);
    if (!made)
        return pm_fail_memory(error);
    char *at = (char *)(made + 1);
    memcpy(made, clip, offsetof(pm_clip_data, holders));
    pm_clip_data_hold(made->whole = clip);
    made->track_count = made->padded_tracks = count;
    made->common_timeline = false;
    made->wraps = NULL;
    made->timelines = cut(&at, clip->timeline_count * sizeof *made->timelines);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        made->channels[c].layout = cut(&at, count * sizeof(pm_track_layout));
    made->timeline_of = cut(&at, count * sizeof(uint32_t));
    take_timelines(clip, tracks, cut(&at, clip->timeline_count * sizeof(uint32_t)), made);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (clip->channels[c].present)
            take_channel(&clip->channels[c], tracks,
                         cut(&at, constant_bytes(&clip->channels[c], count)), c, made);
    *subset = made;
    return PM_OK;
}

void pm_clip_subset_fetch(const pm_clip_data *clip) {
    pm_clip_data *subset = (pm_clip_data *)(uintptr_t)clip;
    for (unsigned c = 0; clip->whole && c < PM_CHANNEL_COUNT; c++)
        subset->channels[c].keys = clip->whole->channels[c].keys;
}
