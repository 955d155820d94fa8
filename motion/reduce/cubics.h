/* SPDX-License-Identifier: MIT
 *
 * Few cubics for the rotations of a channel with linear interpolation: their keys are some of the
 * source's, with its values, and tangents that are fitted.
 */
#ifndef POSEMILL_MOTION_REDUCE_CUBICS_H
#define POSEMILL_MOTION_REDUCE_CUBICS_H

#include "motion/reduce/path.h"
#include "motion/reduce/segment.h"
#include "motion/reduce/turns.h"

/* A key as it is written, in float32: tangents per second. Its value has the sign that is nearest the key
 * before. */
typedef struct cubic_key {
    double in[4], value[4], out[4];
} cubic_key;

/* Cubics of a channel. Both arrays are malloc'ed, for the caller to free. */
typedef struct cubics {
    size_t *keys;
    cubic_key *written;
    size_t count;
    size_t corners; /* of smooth ones: keys with another velocity on both sides */
} cubics;

/* From the keys that turns_read has read. Smooth: the tangents on both sides of a key are equal, but for
 * corners, where the source turns too sharply. On failure nothing is found. PATH_NONE: no cubic that was
 * tried stays within the bound between some neighbours. */
path_end cubics_find(const turns *source, const pm_motion_channel *channel, bool is_smooth,
                     cubics *found);

#endif
