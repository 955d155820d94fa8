/* SPDX-License-Identifier: MIT
 *
 * The keys of a channel of numbers with linear interpolation, and whether some may be dropped. The
 * difference of two such curves is linear between their keys, so that it is the largest at one.
 */
#ifndef POSEMILL_MOTION_REDUCE_LINES_H
#define POSEMILL_MOTION_REDUCE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <posemill/posemill_motion.h>

typedef struct lines {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
    double
        limit; /* length of the difference, or with is_ratio its part of the source's number; 0: keys
                      between equal ones are dropped */
    bool is_ratio; /* each number by itself */
    size_t worst;  /* the key at which the last test failed */
} lines;

/* Whether the keys between two may be dropped. Neighbours always pass if their times rise as they are
 * written. */
bool lines_hold(lines *l, size_t from, size_t to);

/* Whether a key has the numbers of the next one. */
bool lines_equal(const pm_motion_channel *channel, size_t key);

/* How far two values are apart: the length of the difference, or the largest ratio. */
double lines_apart(const double *a, const double *b, uint32_t components, bool is_ratio);

#endif
