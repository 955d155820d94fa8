/* SPDX-License-Identifier: MIT
 *
 * The keys of a clip as samples, which writers take in place of those of a resampler.
 */
#pragma once

#include "motion/model/compose.h"

/* Open it, close it; fields are private, but for those that may be set before samples are read. */
typedef struct key_samples {
    const pm_motion *motion;
    const pm_motion_clip *clip;
    size_t index;
    motion_frames frames;
    bool *resampled;
    /* Makes the velocity of a channel of the one in the file, in place of that of the keys. NULL: none */
    void (*move_velocity)(const void *user, size_t channel, double *velocity);
    const void *user;
} key_samples;

/* A sample for each frame of a clip, as motion_find_frames has found them; positions say which rows of
 * files they are. Close it also on failure. */
pm_status key_samples_open(key_samples *k, const pm_motion *motion, size_t clip,
                           const motion_frames *frames, pm_error *error);

/* They are valid until it is closed. */
motion_samples key_samples_of(const key_samples *k);

void key_samples_close(key_samples *k);
