/* SPDX-License-Identifier: MIT
 *
 * Segments of squad: the slerp of the inner points, stored as its middle and half arc (see
 * kernels/pm_squad.h).
 */
#ifndef PM_SQUAD_SEGMENT_H
#define PM_SQUAD_SEGMENT_H

#include "pm_tangents.h"

/* The length below which the sum of two unit quaternions is rounding noise. */
#define PM_ANTIPODAL 1e-6

/* The direction of the component of v that is orthogonal to the unit quaternion d. */
pm_fn dquat pm_across(dquat v, dquat d) {
    return dquat_unit(dquat_difference(v, dquat_scaled(d, dquat_dot(v, d))));
}

/* The slerp from inner point a to b, at any angle. Antipodal inner points belong to a half turn
 * from rest to rest; near such a turn, the middle of the inner points tends to the middle of the
 * keys, so the slerp passes through that. */
pm_fn void pm_put_arc(pm_coefficients *c, dquat a, dquat b, dquat keys) {
    dquat sum = dquat_sum(a, b);
    dquat difference = dquat_difference(b, a);
    dreal length = dquat_norm(sum);
    dmask opposite = dmask_of(length < PM_ANTIPODAL);
    dquat middle = dquat_scaled(sum, 1 / length);
    dreal angle = 0.5 * dreal_arc(0.5 * length); /* over the chord */
    if (dmask_any(opposite)) {
        dreal chord = dquat_norm(difference);
        dquat d = dquat_scaled(difference, 1 / chord);
        middle = dquat_select(opposite, pm_across(keys, d), middle);
        angle = dreal_select(opposite, PM_HALF_PI / chord, angle);
    }
    c->of[0] = middle;
    c->of[1] = dquat_scaled(difference, angle);
}

#define pm_squad_planes 2
#define pm_squad_needs (PM_NEEDS_LOGS | PM_NEEDS_USER)
#define pm_squad_knot pm_tangent
#define pm_squad_knot_at pm_limited_velocity

pm_fn void pm_squad_build(const pm_window *w, ptrdiff_t i, const pm_tangent *here,
                          const pm_tangent *next, pm_coefficients *c) {
    double h = pm_window_length(w, i);
    dvec3 log = pm_window_log(w, i);
    dvec3 leaving = dvec3_difference(dvec3_times(here->out, h), log);
    dvec3 arriving = dvec3_difference(log, dvec3_times(next->in, h));
    dquat from = pm_window_key(w, i);
    dquat to = pm_window_key(w, i + 1);
    pm_put_arc(c, dquat_product(from, dquat_exp(dvec3_times(leaving, 0.5))),
               dquat_product(to, dquat_exp(dvec3_times(arriving, 0.5))), dquat_sum(from, to));
}

#endif
