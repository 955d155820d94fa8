/* SPDX-License-Identifier: MIT
 *
 * Divides the channels of a clip into groups of tracks.
 */
#include "motion/resample/tracks.h"

#include <stdlib.h>

/* What a channel is sampled with. */
typedef struct channel_use {
    bool rotates;
    pm_method method;
    pm_vector_method vector_method;
} channel_use;

static channel_use use_as_authored(const pm_motion_channel *channel) {
    const bool cubic = channel->interpolation == PM_MOTION_CUBICSPLINE;
    return (channel_use){.rotates = channel->path == PM_MOTION_ROTATION,
                         .method = cubic ? PM_METHOD_CUBICSPLINE : PM_METHOD_SLERP,
                         .vector_method = cubic ? PM_VECTOR_CUBICSPLINE : PM_VECTOR_LINEAR};
}

/* A switch is never blurred: channels with steps keep their keys. */
bool tracks_are_made_of(const pm_motion_channel *channel) {
    return channel->interpolation != PM_MOTION_STEP;
}

static channel_use use_of(const pm_motion_channel *channel, bool authored, pm_method method) {
    channel_use use = use_as_authored(channel);
    if (!authored) {
        use.method = channel->always_linear ? PM_METHOD_SLERP : method;
        use.vector_method =
            channel->always_linear ? PM_VECTOR_LINEAR : pm_method_get_info(method)->vector_method;
    }
    return use;
}

static bool belongs(const track_group *group, const channel_use *use) {
    return group->rotates == use->rotates &&
           (use->rotates ? group->method == use->method
                         : group->vector_method == use->vector_method);
}

/* The group of a use, which is added where there is none yet. */
static track_group *group_for(track_groups *groups, const channel_use *use) {
    for (size_t g = 0; g < groups->count; g++)
        if (belongs(&groups->groups[g], use))
            return &groups->groups[g];
    track_group *group = &groups->groups[groups->count++];
    *group = (track_group){
        .rotates = use->rotates, .method = use->method, .vector_method = use->vector_method};
    return group;
}

/* The most tracks that the channels can make: a number never shares a track with one of another
 * timeline, so that each channel can begin a track. */
static size_t most_tracks(const pm_motion_clip *clip, size_t first, size_t count) {
    size_t tracks = 0;
    for (size_t c = first; c < first + count; c++)
        tracks += (clip->channels[c].components + 2) / 3;
    return tracks;
}

static bool allocate(track_group *group, size_t tracks) {
    if (!group->numbers)
        group->numbers = calloc(tracks, (group->rotates ? 1 : 3) * sizeof *group->numbers);
    if (!group->timelines)
        group->timelines = calloc(tracks, sizeof *group->timelines);
    return group->numbers && group->timelines;
}

static track_number *begin_track(track_group *group, uint32_t timeline) {
    track_number *numbers = &group->numbers[3 * group->track_count];
    for (size_t i = 0; i < 3; i++)
        numbers[i].channel = TRACKS_NO_CHANNEL;
    group->timelines[group->track_count++] = timeline;
    return numbers;
}

/* Single numbers share a track of three. Vectors begin one, so that a track is a vector. */
static void add_number(track_group *group, const pm_motion_channel *channel, size_t index,
                       uint32_t component) {
    const size_t last = group->track_count - 1;
    track_number *numbers = group->track_count ? &group->numbers[3 * last] : NULL;
    const bool begins = channel->components == 3 && component == 0;
    if (!numbers || begins || group->timelines[last] != channel->timeline ||
        numbers[2].channel != TRACKS_NO_CHANNEL)
        numbers = begin_track(group, channel->timeline);
    while (numbers->channel != TRACKS_NO_CHANNEL)
        numbers++;
    *numbers = (track_number){.channel = index, .component = component};
}

pm_status tracks_divide(track_groups *groups, const pm_motion_clip *clip, size_t first,
                        size_t count, bool authored, pm_method method, pm_error *error) {
    const size_t tracks = most_tracks(clip, first, count);
    *groups = (track_groups){.count = 0};
    for (size_t c = first; c < first + count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const channel_use use = use_of(channel, authored, method);
        if (!tracks_are_made_of(channel))
            continue;
        track_group *group = group_for(groups, &use);
        MOTION_TRY_MEMORY(allocate(group, tracks), error);
        if (use.rotates) {
            group->numbers[group->track_count] = (track_number){.channel = c};
            group->timelines[group->track_count++] = channel->timeline;
        }
        for (uint32_t i = 0; !use.rotates && i < channel->components; i++)
            add_number(group, channel, c, i);
    }
    return PM_OK;
}

void tracks_release(track_groups *groups) {
    for (size_t g = 0; g < groups->count; g++)
        MOTION_FREE(groups->groups[g].numbers, groups->groups[g].timelines);
    *groups = (track_groups){.count = 0};
}
