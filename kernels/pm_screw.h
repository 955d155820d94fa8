/* SPDX-License-Identifier: MIT
 *
 * The position of the geodesic of SE(3) from one key to the next, whose rotation is their slerp (docs/points.md,
 * "Screw"): with half the angle h between the keys, the unit axis n in the outer frame, and the way d from key to key,
 *   D(u) = w_b ((w_b + w_a cos h) d - w_a sin h n x d) + G sin(h)^2 n (n . d)
 * with the weights w_a, w_b of the slerp and
 *   G = (m sin h - sin(m h))/(2 sin(h)^3), m = 2 u - 1,
 * whose numerator is m (1 - m^2) h^3 times a series in h^2 and m^2. It serves up to h = pi/2, which is half a turn.
 */
#ifndef PM_SCREW_H
#define PM_SCREW_H

#include "pm_slerp.h"

typedef struct pm_screw {
    pm_quat turn; /* sin h n, cos h */
    pm_quat way;
    pm_arc arc;
} pm_screw;

pm_fn real pm_dot3(pm_quat a, pm_quat b) {
    return pm_fma(a.x, b.x, pm_fma(a.y, b.y, a.z * b.z));
}

/* vec(b conj(a)) = vec((b - a) conj(a)), whose rounding is that of the difference. */
pm_fn pm_screw pm_screw_of(pm_quat a, pm_quat b, pm_quat way) {
    pm_screw s;
    s.arc = pm_arc_between(a, b);
    s.turn = pm_quat_product(pm_quat_difference(b, a), pm_quat_conjugate(a));
    s.turn.w = pm_quat_dot(a, b);
    s.way = way;
    return s;
}

/* The series of -(1/3! - h^2 (1 + m^2)/5! + h^4 (1 + m^2 + m^4)/7! - ...): the first term left out is below 4e-9. */
pm_fn real pm_screw_series(real h2, real m2) {
    real one = PM_REAL(1.0f);
    real p2 = one + m2, p3 = pm_fma(m2, p2, one), p4 = pm_fma(m2, p3, one);
    real p5 = pm_fma(m2, p4, one), p6 = pm_fma(m2, p5, one);
    real r =
        pm_fma(PM_REAL(1.6059043836821613e-10f) * p6, h2, PM_REAL(-2.5052108385441720e-8f) * p5);
    r = pm_fma(r, h2, PM_REAL(2.7557319223985893e-6f) * p4);
    r = pm_fma(r, h2, PM_REAL(-1.9841269841269841e-4f) * p3);
    r = pm_fma(r, h2, PM_REAL(8.3333333333333333e-3f) * p2);
    return pm_fma(r, h2, PM_REAL(-1.6666666666666667e-1f));
}

/* The way from the first key at u. */
pm_fn pm_quat pm_screw_at(const pm_screw *s, real u) {
    real v = PM_REAL(1.0f) - u, m = u - v;
    real of_a = pm_arc_weight(s->arc, v), of_b = pm_arc_weight(s->arc, u);
    real gain = s->arc.gain;
    real along =
        PM_REAL(2.0f) * m * (u * v) * (gain * gain * gain) * pm_screw_series(s->arc.angle2, m * m);
    pm_quat r = pm_quat_scaled(s->way, of_b * pm_fma(of_a, s->turn.w, of_b));
    r = pm_quat_plus(r, -(of_a * of_b), pm_cross(s->turn, s->way));
    r = pm_quat_plus(r, along * pm_dot3(s->turn, s->way), s->turn);
    r.w = PM_REAL(0.0f);
    return r;
}

/* The derivative by u where the way is `at`: that of the first key, and the angular velocity 2 h n crossed with `at`.
 * h cot h is near 1 where h is small, and what it is multiplied by is small. */
pm_fn pm_quat pm_screw_slope(const pm_screw *s, pm_quat at) {
    real one = PM_REAL(1.0f), gain = s->arc.gain;
    real sine2 = pm_dot3(s->turn, s->turn), cotangent = gain * s->turn.w;
    pm_mask small = sine2 < PM_REAL(1e-4f);
    real rest = (one - cotangent) / pm_select(small, one, sine2);
    real along = pm_select(small, PM_REAL(0.333333333f), rest);
    pm_quat r = pm_quat_scaled(s->way, cotangent);
    r = pm_quat_plus(r, -gain, pm_cross(s->turn, s->way));
    r = pm_quat_plus(r, along * pm_dot3(s->turn, s->way), s->turn);
    r = pm_quat_plus(r, PM_REAL(2.0f) * gain, pm_cross(s->turn, at));
    r.w = PM_REAL(0.0f);
    return r;
}

#endif
