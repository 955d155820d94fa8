/* SPDX-License-Identifier: MIT
 *
 * The angle between two arcs, each a slerp of constant speed, and a bound of it that no time exceeds.
 *
 * Angles between rotations are measured as `apart` = 1 - |dot| of their unit quaternions, which is
 * 2 sin^2(angle / 4). Let d be the dot of two arcs on which the quaternions move by `a` and `b`
 * radians in an interval. Both satisfy q'' = -speed^2 q, so that x = 1 - d satisfies
 *     x'' >= (a - b)^2 - (a^2 + b^2) x
 * and its largest value X is at most E, the larger one of both ends, or
 *     X <= E + ((a^2 + b^2) X - (a - b)^2) / 8.
 * Where this bound does not decide, the interval is halved: its excess falls fourfold.
 */
#ifndef POSEMILL_MOTION_REDUCE_ARC_H
#define POSEMILL_MOTION_REDUCE_ARC_H

/* A slerp from one unit quaternion to another, the shorter way. */
typedef struct arc {
    double from[4], to[4]; /* `to` with the sign of the shorter way */
    double angle;          /* between the quaternions, 0 to pi / 2 */
    double begin, seconds;
} arc;

/* seconds is 0 for a constant: both quaternions are the same then. */
arc arc_between(const double from[4], const double to[4], double begin, double seconds);

/* Radians of the quaternion per second. */
double arc_speed(const arc *a);

/* The unit quaternion at a time, which lies in the arc. */
void arc_value(const arc *a, double time, double q[4]);

/* 1 - sign * dot of unit quaternions, accurate where it is small. */
double arc_apart(const double a[4], const double b[4], double sign);

/* The length of a - sign * b, from above. */
double arc_chord_at_most(const double a[4], const double b[4], double sign);

/* The sign for which two quaternions are nearer. */
double arc_sign(const double a[4], const double b[4]);

/* The largest `apart` between two arcs within an interval of `a` and `b` radians, whose ends have at
 * most `apart`. */
double arc_bound(double apart, double a, double b);

/* Radians of `apart`, and back. */
double arc_radians(double apart);
double arc_apart_of(double radians);

#endif
