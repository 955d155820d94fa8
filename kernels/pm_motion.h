/* SPDX-License-Identifier: MIT
 *
 * Angular velocity and acceleration of a curve from its derivatives by u.
 */
#ifndef PM_MOTION_H
#define PM_MOTION_H

#include "pm_jet.h"
#include "pm_methods.h"

/* The vector part of conj(a) b (body frame) or of b conj(a) (parent's frame); w is 0. */
pm_fn pm_quat pm_relative_vector(pm_quat a, pm_quat b, pm_u32 parent) {
    pm_quat back = pm_quat_of(-a.x, -a.y, -a.z, a.w);
    pm_quat r = parent ? pm_quat_product(b, back) : pm_quat_product(back, b);
    r.w = PM_REAL(0.0f);
    return r;
}

/* A zero becomes +0: compilers differ in the sign of a product that has a zero factor. */
pm_fn real pm_positive_zero(real x) {
    real zero = PM_REAL(0.0f);
    return pm_select(x == zero, zero, x);
}

/* The rates of four numbers. */
pm_fn pm_quat pm_rates_of(pm_quat v, real scale) {
    return pm_quat_of(pm_positive_zero(v.x * scale), pm_positive_zero(v.y * scale),
                      pm_positive_zero(v.z * scale), pm_positive_zero(v.w * scale));
}

/* Of a vector, whose w is 0. */
pm_fn pm_quat pm_rate_of(pm_quat v, real scale) {
    pm_quat rate = pm_rates_of(v, scale);
    rate.w = PM_REAL(0.0f);
    return rate;
}

/* Angular velocity, in rad/s, of a curve of quaternions of any length; `rate` is
 * 1/(duration of the segment in s). */
pm_fn pm_quat pm_angular_velocity(pm_quat_jet q, real rate, pm_u32 parent) {
    pm_quat v = pm_relative_vector(q.v, q.d, parent);
    return pm_rate_of(v, PM_REAL(2.0f) * rate / pm_quat_norm2(q.v));
}

/* Angular velocities in the body's own axes for the states of bodies. That of a slerp is constant: the turn from
 * key to key, 2 theta in the direction of vec(conj(a) b) = vec(conj(a) (b - a)), whose length is sin(theta). */
pm_fn pm_quat pm_slerp_spin(const pm_slerp_segment *s, real u, real rate) {
    (void)u;
    pm_quat turn = pm_relative_vector(s->a, pm_quat_difference(s->b, s->a), 0);
    return pm_rate_of(turn, PM_REAL(2.0f) * rate * s->arc.gain);
}

#define PM_SPIN_OF_MOTION(name)                                                                    \
    pm_fn pm_quat pm_##name##_spin(const pm_##name##_segment *s, real u, real rate) {              \
        return pm_angular_velocity(pm_##name##_motion(s, u), rate, 0);                             \
    }
PM_OTHER_ROTATION_CURVES(PM_SPIN_OF_MOTION)

/* Angular acceleration, in rad/s^2: with n = |q|^2 and velocity w by u,
 *   2 vec(conj(q) q'')/n - w n'/n, n' = 2 q.q'
 * in either frame, because the rotation between the frames turns about the velocity itself. */
pm_fn pm_quat pm_angular_acceleration(pm_quat_jet q, real rate, pm_u32 parent) {
    real n = pm_quat_norm2(q.v);
    real growth = PM_REAL(2.0f) * pm_quat_dot(q.v, q.d) / n;
    pm_quat a = pm_relative_vector(q.v, q.dd, parent);
    a = pm_quat_plus(a, -growth, pm_relative_vector(q.v, q.d, parent));
    return pm_rate_of(a, PM_REAL(2.0f) * rate * rate / n);
}

#endif
