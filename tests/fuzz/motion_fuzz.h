/* SPDX-License-Identifier: MIT
 *
 * What fuzzers of motion writers share: a sink, and samples of any numbers, some of them on keys.
 */
#ifndef POSEMILL_FUZZ_MOTION_H
#define POSEMILL_FUZZ_MOTION_H

#include <stdlib.h>
#include <string.h>

#include "motion/model/model.h"

static inline void fuzz_require(bool holds) {
    if (!holds)
        abort();
}

/* A sink that keeps everything. Free `data`. */
typedef struct fuzz_output {
    char *data;
    size_t size, room;
} fuzz_output;

static inline pm_status fuzz_keep(void *user, const void *data, size_t size, pm_error *error) {
    fuzz_output *out = user;
    (void)error;
    if (size > out->room - out->size) {
        out->room = 2 * (out->size + size);
        out->data = realloc(out->data, out->room);
        fuzz_require(out->data != NULL);
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
    return PM_OK;
}

static inline pm_status fuzz_read(void *user, uint64_t first, size_t count,
                                  double *const channels[], motion_position positions[],
                                  pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error;
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t i = 0; i < count * clip->channels[c].components; i++)
            channels[c][i] = i % 4 == 3 ? -0.8 : i % 4 == 0 ? 0.6 : 0.0;
    for (size_t k = 0; k < count; k++) {
        const uint64_t sample = first + k;
        const bool exact = sample % 2 == 0 && sample / 2 < clip->timelines[0].key_count;
        positions[k] = (motion_position){exact ? sample / 2 : MOTION_NO_KEY, exact};
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
                            .read = fuzz_read,
                            .read_velocities = fuzz_read_velocities,
                            .user = clip};
}

#endif
