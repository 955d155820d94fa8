/* SPDX-License-Identifier: MIT
 *
 * The angle between a slerp and a cubic of quaternions as glTF has them, and a bound of it that no
 * time exceeds.
 *
 * Let q be a slerp on which the quaternion moves by w radians a second, p the cubic before it is
 * normalised, a = p.q, and r the line through a's values at both ends of an interval of h seconds. The
 * rest d = p - r q is across q at both ends, and q'' = -w^2 q, so that
 *     d'' = (p'' + w^2 p) - w^2 d - 2 r' q'
 * and its largest length X is at most E, the larger one of both ends, and h^2/8 times the largest
 * |d''|: X <= (E + h^2/8 (|p'' + w^2 p| + 2 |r'| w)) / (1 - h^2 w^2 / 8). In the same way a is at
 * most h^2/8 |a''| below its smaller end. The tangent of the angle between p and q is at most X / a.
 * Where this does not decide, the interval is halved.
 */
#ifndef POSEMILL_MOTION_REDUCE_CUBIC_H
#define POSEMILL_MOTION_REDUCE_CUBIC_H

#include "motion/reduce/arc.h"

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

/* What no time of an interval exceeds: radians per second of the rotation, and per second squared of the
 * change of its angular velocity. With p the cubic and n its length, the quaternion p / n moves by at
 * most |p'| / n, and its second derivative across it is at most |p''| / n + 2 |p'|^2 / n^2; rotations
 * turn twice as fast. Infinite where n may be 0. */
typedef struct cubic_motion {
    double rate, change;
} cubic_motion;
cubic_motion cubic_rates(const cubic *c, double begin, double end);

/* Whether both are at most `limit` apart at every time of an interval that lies in both. */
bool cubic_holds(const arc *a, const cubic *b, double begin, double end, double limit);

/* As arc_extend. */
void cubic_extend(arc_extent *extent, const arc *a, const cubic *b, double begin, double end);

#endif
