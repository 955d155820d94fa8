/* SPDX-License-Identifier: MIT
 *
 * A curve of one of the library's methods through rotation keys: the values that the library computes, and
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
 *   two (arc.h), so that those of D follow.
 */
#ifndef POSEMILL_MOTION_REDUCE_CURVE_H
#define POSEMILL_MOTION_REDUCE_CURVE_H

#include <stdbool.h>

#include <posemill/posemill.h>

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

#endif
