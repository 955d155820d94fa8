/* SPDX-License-Identifier: MIT
 *
 * Reads keys in pieces.
 */
#include "motion/model/key_samples.h"

#include <stdlib.h>
#include <string.h>

#include "motion/model/evaluate.h"

static pm_status read_keys(void *user, uint64_t first, size_t count, double *const channels[],
                           motion_position positions[], pm_error *error) {
    const key_samples *r = user;
    (void)error;
    for (size_t k = 0; k < count; k++)
        positions[k] = (motion_position){.key = first + k};
    for (size_t c = 0; c < r->clip->channel_count; c++) {
        const pm_motion_channel *channel = &r->clip->channels[c];
        for (size_t k = 0; channels[c] && k < count; k++) {
            const size_t key = motion_frame_key(&r->frames, r->clip, channel, (size_t)first + k);
            for (uint32_t i = 0; i < channel->components; i++)
                channels[c][k * channel->components + i] =
                    evaluate_number(&channel->keys, channel->components, key, i);
        }
    }
    return PM_OK;
}

pm_status key_samples_open(key_samples *k, const pm_motion *motion, size_t clip,
                           const motion_frames *frames, pm_error *error) {
    const pm_motion_clip *of = &motion->content.clips[clip];
    *k = (key_samples){.motion = motion, .clip = of, .index = clip, .frames = *frames};
    k->resampled = malloc(of->channel_count * sizeof *k->resampled + 1);
    if (!k->resampled)
        return motion_refuse_memory(error);
    memset(k->resampled, true, of->channel_count);
    return PM_OK;
}

motion_samples key_samples_of(const key_samples *k) {
    return (motion_samples){.clip = k->index,
                            .count = k->frames.count,
                            .rate = k->frames.rate,
                            .resampled = k->resampled,
                            .read = read_keys,
                            .user = (void *)(uintptr_t)k};
}

void key_samples_close(key_samples *k) {
    free(k->resampled);
    k->resampled = NULL;
}
