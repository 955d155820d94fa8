/* SPDX-License-Identifier: MIT
 *
 * Segments of sterp: logarithms of swing and twist (docs/methods.md, "sterp"). The host
 * builds the windows of both.
 */
#ifndef PM_STERP_SEGMENT_H
#define PM_STERP_SEGMENT_H

#include "pm_window.h"

/* Splits a delta in the body frame into swing and twist about the axis: half-angle
 * vectors of length at most pi/2. A swing of 180 degrees leaves the twist undefined: it is 0. */
pm_fn void pm_split(dquat delta, dvec3 axis, dvec3 *swing, dvec3 *twist) {
    const dreal one = dreal_of(1), none = dreal_of(0);
    dreal p = dvec3_dot(dquat_vector(delta), axis);
    dreal length = dreal_sqrt(p * p + delta.w * delta.w);
    dmask defined = dmask_of(length >= 1e-6);
    dreal inverse = one / dreal_select(defined, length, one);
    dquat t = dquat_of(dvec3_scaled(axis, dreal_where(defined, p * inverse)),
                       dreal_select(defined, delta.w * inverse, one));
    dquat s = dquat_product(delta, dquat_conjugate(t));
    t = dquat_flipped(t, dmask_of(t.w < 0) | (dmask_of(t.w == 0) & dmask_of(p < 0)));
    s = dquat_flipped(s, dmask_of(s.w < none));
    *swing = dquat_log(s);
    *twist = dquat_log(t);
}

#define pm_sterp_planes 3
#define pm_sterp_needs PM_NEEDS_AXES
PM_NO_KNOTS(sterp)

pm_fn void pm_sterp_build(const pm_window *w, ptrdiff_t i, const int *here, const int *next,
                          pm_coefficients *c) {
    dquat key = pm_window_key(w, i);
    dquat delta = dquat_product(dquat_conjugate(key), pm_window_key(w, i + 1));
    dvec3 axis = w->rules.parent_axes ? dquat_rotate_back(key, w->axis) : w->axis;
    dvec3 swing, twist;
    (void)here, (void)next;
    pm_split(delta, axis, &swing, &twist);
    c->of[0] = dquat_times_vector(key, swing);
    c->of[1] = dquat_times_vector(key, twist);
    c->of[2] = dquat_times_vector(key, dvec3_cross(swing, twist));
}

#endif
