/* SPDX-License-Identifier: MIT
 *
 * How far two channels are apart at most: a bound that holds at all times, and not only at those that
 * were computed.
 */
#ifndef POSEMILL_MOTION_REDUCE_CERTIFY_H
#define POSEMILL_MOTION_REDUCE_CERTIFY_H

#include "motion/reduce/cubic.h"

#include <posemill/posemill_motion.h>

/* A channel with its times. */
typedef struct certified {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
} certified;

/* The segment of a rotation that ends with key `next`; constant before the first key and after the last
 * one, and of steps. */
arc certified_arc(certified c, size_t next);

/* The same of a cubicspline. */
cubic certified_cubic(certified c, size_t next);

/* Of rotations with linear interpolation or steps, in radians; B may be a cubicspline. `limit`: as of
 * arc_extent. */
arc_extent certify_rotation(certified a, certified b, double limit);

/* Of numbers with linear interpolation: the length of the difference, or its largest ratio to a number of A. */
arc_extent certify_numbers(certified a, certified b, bool is_ratio);

#endif
