/* SPDX-License-Identifier: MIT
 *
 * Writes a file of arrays again with the numbers of a motion that was made of it: members that are no
 * motion remain. Velocities are those of its keys, or of a copy that is turned the source's, turned.
 */
#include "motion/convert/rewrite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/evaluate.h"

typedef struct rewriting {
    const pm_motion *source, *adjusted;
    const pm_motion_clip *clip; /* adjusted */
    motion_adjustment by;
} rewriting;

static pm_status select_channels(void *user, size_t first, size_t count, pm_error *error) {
    (void)user, (void)first, (void)count, (void)error;
    return PM_OK;
}

/* Where a row of the motion is in the source. Rows that are turned or mirrored are not the source's own;
 * those of a cut are. */
static motion_position position_of(const rewriting *r, uint64_t row) {
    const pm_motion *a = r->adjusted;
    const bool is_copy =
        r->clip->timelines[0].key_count == r->source->content.clips[0].timelines[0].key_count;
    if (a->row_count > 0)
        return (motion_position){.key = a->row_first + row % a->row_count,
                                 .exact = true,
                                 .changed = a->changed && a->changed[row]};
    return (motion_position){.key = is_copy ? row : MOTION_NO_KEY};
}

static pm_status read_keys(void *user, uint64_t first, size_t count, double *const channels[],
                           motion_position positions[], pm_error *error) {
    const rewriting *r = user;
    const pm_motion_clip *clip = r->clip;
    (void)error;
    for (size_t k = 0; k < count; k++) {
        positions[k] = position_of(r, first + k);
        for (size_t c = 0; c < clip->channel_count; c++) {
            const pm_motion_channel *channel = &clip->channels[c];
            for (uint32_t i = 0; channels[c] && i < channel->components; i++)
                channels[c][k * channel->components + i] =
                    evaluate_number(&channel->keys, channel->components, (size_t)first + k, i);
        }
    }
    return PM_OK;
}

/* The way from a key to the next one, a second long: of rotations a vector in the frame in which they
 * stand. */
static void find_slope(const rewriting *r, const pm_motion_channel *channel, size_t key,
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
    const double sine = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    const double angle = 2 * atan2(sine, fabs(step[3]));
    const double scale = rate * (step[3] < 0 ? -1 : 1) * (sine > 1e-12 ? angle / sine : 2);
    for (int i = 0; i < 3; i++)
        slope[i] = scale * step[i];
}

/* The mean of both sides of a key, at an end that of one side. */
static void find_velocity(const rewriting *r, const pm_motion_channel *channel, size_t key,
                          double *before, double *velocity) {
    const size_t last = r->clip->timelines[0].key_count - 1;
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
    const rewriting *r = user;
    size_t widest = 4;
    for (size_t c = 0; c < r->clip->channel_count; c++)
        if (r->clip->channels[c].components > widest)
            widest = r->clip->channels[c].components;
    double *before = calloc(widest, sizeof *before);
    if (!before)
        return motion_refuse_memory(error);
    for (size_t c = 0; c < r->clip->channel_count; c++) {
        const pm_motion_channel *channel = &r->clip->channels[c];
        const uint32_t width = channel->path == PM_MOTION_ROTATION ? 3 : channel->components;
        for (size_t k = 0; velocities[c] && k < count; k++)
            find_velocity(r, channel, (size_t)first + k, before, velocities[c] + k * width);
    }
    free(before);
    return PM_OK;
}

static void move_velocity(const void *user, size_t channel, double *velocity) {
    const rewriting *r = user;
    motion_adjust_velocity(r->source, channel, r->by, velocity);
}

pm_status motion_rewrite(const pm_motion *source, const pm_motion *adjusted, motion_adjustment by,
                         bool is_made, const motion_format *format, unsigned decimals,
                         const motion_sink *sink, pm_error *error) {
    const pm_motion_clip *clip = &adjusted->content.clips[0];
    rewriting r = {source, adjusted, clip, by};
    bool *resampled = malloc(clip->channel_count * sizeof *resampled + 1);
    if (!resampled)
        return motion_refuse_memory(error);
    memset(resampled, true, clip->channel_count);
    const motion_samples samples = {.count = clip->timelines[0].key_count,
                                    .rate =
                                        clip->timelines[0].times ? (pm_rational){0, 0} : clip->rate,
                                    .resampled = resampled,
                                    .select = select_channels,
                                    .read = read_keys,
                                    .read_velocities = read_velocities,
                                    .move_velocity = is_made ? NULL : move_velocity,
                                    .user = &r};
    const motion_writing writing = {.motion = adjusted,
                                    .document = source,
                                    .samples = &samples,
                                    .sample_count = 1,
                                    .decimals = decimals};
    const pm_status status = format->write(&writing, sink, error);
    free(resampled);
    return status;
}
