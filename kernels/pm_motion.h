/* SPDX-License-Identifier: MIT
 *
 * Angular velocity and acceleration of a curve from its derivatives by u.
 */
#ifndef PM_MOTION_H
#define PM_MOTION_H

#include "pm_jet.h"
#include "pm_methods.h"

/* The vector part of conj(a) b, or of b conj(a) in the parent's frame; w is 0. */
pm_fn pm_quat pm_turned_back(pm_quat a, pm_quat b, pm_u32 parent) {
    pm_quat back = pm_quat_of(-a.x, -a.y, -a.z, a.w);
    pm_quat r = parent ? pm_quat_product(b, back) : pm_quat_product(back, b);
    r.w = PM_REAL(0.0f);
    return r;
}

/* Angular velocity, in rad/s, of a curve of any length; `rate` is 1 over the segment's
 * seconds. */
pm_fn pm_quat pm_angular_velocity(pm_quat_jet q, real rate, pm_u32 parent) {
    pm_quat v = pm_turned_back(q.v, q.d, parent);
    return pm_quat_scaled(v, PM_REAL(2.0f) * rate / pm_quat_norm2(q.v));
}

/* Angular acceleration, in rad/s^2: with n = |q|^2 and velocity w by u,
 *   2 vec(conj(q) q'')/n - w n'/n, n' = 2 q.q'
 * in either frame, for what differs between them turns with the velocity itself. */
pm_fn pm_quat pm_angular_acceleration(pm_quat_jet q, real rate, pm_u32 parent) {
    real n = pm_quat_norm2(q.v);
    real growth = PM_REAL(2.0f) * pm_quat_dot(q.v, q.d) / n;
    pm_quat a = pm_turned_back(q.v, q.dd, parent);
    a = pm_quat_plus(a, -growth, pm_turned_back(q.v, q.d, parent));
    return pm_quat_scaled(a, PM_REAL(2.0f) * rate * rate / n);
}

#endif
