/* SPDX-License-Identifier: MIT
 *
 * Writes a file of arrays again with the numbers of an adjusted copy: members that are no motion remain.
 */
#include "motion/convert/rewrite.h"

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

/* Rows that are turned are not the source's own; those of a cut are. */
static pm_status read_keys(void *user, uint64_t first, size_t count, double *const channels[],
                           motion_position positions[], pm_error *error) {
    const rewriting *r = user;
    const pm_motion_clip *clip = r->clip;
    (void)error;
    for (size_t k = 0; k < count; k++) {
        const pm_motion *a = r->adjusted;
        positions[k] = a->row_count > 0
                           ? (motion_position){a->row_first + (first + k) % a->row_count, true}
                           : (motion_position){.key = first + k};
        for (size_t c = 0; c < clip->channel_count; c++) {
            const pm_motion_channel *channel = &clip->channels[c];
            for (uint32_t i = 0; channels[c] && i < channel->components; i++)
                channels[c][k * channel->components + i] =
                    evaluate_number(&channel->keys, channel->components, (size_t)first + k, i);
        }
    }
    return PM_OK;
}

static void move_velocity(const void *user, size_t channel, double *velocity) {
    const rewriting *r = user;
    motion_adjust_velocity(r->source, channel, r->by, velocity);
}

pm_status motion_rewrite(const pm_motion *source, const pm_motion *adjusted, motion_adjustment by,
                         const motion_format *format, const motion_write_options *options,
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
                                    .move_velocity = move_velocity,
                                    .user = &r};
    const pm_status status = format->write(source, &samples, 1, options, sink, error);
    free(resampled);
    return status;
}
