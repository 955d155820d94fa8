/* SPDX-License-Identifier: MIT
 *
 * Reads keys in pieces. Velocities are those of the keys, unless the file's are moved.
 */
#include "motion/model/key_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/model/similarity.h"

static pm_status read_keys(void *user, uint64_t first, size_t count, double *const channels[],
                           motion_position positions[], pm_error *error) {
    const key_samples *r = user;
    (void)error;
    for (size_t c = 0; c < r->clip->channel_count; c++) {
        const pm_motion_channel *channel = &r->clip->channels[c];
        for (size_t k = 0; channels[c] && k < count; k++) {
            const size_t key = motion_frame_key(&r->frames, r->clip, channel, (size_t)first + k);
            for (uint32_t i = 0; i < channel->components; i++)
                channels[c][k * channel->components + i] =
                    evaluate_number(&channel->keys, channel->components, key, i);
        }
    }
    for (size_t k = 0; k < count; k++)
        positions[k] = motion_find_row(r->motion, r->index, first + k);
    return PM_OK;
}

/* The way from a key to the next one, a second long: of rotations a vector in the frame in which they
 * stand. */
static void find_slope(const key_samples *r, const pm_motion_channel *channel, size_t key,
                       double slope[]) {
    const double rate = (double)r->clip->rate.num / (double)r->clip->rate.den;
    if (channel->path != PM_MOTION_ROTATION) {
        for (uint32_t i = 0; i < channel->components; i++)
            slope[i] = rate * (evaluate_number(&channel->keys, channel->components, key + 1, i) -
                               evaluate_number(&channel->keys, channel->components, key, i));
        return;
    }
    double a[4], b[4], step[4];
    evaluate_key(channel, key, a);
    evaluate_key(channel, key + 1, b);
    for (int i = 0; i < 3; i++)
        a[i] = -a[i];
    quat_multiply(b, a, step);
    const double sine = vector_length(step);
    const double angle = 2 * pm_same_atan2(sine, fabs(step[3]));
    const double scale = rate * (step[3] < 0 ? -1 : 1) * (sine > 1e-12 ? angle / sine : 2);
    for (int i = 0; i < 3; i++)
        slope[i] = scale * step[i];
}

/* The mean of both sides of a key, at an end that of one side. */
static void find_velocity(const key_samples *r, const pm_motion_channel *channel, size_t key,
                          double *before, double *velocity) {
    const size_t last = r->frames.count - 1;
    const uint32_t width = channel->path == PM_MOTION_ROTATION ? 3 : channel->components;
    memset(velocity, 0, width * sizeof *velocity);
    if (last == 0)
        return;
    find_slope(r, channel, key < last ? key : last - 1, velocity);
    if (key == 0 || key == last)
        return;
    find_slope(r, channel, key - 1, before);
    for (uint32_t i = 0; i < width; i++)
        velocity[i] = (velocity[i] + before[i]) / 2;
}

static pm_status read_velocities(void *user, uint64_t first, size_t count,
                                 double *const velocities[], pm_error *error) {
    const key_samples *r = user;
    size_t widest = 4;
    for (size_t c = 0; c < r->clip->channel_count; c++)
        if (r->clip->channels[c].components > widest)
            widest = r->clip->channels[c].components;
    FREED double *before = calloc(widest, sizeof *before);
    MOTION_TRY_MEMORY(before, error);
    for (size_t c = 0; c < r->clip->channel_count; c++) {
        const pm_motion_channel *channel = &r->clip->channels[c];
        const uint32_t width = channel->path == PM_MOTION_ROTATION ? 3 : channel->components;
        for (size_t k = 0; velocities[c] && k < count; k++)
            find_velocity(r, channel, (size_t)first + k, before, velocities[c] + k * width);
    }
    return PM_OK;
}

static void move_velocity(const void *user, size_t channel, double *velocity) {
    const key_samples *r = user;
    r->move_velocity(r->user, channel, velocity);
}

static double time_of(void *user, uint64_t sample) {
    const key_samples *r = user;
    return evaluate_key_time(r->frames.timeline, (size_t)sample);
}

pm_status key_samples_open(key_samples *k, const pm_motion *motion, size_t clip,
                           const motion_frames *frames, pm_error *error) {
    const pm_motion_clip *of = &motion->content.clips[clip];
    *k = (key_samples){.motion = motion, .clip = of, .index = clip, .frames = *frames};
    k->resampled = malloc(of->channel_count * sizeof *k->resampled + 1);
    MOTION_TRY_MEMORY(k->resampled, error);
    memset(k->resampled, true, of->channel_count);
    return PM_OK;
}

motion_samples key_samples_of(const key_samples *k) {
    return (motion_samples){.clip = k->index,
                            .count = k->frames.count,
                            .rate = k->frames.rate,
                            .time = k->frames.rate.den == 0 ? time_of : NULL,
                            .resampled = k->resampled,
                            .read = read_keys,
                            .read_velocities = read_velocities,
                            .move_velocity = k->move_velocity ? move_velocity : NULL,
                            .user = (void *)(uintptr_t)k};
}

void key_samples_close(key_samples *k) {
    free(k->resampled);
    k->resampled = NULL;
}
