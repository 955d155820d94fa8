/* SPDX-License-Identifier: MIT
 *
 * How far two channels are apart at most: a bound that holds at all times, and not only at those that
 * were computed.
 */
#ifndef POSEMILL_MOTION_REDUCE_CERTIFY_H
#define POSEMILL_MOTION_REDUCE_CERTIFY_H

#include "motion/reduce/segment.h"

#include <posemill/posemill_motion.h>

/* A channel with its times. */
typedef struct certified {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
    method_curve *curve; /* of linear rotations, through their keys. NULL: slerp */
} certified;

/* The segment of a rotation that ends with key `next`; constant before the first key and after the last
 * one, and of steps. */
segment certified_segment(certified c, size_t next);

/* Makes the curve of a rotation channel with linear interpolation and at least 2 keys, malloc'ed; sets
 * `curve`. PM_ERROR_KEY and PM_ERROR_MEMORY as method_curve_make. */
pm_status certified_make_curve(certified *c, pm_method method, pm_error *error);

/* NULL is ignored. False: some value lacked memory. */
bool certified_free_curve(method_curve *curve);

/* Of rotations, in radians. `limit`: as of arc_extent. */
arc_extent certify_rotation(certified a, certified b, double limit);

/* Of numbers with linear interpolation: the length of the difference, or its largest ratio to a number of A. */
arc_extent certify_numbers(certified a, certified b, bool is_ratio);

#endif
