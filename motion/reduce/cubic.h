/* SPDX-License-Identifier: MIT
 *
 * A cubic of quaternions as glTF has them, normalised, and how fast it moves at most.
 */
#ifndef POSEMILL_MOTION_REDUCE_CUBIC_H
#define POSEMILL_MOTION_REDUCE_CUBIC_H

#include "motion/reduce/curve.h"

/* The sum of terms[i] s^i for s from 0 to 1, and the time of s. A constant has 0 seconds. */
typedef struct cubic {
    double terms[4][4];
    double begin, seconds;
} cubic;

/* Of two keys, with their tangents per second. */
cubic cubic_between(const double from[4], const double out[4], const double in[4],
                    const double to[4], double begin, double seconds);

/* The unit quaternion at a time, which lies in the cubic. */
void cubic_value(const cubic *c, double time, double q[4]);

/* In an interval. With p the cubic and n its length, the quaternion p / n moves by at most |p'| / n, and
 * its second derivative across it is at most |p''| / n + 2 |p'|^2 / n^2. Infinite where n may be 0. */
turning cubic_turning(const cubic *c, double begin, double end);

#endif
