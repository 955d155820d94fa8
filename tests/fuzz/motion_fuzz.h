/* SPDX-License-Identifier: MIT
 *
 * What fuzzers of motion writers share: a check of what is opened, and samples of any numbers, some of them on keys.
 */
#ifndef POSEMILL_FUZZ_MOTION_H
#define POSEMILL_FUZZ_MOTION_H

#include "fuzz.h"
#include "motion/model/model.h"
#include "support/file_bytes.h"

/* The motion, or NULL with a reason that is checked. */
static inline pm_motion *fuzz_open(const uint8_t *data, size_t size, pm_motion_format format) {
    const pm_motion_read_options options = {.format = format};
    pm_motion *motion = NULL;
    pm_error error = {0};
    const pm_status status = pm_motion_parse(data, size, "fuzz", NULL, &options, &motion, &error);
    require((status == PM_OK) == (motion != NULL));
    require(status == PM_OK || error.message[0] != '\0');
    return motion;
}

static inline pm_status fuzz_select(void *user, size_t first, size_t count, pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error;
    require(first <= clip->channel_count && count <= clip->channel_count - first);
    return PM_OK;
}

static inline pm_status fuzz_read(void *user, uint64_t first, size_t count,
                                  double *const channels[], motion_position positions[],
                                  pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error;
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t i = 0; channels[c] && i < count * clip->channels[c].components; i++)
            channels[c][i] = i % 4 == 3 ? -0.8 : i % 4 == 0 ? 0.6 : 0.0;
    for (size_t k = 0; k < count; k++) {
        const uint64_t sample = first + k;
        const bool exact = sample % 2 == 0 && sample / 2 < clip->timelines[0].key_count;
        positions[k] = (motion_position){.key = exact ? sample / 2 : MOTION_NO_KEY, .exact = exact};
    }
    return PM_OK;
}

static inline pm_status fuzz_read_velocities(void *user, uint64_t first, size_t count,
                                             double *const velocities[], pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)first;
    (void)error;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const size_t n =
            clip->channels[c].path == PM_MOTION_ROTATION ? 3 : clip->channels[c].components;
        for (size_t i = 0; velocities[c] && i < count * n; i++)
            velocities[c][i] = 0.5;
    }
    return PM_OK;
}

/* At twice the clip's rate, and one more. */
static inline motion_samples fuzz_samples(pm_motion_clip *clip) {
    return (motion_samples){.count = 2 * clip->timelines[0].key_count,
                            .rate = {48, 1},
                            .select = fuzz_select,
                            .read = fuzz_read,
                            .read_velocities = fuzz_read_velocities,
                            .user = clip};
}

/* Aborts unless what a motion holds is consistent: motion_check.c. */
void fuzz_check(const pm_motion *motion);

/* Reads the bytes as glTF of a format. Aborts unless they are refused, or what they give is consistent, and
 * can be written in both containers and read again. */
void motion_round_trip(const uint8_t *data, size_t size, pm_motion_format format);

#endif
