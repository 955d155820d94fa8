/* SPDX-License-Identifier: MIT
 *
 * A segment of a rotation's curve, of any kind, and a bound of the angle between two of them that no time
 * exceeds.
 *
 * Two arcs are as below. Otherwise, let d be the dot of two curves whose quaternions move by at
 * most a and b radians in an interval, and whose accelerations along the sphere are at most c in all, in
 * units of the interval. x = 1 - d is 2 z^2, with z the sine of half the angle, and
 *     x'' >= -(a^2 + b^2) x - 2 c z
 * so that the largest values X and Z satisfy X <= E + ((a^2 + b^2) X + 2 c Z) / 8, where E is the larger
 * one of both ends. Where this does not decide, the interval is halved.
 */
#pragma once

#include <posemill/posemill.h>

#include <stdbool.h>

/* As fmax of numbers, without a call. */
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

/* The angle between two arcs, each a slerp of constant speed, and a bound of it that no time exceeds.
 *
 * Angles between rotations are measured as `apart` = 1 - |dot| of their unit quaternions, which is
 * 2 sin^2(angle / 4). Let d be the dot of two arcs on which the quaternions move by `a` and `b`
 * radians in an interval. Both satisfy q'' = -speed^2 q, so that x = 1 - d satisfies
 *     x'' >= (a - b)^2 - (a^2 + b^2) x
 * and its largest value X is at most E, the larger one of both ends, or
 *     X <= E + ((a^2 + b^2) X - (a - b)^2) / 8.
 * Where this bound does not decide, the interval is halved: its excess falls fourfold. */

/* A slerp from one unit quaternion to another, the shorter way. */
typedef struct arc {
    double from[4], to[4]; /* `to` with the sign of the shorter way */
    double angle;          /* between the quaternions, 0 to pi / 2 */
    double begin, seconds;
} arc;

/* seconds is 0 for a constant: both quaternions are the same then. */
arc arc_between(const double from[4], const double to[4], double begin, double seconds);

/* asin(x) for x from 0 on, of at most 1 but for rounding. */
double arcsine(double x);

/* sin(x) for 0 <= x <= pi / 2, within 5e-14. In the header, for loops over keys. */
static inline double short_sine(double x) {
    const double y = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = sum * y - 1.0 / 1307674368000.0;
    sum = sum * y + 1.0 / 6227020800.0;
    sum = sum * y - 1.0 / 39916800.0;
    sum = sum * y + 1.0 / 362880.0;
    sum = sum * y - 1.0 / 5040.0;
    sum = sum * y + 1.0 / 120.0;
    sum = sum * y - 1.0 / 6.0;
    return x + x * y * sum;
}

/* The unit quaternion at a time, which lies in the arc. */
void arc_value(const arc *a, double time, double q[4]);

/* 1 - sign * dot of unit quaternions, accurate where it is small. */
double arc_apart(const double a[4], const double b[4], double sign);

/* The length of a - sign * b, from above. */
double arc_chord_at_most(const double a[4], const double b[4], double sign);

/* The sign for which two quaternions are nearer. */
double arc_sign(const double a[4], const double b[4]);

/* Radians of `apart`, and back. */
double arc_radians(double apart);
double arc_apart_of(double radians);

/* A curve of one of the library's methods through rotation keys: the values that the library computes, and
 * how fast the curve moves in each segment at most.
 *
 * Values are those of a clip on the reference path, in single precision. How the exact curve moves is
 * bounded in double from what the clip says about its keys: q is the key, w the half-angle velocity at
 * the key, L the logarithm of the step to the next key; lengths of vectors are those of quaternions' arcs.
 *   slerp: its velocity is constant.
 *   hermite, spline: q exp(v(u)), with a cubic v that the velocity and the acceleration at the key give.
 *   A curve exp(v) on the sphere moves by at most |v'|, and its acceleration along the sphere is at most
 *   |v''| + g |v'|^2, with g = min(0.64, 2/3 |v|): what the sphere's curvature adds in these coordinates.
 *   squad: A exp(t D), with t = 2 u (1 - u) and D the logarithm from the keys' arc A to the inner points'
 *   arc B. Both arcs have constant velocities, and the distance of their points is bounded as that of any
 *   two, so that those of D follow. */

/* What no time of an interval exceeds, of unit quaternions: radians per second, and per second squared of
 * the acceleration along the sphere. Rotations turn twice as fast. */
typedef struct turning {
    double rate, change;
} turning;

/* A segment of a method's curve. */
typedef struct curve_part {
    turning most;
    double rounding; /* radians of the quaternion between what is computed and the exact curve */
} curve_part;

typedef struct method_curve {
    pm_engine *engine;
    pm_clip *clip;
    curve_part *parts; /* of each segment, malloc'ed */
    bool lacks_memory; /* a value could not be computed, and is none */
} method_curve;

/* Whether a method has a curve here that is smooth: squad, hermite and spline. Slerp's is known too. */
bool method_curve_knows(pm_method method);

/* Through `count` unit quaternions, at least 2, at times that rise, with the method's own tangents and ends.
 * PM_ERROR_KEY: there is no such curve; PM_ERROR_MEMORY. Then nothing is to be released. */
pm_status method_curve_make(method_curve *c, pm_method method, const double *times,
                            const double (*keys)[4], size_t count, pm_error *error);
void method_curve_release(method_curve *c);

/* The unit quaternions at `count` times, as they are computed: of length 1 within 1e-6. */
pm_status method_curve_sample(const method_curve *c, const double *times, size_t count,
                              float (*values)[4], pm_error *error);

/* A value, normalised. */
void method_curve_unit(const float value[4], double q[4]);

/* A cubic of quaternions as glTF has them, normalised, and how fast it moves at most. */

/* The sum of terms[i] s^i for s from 0 to 1, and the time of s. A constant has 0 seconds. */
typedef struct cubic {
    double terms[4][4];
    double begin, seconds;
} cubic;

/* Of two keys, with their tangents per second. */
cubic cubic_between(const double from[4], const double out[4], const double in[4],
                    const double to[4], double begin, double seconds);

/* How fast the rotation turns at a time: radians per second about the axes of the parent. */
void cubic_spin(const cubic *c, double time, double spin[3]);

typedef enum segment_kind { SEGMENT_ARC, SEGMENT_CUBIC, SEGMENT_CURVE } segment_kind;

typedef struct segment {
    segment_kind kind;
    union {
        arc arc;
        cubic cubic;
        struct {
            method_curve *of;
            size_t index;
        } curve;
    };
} segment;

/* The unit quaternion at a time, which lies in the segment. Of a curve that lacks memory: 0. */
void segment_value(const segment *s, double time, double q[4]);

/* In an interval that lies in the segment. */
turning segment_turning(const segment *s, double begin, double end);

/* As of curve_part. */
double segment_rounding(const segment *s);

/* The largest `apart` in an interval of some seconds whose ends are at most `chord` apart. */
double segments_bound(double chord, double seconds, turning a, turning b, double rounding);

/* Whether both are at most `limit` apart at every time of an interval that lies in both. */
bool segments_hold(const segment *a, const segment *b, double begin, double end, double limit);

/* What is known about an error along the times: a value that is reached, and one that is not exceeded. */
typedef struct arc_extent {
    double found, bound;
    double time;  /* of `found` */
    double limit; /* the bound is made precise until it is decided whether it is below. 0: none */
} arc_extent;

/* Adds an interval that lies in both segments; the values are `apart`. */
void segments_extend(arc_extent *extent, const segment *a, const segment *b, double begin,
                     double end);
