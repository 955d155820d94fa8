/* SPDX-License-Identifier: MIT
 *
 * What is done with one channel: the keys that remain, and the bound of the error.
 */
#ifndef POSEMILL_MOTION_REDUCE_CHANNEL_H
#define POSEMILL_MOTION_REDUCE_CHANNEL_H

#include "motion/base/arena.h"
#include "motion/reduce/certify.h"
#include "motion/reduce/cubics.h"
#include "motion/reduce/path.h"

#include <posemill/posemill_motion.h>

/* The bounds, in radians and lengths, and the curve of rotations. */
typedef struct reduce_limits {
    double angle, position, scale;
    pm_method curve;
    bool is_smooth;
} reduce_limits;

/* What is done where no subset of the keys is enough. */
#define REDUCE_CURVE_HINT                                                                          \
    "choose a larger bound, or the curve slerp, which has a corner at each key; or cut what jumps"

typedef struct reduced_channel {
    certified source;
    size_t clip, index; /* of the channel */
    bool is_reduced;
    double *limits; /* of rotations in each interval, malloc'ed. NULL: as of all */
    bool is_stale;  /* its keys are to be searched */
    size_t *keys;   /* that remain, malloc'ed. NULL: all */
    size_t count;
    cubic_key *cubics; /* of the keys that remain, malloc'ed. NULL: the source's interpolation */
    size_t corners;    /* of smooth cubics */
    certified result;  /* once it is made */
    arc_extent error;  /* radians of rotations */
    path_end end;      /* of the search */
} reduced_channel;

/* Whether the numbers of a channel differ by a part of themselves: scales and weights. */
bool reduce_is_ratio(const pm_motion_channel *channel);

/* The limit of a channel; 0 for scalars. */
double reduce_limit(const reduce_limits *limits, const pm_motion_channel *channel);

/* Whether the keys of a channel are not all equal. */
bool reduce_moves(const reduced_channel *c);

/* Finds the keys that remain, in place of those that were found. Sets `end`. */
void reduce_find_keys(reduced_channel *c, const reduce_limits *limits);

/* The same for several channels with the same times, which receive the same keys. */
void reduce_find_common_keys(reduced_channel *const *channels, size_t count,
                             const reduce_limits *limits);

/* Makes the channel of the result, whose timeline and its index the caller sets. False: memory is exhausted. */
bool reduce_make_channel(const reduced_channel *c, motion_arena *arena, pm_motion_channel *to);

/* The times of the keys that remain. NULL times: memory is exhausted. */
pm_timeline reduce_make_timeline(const reduced_channel *c, motion_arena *arena);

/* Computes the error of the result. Sets `end` where memory is exhausted. The error is infinite where the method
 * has no curve through the keys. */
void reduce_certify(reduced_channel *c, const reduce_limits *limits);

#endif
