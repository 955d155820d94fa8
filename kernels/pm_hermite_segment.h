/* SPDX-License-Identifier: MIT
 *
 * Segments of hermite and spline: the coefficients of a cubic rotation vector (docs/methods.md, "hermite"),
 * multiplied by their key as pm_hermite.h requires.
 */
#ifndef PM_HERMITE_SEGMENT_H
#define PM_HERMITE_SEGMENT_H

#include "pm_rotation_vector.h"
#include "pm_tangents.h"

/* The largest half angle, in rad. Beyond it float32 cannot resolve the position within a turn. */
#define PM_MAX_HALF_ANGLE 1e4

/* A bound of the cubic's squared length: the cubic stays within the convex hull of its control points. */
pm_fn dreal pm_max_length2_of(dvec3 leaving, dvec3 arriving, dvec3 log) {
    dvec3 third = dvec3_difference(log, dvec3_times(arriving, 1.0 / 3));
    dreal inner2 = dreal_max(dvec3_dot(leaving, leaving) * (1.0 / 9), dvec3_dot(third, third));
    return dreal_max(inner2, dvec3_dot(log, log));
}

/* Cubics in the space of rotation vectors, for any rule that finds their velocities: segment i from the
 * full angular velocities, in rad/s and in the body frame, with which the curve leaves the segment's first
 * key and arrives at its second. Lanes where the cubic is too long fail. */
pm_fn void pm_put_hermite(const pm_window *w, ptrdiff_t i, dvec3 leaving, dvec3 arriving,
                          pm_coefficients *c) {
    dquat key = pm_window_key(w, i);
    dvec3 log = pm_window_log(w, i);
    double halved = pm_window_length(w, i) / 2;
    dvec3 c1 = dvec3_times(leaving, halved);
    dvec3 end = dvec3_times(pm_jr_inverse(dvec3_times(log, 2), arriving), halved);
    c->failed = ~dmask_of(pm_max_length2_of(c1, end, log) <= PM_MAX_HALF_ANGLE * PM_MAX_HALF_ANGLE);
    c->of[0] = dquat_times_vector(key, log);
    c->of[1] = dquat_times_vector(key, dvec3_difference(c1, log));
    c->of[2] = dquat_times_vector(key, dvec3_difference(log, end));
}

#define pm_hermite_planes 3
#define pm_hermite_needs (PM_NEEDS_LOGS | PM_NEEDS_USER)
#define pm_hermite_knot pm_tangent
#define pm_hermite_knot_at pm_key_velocity

pm_fn void pm_hermite_build(const pm_window *w, ptrdiff_t i, const pm_tangent *here,
                            const pm_tangent *next, pm_coefficients *c) {
    pm_put_hermite(w, i, dvec3_times(here->out, 2), dvec3_times(next->in, 2), c);
}

#define pm_spline_planes 3
#define pm_spline_needs (PM_NEEDS_LOGS | PM_NEEDS_RATES)
PM_NO_KNOTS(spline)

pm_fn void pm_spline_build(const pm_window *w, ptrdiff_t i, const int *here, const int *next,
                           pm_coefficients *c) {
    (void)here, (void)next;
    pm_put_hermite(w, i, dquat_vector(pm_window_in(w, i)), dquat_vector(pm_window_in(w, i + 1)), c);
}

#endif
