/* SPDX-License-Identifier: MIT
 *
 * Trajectories are reduced relative to their first position, because keys are float32 meanwhile: far from an
 * origin those could not hold them. Keys that remain then get the times and the numbers of the source again.
 */
#include "motion/reduce/stamped.h"

#include <math.h>
#include <string.h>

#include "motion/model/evaluate.h"

/* What is subtracted from the numbers of a channel: the position of its first key. */
static void find_base(const pm_motion_channel *channel, double base[3]) {
    for (uint32_t i = 0; i < 3; i++)
        base[i] = channel->path == PM_MOTION_POSITION
                      ? evaluate_number(&channel->keys, channel->components, 0, i)
                      : 0;
}

pm_status stamped_begin(const pm_motion *motion, pm_motion **near, pm_error *error) {
    pm_motion_clip *clips;
    *near = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(*near, error);
    for (size_t i = 0; i < motion->content.clip_count; i++) {
        pm_motion_channel *channels = motion_own_channels(&(*near)->arena, &clips[i]);
        bool good = channels && motion_keep_rows(*near, i, motion, true);
        for (size_t c = 0; good && c < clips[i].channel_count; c++) {
            const pm_timeline *timeline = &clips[i].timelines[channels[c].timeline];
            double base[3];
            if (channels[c].path != PM_MOTION_POSITION)
                continue;
            find_base(&channels[c], base);
            good = motion_own_keys(&(*near)->arena, &channels[c], timeline);
            for (size_t k = 0; good && k < 3 * timeline->key_count; k++)
                motion_own_values(&channels[c].keys)[k] -= base[k % 3];
        }
        MOTION_TRY_MEMORY(good, error);
    }
    return PM_OK;
}

/* The key of the source that has a time in float32, from key `from` on; SIZE_MAX: none. */
static size_t find_key(const pm_timeline *timeline, double time, size_t from) {
    while (from < timeline->key_count && (double)(float)evaluate_key_time(timeline, from) < time)
        from++;
    return from < timeline->key_count && (double)(float)evaluate_key_time(timeline, from) == time
               ? from
               : SIZE_MAX;
}

/* A key is one of the source if each of its numbers is that of the source in float32. Rotations are compared as
 * unit quaternions: those of a file with few decimals are none. */
static void restore_key(const pm_motion_channel *source, size_t key, const double base[3],
                        uint32_t components, double *value) {
    bool same = true;
    if (source->path == PM_MOTION_ROTATION) {
        double unit[4], reduced[4], dot = 0;
        for (uint32_t i = 0; i < 4; i++)
            unit[i] = evaluate_number(&source->keys, components, key, i);
        memcpy(reduced, value, sizeof reduced);
        evaluate_normalise(unit);
        evaluate_normalise(reduced);
        for (int i = 0; i < 4; i++)
            dot += unit[i] * reduced[i];
        for (int i = 0; i < 4; i++)
            same = same && fabs((dot < 0 ? -reduced[i] : reduced[i]) - unit[i]) <= 0x1p-23;
    } else {
        for (uint32_t i = 0; same && i < components; i++)
            same = value[i] == (double)(float)(evaluate_number(&source->keys, components, key, i) -
                                               (i < 3 ? base[i] : 0));
    }
    for (uint32_t i = 0; i < components; i++)
        value[i] = same ? evaluate_number(&source->keys, components, key, i)
                        : value[i] + (i < 3 ? base[i] : 0);
}

static bool restore_channel(pm_motion *far, const pm_motion_clip *source, size_t c,
                            const pm_timeline *timeline, pm_motion_channel *channel) {
    const pm_motion_channel *from = &source->channels[c];
    const pm_timeline *times = &source->timelines[from->timeline];
    double base[3];
    size_t at = 0;
    find_base(from, base);
    if (!motion_own_keys(&far->arena, channel, timeline))
        return false;
    for (size_t k = 0; k < timeline->key_count; k++) {
        double *value = motion_own_values(&channel->keys) + k * channel->components;
        const size_t key = find_key(times, evaluate_key_time(timeline, k), at);
        if (key != SIZE_MAX)
            restore_key(from, at = key, base, channel->components, value);
        else
            for (uint32_t i = 0; i < channel->components && i < 3; i++)
                value[i] += base[i];
    }
    return true;
}

/* Times of keys are those of the source, which are the same for all channels of a trajectory. */
static bool restore_times(pm_motion *far, const pm_timeline *source, size_t count,
                          pm_timeline *timelines) {
    for (size_t t = 0; t < count; t++) {
        double *times = motion_allocate(&far->arena, timelines[t].key_count, sizeof *times);
        size_t at = 0;
        for (size_t k = 0; times && k < timelines[t].key_count; k++) {
            const double time = evaluate_key_time(&timelines[t], k);
            const size_t key = find_key(source, time, at);
            times[k] = key != SIZE_MAX ? evaluate_key_time(source, at = key) : time;
        }
        timelines[t] = (pm_timeline){.key_count = timelines[t].key_count, .times = times};
        if (!times)
            return false;
    }
    return true;
}

pm_status stamped_end(const pm_motion *motion, const pm_motion *reduced, pm_motion **far,
                      pm_error *error) {
    pm_motion_clip *clips;
    pm_motion *made = made_begin(reduced, &clips);
    MOTION_TRY_MEMORY(made, error);
    bool good = true;
    for (size_t i = 0; good && i < made->content.clip_count; i++) {
        const pm_motion_clip *source = &motion->content.clips[i];
        pm_timeline *timelines =
            motion_allocate(&made->arena, clips[i].timeline_count, sizeof *timelines);
        pm_motion_channel *channels = motion_own_channels(&made->arena, &clips[i]);
        good = timelines && channels && source->channel_count == clips[i].channel_count;
        if (good)
            memcpy(timelines, clips[i].timelines, clips[i].timeline_count * sizeof *timelines);
        for (size_t c = 0; good && c < clips[i].channel_count; c++)
            good = restore_channel(made, source, c, &timelines[channels[c].timeline], &channels[c]);
        good = good &&
               (source->timeline_count == 0 ||
                restore_times(made, &source->timelines[0], clips[i].timeline_count, timelines));
        clips[i].timelines = timelines;
    }
    if (good)
        return made_end(&made, far, error);
    pm_motion_destroy(&made);
    return motion_refuse_memory(error);
}
