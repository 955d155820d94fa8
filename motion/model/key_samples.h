/* SPDX-License-Identifier: MIT
 *
 * The keys of a clip as samples, which writers take in place of those of a resampler.
 */
#ifndef POSEMILL_MOTION_KEY_SAMPLES_H
#define POSEMILL_MOTION_KEY_SAMPLES_H

#include "motion/model/compose.h"

typedef struct key_samples {
    const pm_motion *motion;
    const pm_motion_clip *clip;
    size_t index;
    motion_frames frames;
    bool *resampled;
} key_samples;

/* A sample for each frame of a clip, as motion_find_frames has found them. Close it also on failure. */
pm_status key_samples_open(key_samples *k, const pm_motion *motion, size_t clip,
                           const motion_frames *frames, pm_error *error);

/* They are valid until it is closed. */
motion_samples key_samples_of(const key_samples *k);

void key_samples_close(key_samples *k);

#endif
