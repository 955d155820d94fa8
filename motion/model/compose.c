/* SPDX-License-Identifier: MIT
 *
 * The frames of a clip, and reports of what a format cannot hold.
 */
#include "motion/model/compose.h"

#include <stdio.h>

#include "motion/time/rate.h"

void motion_leave_out(const motion_compose_options *options, size_t count, const char *one,
                      const char *many) {
    char text[96];
    if (count == 0 || !options->left_out)
        return;
    (void)snprintf(text, sizeof text, "%zu %s", count, count == 1 ? one : many);
    options->left_out(options->user, text);
}

bool motion_is_pose_channel(const pm_motion_channel *channel) {
    return channel->node >= 0 && channel->path <= PM_MOTION_TRANSLATION;
}

static const pm_timeline *timeline_of(const pm_motion_clip *clip, size_t channel) {
    return &clip->timelines[clip->channels[channel].timeline];
}

static size_t count_frames(const pm_motion_clip *clip) {
    size_t count = 0;
    for (size_t i = 0; i < clip->channel_count; i++) {
        const size_t keys = timeline_of(clip, i)->key_count;
        if (motion_is_pose_channel(&clip->channels[i]) && keys > count)
            count = keys;
    }
    return count;
}

/* The rate of the clip, or of the first timeline that has all frames; 0/0 if none has a rate. */
static pm_rational find_rate(const pm_motion_clip *clip, size_t frame_count) {
    pm_rational rate = clip->rate;
    for (size_t i = 0; i < clip->channel_count && rate.den == 0; i++) {
        const pm_timeline *own = timeline_of(clip, i);
        if (motion_is_pose_channel(&clip->channels[i]) && own->key_count == frame_count &&
            !own->times)
            rate = own->rate;
    }
    return rate;
}

/* Whether the keys of a timeline are the frames. */
static bool has_frames(const pm_motion_clip *clip, const pm_timeline *timeline,
                       const motion_frames *frames) {
    pm_rational quotient;
    if (timeline->key_count != frames->count)
        return false;
    if (clip->rate.den != 0)
        return true;
    return !timeline->times && rate_divide(timeline->rate, frames->rate, &quotient) &&
           quotient.num == quotient.den;
}

pm_status motion_find_frames(const pm_motion_clip *clip, const char *format, motion_frames *frames,
                             pm_error *error) {
    frames->count = count_frames(clip);
    frames->rate = find_rate(clip, frames->count);
    bool is_uniform = frames->rate.den != 0;
    for (size_t i = 0; i < clip->channel_count && is_uniform; i++) {
        const pm_timeline *own = timeline_of(clip, i);
        if (motion_is_pose_channel(&clip->channels[i]) && own->key_count > 1)
            is_uniform = has_frames(clip, own, frames);
    }
    if (is_uniform || frames->count == 0)
        return PM_OK;
    motion_report(error, PM_ERROR_FILE, "key times are not uniform; %s requires a rate", format);
    if (error)
        error->hint = "give the rate with --rate";
    return PM_ERROR_FILE;
}
