/* SPDX-License-Identifier: MIT
 *
 * Jets: values with their first and second derivatives by u, and their arithmetic, from which
 * the motion of a curve is computed. Derivatives are those of the formulas, never differences.
 */
#ifndef PM_JET_H
#define PM_JET_H

#include "pm_math.h"
#include "pm_quat.h"

typedef struct pm_jet {
    real v, d, dd;
} pm_jet;

typedef struct pm_quat_jet {
    pm_quat v, d, dd;
} pm_quat_jet;

pm_fn pm_jet pm_jet_of(real v, real d, real dd) {
    pm_jet j;
    j.v = v;
    j.d = d;
    j.dd = dd;
    return j;
}

/* u itself */
pm_fn pm_jet pm_jet_u(real u) {
    return pm_jet_of(u, PM_REAL(1.0f), PM_REAL(0.0f));
}

pm_fn pm_jet pm_jet_scaled(pm_jet a, real s) {
    return pm_jet_of(a.v * s, a.d * s, a.dd * s);
}

/* 1 - a */
pm_fn pm_jet pm_jet_complement(pm_jet a) {
    return pm_jet_of(PM_REAL(1.0f) - a.v, -a.d, -a.dd);
}

pm_fn pm_jet pm_jet_product(pm_jet a, pm_jet b) {
    real cross = PM_REAL(2.0f) * a.d * b.d;
    return pm_jet_of(a.v * b.v, pm_fma(a.v, b.d, a.d * b.v),
                     pm_fma(a.v, b.dd, pm_fma(a.dd, b.v, cross)));
}

/* The chain rule: f(a) from f, f' and f'' at a.v */
pm_fn pm_jet pm_jet_chain(pm_jet a, pm_jet f) {
    return pm_jet_of(f.v, f.d * a.d, pm_fma(f.d, a.dd, f.dd * a.d * a.d));
}

/* One step of Horner's rule with its derivatives. Until the last step, dd is half the second
 * derivative. */
pm_fn pm_jet pm_horner_jet(pm_jet p, real x, float c) {
    return pm_jet_of(pm_fma(p.v, x, PM_REAL(c)), pm_fma(p.d, x, p.v), pm_fma(p.dd, x, p.d));
}

/* As in pm_math.h, with derivatives by x. */
pm_fn pm_jet pm_quartic_from_1_jet(real x, float c1, float c2, float c3, float c4) {
    pm_jet p = pm_jet_of(PM_REAL(c4), PM_REAL(0.0f), PM_REAL(0.0f));
    p = pm_horner_jet(p, x, c3);
    p = pm_horner_jet(p, x, c2);
    p = pm_horner_jet(p, x, c1);
    p = pm_horner_jet(p, x, 1.0f);
    return pm_jet_of(p.v, p.d, PM_REAL(2.0f) * p.dd);
}

pm_fn pm_jet pm_nonic_from_1_jet(real x, float c1, float c2, float c3, float c4, float c5, float c6,
                                 float c7, float c8, float c9) {
    pm_jet p = pm_jet_of(PM_REAL(c9), PM_REAL(0.0f), PM_REAL(0.0f));
    p = pm_horner_jet(p, x, c8);
    p = pm_horner_jet(p, x, c7);
    p = pm_horner_jet(p, x, c6);
    p = pm_horner_jet(p, x, c5);
    p = pm_horner_jet(p, x, c4);
    p = pm_horner_jet(p, x, c3);
    p = pm_horner_jet(p, x, c2);
    p = pm_horner_jet(p, x, c1);
    p = pm_horner_jet(p, x, 1.0f);
    return pm_jet_of(p.v, p.d, PM_REAL(2.0f) * p.dd);
}

pm_fn pm_jet pm_sinc_jet(real x2) {
    return PM_SINC(pm_quartic_from_1_jet, x2);
}

/* Derivatives by the squared chord */
pm_fn pm_jet pm_arc_gain_jet(real x) {
    return PM_ARC_GAIN(pm_nonic_from_1_jet, x);
}

/* cos x and sin(x)/x with their derivatives by x^2, for x^2 in [0, 1e8]. */
typedef struct pm_cos_sinc_jet {
    pm_jet cosine, sinc;
} pm_cos_sinc_jet;

pm_fn pm_cos_sinc_jet pm_cos_sinc_jet_of(real x2) {
    pm_cos_sinc_jet t;
    real end = PM_REAL(2.0f);
    pm_mask far = x2 >= end;
    real near2 = pm_select(far, end, x2);
    t.cosine.v = pm_cos(near2);
    t.sinc = pm_sinc_jet(near2);
    if (pm_any(far)) {
        real far2 = pm_select(far, x2, end);
        pm_cos_sinc turn = pm_cos_sinc_wide(far2);
        real d = (turn.cosine - turn.sinc) / (PM_REAL(2.0f) * far2);
        real dd = (PM_REAL(-0.5f) * turn.sinc - PM_REAL(3.0f) * d) / (PM_REAL(2.0f) * far2);
        t.cosine.v = pm_select(far, turn.cosine, t.cosine.v);
        t.sinc = pm_jet_of(pm_select(far, turn.sinc, t.sinc.v), pm_select(far, d, t.sinc.d),
                           pm_select(far, dd, t.sinc.dd));
    }
    t.cosine.d = PM_REAL(-0.5f) * t.sinc.v;
    t.cosine.dd = PM_REAL(-0.5f) * t.sinc.d;
    return t;
}

/* ---- quaternions ---- */

pm_fn pm_quat_jet pm_quat_jet_of(pm_quat v, pm_quat d, pm_quat dd) {
    pm_quat_jet q;
    q.v = v;
    q.d = d;
    q.dd = dd;
    return q;
}

/* weight a, for a constant quaternion a */
pm_fn pm_quat_jet pm_quat_jet_scaled(pm_jet weight, pm_quat a) {
    return pm_quat_jet_of(pm_quat_scaled(a, weight.v), pm_quat_scaled(a, weight.d),
                          pm_quat_scaled(a, weight.dd));
}

pm_fn pm_quat_jet pm_quat_jet_sum(pm_quat_jet a, pm_quat_jet b) {
    return pm_quat_jet_of(pm_quat_sum(a.v, b.v), pm_quat_sum(a.d, b.d), pm_quat_sum(a.dd, b.dd));
}

pm_fn pm_quat_jet pm_quat_jet_difference(pm_quat_jet a, pm_quat_jet b) {
    return pm_quat_jet_of(pm_quat_difference(a.v, b.v), pm_quat_difference(a.d, b.d),
                          pm_quat_difference(a.dd, b.dd));
}

/* gain a, for a constant gain */
pm_fn pm_quat_jet pm_quat_jet_gained(pm_quat_jet a, real gain) {
    return pm_quat_jet_of(pm_quat_scaled(a.v, gain), pm_quat_scaled(a.d, gain),
                          pm_quat_scaled(a.dd, gain));
}

/* sum + weight a, for a constant quaternion a */
pm_fn pm_quat_jet pm_quat_jet_plus(pm_quat_jet sum, pm_jet weight, pm_quat a) {
    return pm_quat_jet_of(pm_quat_plus(sum.v, weight.v, a), pm_quat_plus(sum.d, weight.d, a),
                          pm_quat_plus(sum.dd, weight.dd, a));
}

/* weight a, where both vary */
pm_fn pm_quat_jet pm_quat_jet_weighted(pm_jet weight, pm_quat_jet a) {
    pm_quat_jet r;
    r.v = pm_quat_scaled(a.v, weight.v);
    r.d = pm_quat_plus(pm_quat_scaled(a.d, weight.v), weight.d, a.v);
    r.dd = pm_quat_plus(pm_quat_scaled(a.dd, weight.v), weight.dd, a.v);
    r.dd = pm_quat_plus(r.dd, PM_REAL(2.0f) * weight.d, a.d);
    return r;
}

/* |a|^2 */
pm_fn pm_jet pm_quat_jet_norm2(pm_quat_jet a) {
    real two = PM_REAL(2.0f);
    return pm_jet_of(pm_quat_norm2(a.v), two * pm_quat_dot(a.v, a.d),
                     two * (pm_quat_dot(a.v, a.dd) + pm_quat_norm2(a.d)));
}

pm_fn pm_quat_jet pm_quat_jet_product(pm_quat_jet a, pm_quat_jet b) {
    pm_quat_jet r;
    r.v = pm_quat_product(a.v, b.v);
    r.d = pm_quat_sum(pm_quat_product(a.v, b.d), pm_quat_product(a.d, b.v));
    r.dd = pm_quat_sum(pm_quat_product(a.v, b.dd), pm_quat_product(a.dd, b.v));
    r.dd = pm_quat_plus(r.dd, PM_REAL(2.0f), pm_quat_product(a.d, b.d));
    return r;
}

/* exp(t l) for a half-angle vector l whose squared length is l.w */
pm_fn pm_quat_jet pm_power_jet(pm_quat l, pm_jet t) {
    pm_jet x2 = pm_jet_scaled(pm_jet_product(t, t), l.w);
    pm_cos_sinc_jet turn = pm_cos_sinc_jet_of(x2.v);
    pm_jet s = pm_jet_product(t, pm_jet_chain(x2, turn.sinc));
    pm_jet c = pm_jet_chain(x2, turn.cosine);
    return pm_quat_jet_of(pm_quat_of(s.v * l.x, s.v * l.y, s.v * l.z, c.v),
                          pm_quat_of(s.d * l.x, s.d * l.y, s.d * l.z, c.d),
                          pm_quat_of(s.dd * l.x, s.dd * l.y, s.dd * l.z, c.dd));
}

/* theta^2 as a function of y = sin(theta/2)^2: its slope is 4 theta/sin(theta). */
pm_fn pm_jet pm_angle2_jet(real y) {
    pm_mask far = y >= PM_REAL(0.5f);
    real rest = PM_REAL(1.0f) - y;
    pm_jet gain = pm_arc_gain_jet(PM_REAL(4.0f) * pm_select(far, PM_REAL(0.25f), y));
    pm_jet angle2 = pm_jet_of(PM_REAL(4.0f) * y * rest * gain.v * gain.v, PM_REAL(4.0f) * gain.v,
                              PM_REAL(4.0f) * (PM_REAL(4.0f) * gain.d));
    if (pm_any(far)) {
        real half_sine2 = pm_select(far, y * rest, PM_REAL(0.25f)); /* sin(theta)^2/4 */
        real sine = PM_REAL(2.0f) *
                    pm_sqrt(pm_select(half_sine2 > PM_REAL(1e-14f), half_sine2, PM_REAL(1e-14f)));
        real theta = PM_REAL(2.0f) * pm_atan2_quadrant(pm_sqrt(y), pm_sqrt(rest));
        real g = theta / sine;
        real slope = PM_REAL(2.0f) * (PM_REAL(1.0f) - g * (rest - y)) / (sine * sine);
        angle2 = pm_jet_of(pm_select(far, theta * theta, angle2.v),
                           pm_select(far, PM_REAL(4.0f) * g, angle2.d),
                           pm_select(far, PM_REAL(4.0f) * slope, angle2.dd));
    }
    return angle2;
}

/* u sin(u theta)/(u theta): a slerp's weight, up to a factor common to both weights */
pm_fn pm_jet pm_slerp_weight_jet(pm_jet u, pm_jet angle2) {
    pm_jet x2 = pm_jet_product(pm_jet_product(u, u), angle2);
    return pm_jet_product(u, pm_jet_chain(x2, pm_cos_sinc_jet_of(x2.v).sinc));
}

typedef struct pm_slerp_weights {
    pm_jet a, b;
} pm_slerp_weights;

/* The squared angle between two unit quaternions from their squared chord, short of antipodal ones. */
pm_fn pm_jet pm_chord_angle2_jet(pm_jet chord2) {
    pm_jet y = pm_jet_scaled(chord2, PM_REAL(0.25f));
    y.v = pm_select(y.v < PM_REAL(1.0f), y.v, PM_REAL(1.0f));
    return pm_jet_chain(y, pm_angle2_jet(y.v));
}

/* From the squared chord between two unit quaternions, at any angle short of antipodal. */
pm_fn pm_slerp_weights pm_slerp_weights_of(pm_jet chord2, pm_jet weight) {
    pm_jet angle2 = pm_chord_angle2_jet(chord2);
    /* The loop keeps one copy of a long formula. It passes values on from variable to variable,
     * because compilers put arrays into memory. */
    pm_jet u = pm_jet_complement(weight);
    pm_slerp_weights of = {u, u};
    for (int i = 0; i < 2; i++) {
        of.a = of.b;
        of.b = pm_slerp_weight_jet(u, angle2);
        u = weight;
    }
    return of;
}

pm_fn pm_quat_jet pm_quat_jet_mixed(pm_slerp_weights of, pm_quat_jet a, pm_quat_jet b) {
    return pm_quat_jet_sum(pm_quat_jet_weighted(of.a, a), pm_quat_jet_weighted(of.b, b));
}

/* Of constant quaternions: the same bits without the terms that are 0. */
pm_fn pm_quat_jet pm_quat_jet_of_keys(pm_slerp_weights of, pm_quat a, pm_quat b) {
    return pm_quat_jet_sum(pm_quat_jet_scaled(of.a, a), pm_quat_jet_scaled(of.b, b));
}

/* The slerp of two varying quaternions with a varying weight, up to its length. */
pm_fn pm_quat_jet pm_slerp_jet(pm_quat_jet a, pm_quat_jet b, pm_jet weight) {
    pm_jet chord2 = pm_quat_jet_norm2(pm_quat_jet_difference(b, a));
    return pm_quat_jet_mixed(pm_slerp_weights_of(chord2, weight), a, b);
}

/* The squared chord between constant quaternions. */
pm_fn pm_jet pm_chord2_of_keys(pm_quat a, pm_quat b) {
    real zero = PM_REAL(0.0f);
    return pm_jet_of(pm_quat_norm2(pm_quat_difference(b, a)), zero, zero);
}

pm_fn pm_quat_jet pm_slerp_jet_of_keys(pm_quat a, pm_quat b, pm_jet weight) {
    return pm_quat_jet_of_keys(pm_slerp_weights_of(pm_chord2_of_keys(a, b), weight), a, b);
}

/* u (a + u (b + u c)): polynomials in u without a constant, such as u (k + (1 - k) u) */
pm_fn pm_jet pm_cubic_jet(real a, real b, real c, real u) {
    real two = PM_REAL(2.0f), three = PM_REAL(3.0f);
    return pm_jet_of(u * pm_fma(u, pm_fma(u, c, b), a), pm_fma(u, pm_fma(u, three * c, two * b), a),
                     pm_fma(u, PM_REAL(6.0f) * c, two * b));
}

pm_fn pm_quat pm_quat_zero(void) {
    real zero = PM_REAL(0.0f);
    return pm_quat_of(zero, zero, zero, zero);
}

pm_fn pm_quat_jet pm_quat_jet_fixed(pm_quat a) {
    return pm_quat_jet_of(a, pm_quat_zero(), pm_quat_zero());
}

/* cos(t x) and sin(t x)/x from x^2 */
pm_fn pm_cos_sinc_jet pm_cos_sinc_jet_scaled(real x2, pm_jet t) {
    pm_cos_sinc_jet turn;
    pm_jet tx2 = pm_jet_scaled(pm_jet_product(t, t), x2);
    pm_cos_sinc_jet f = pm_cos_sinc_jet_of(tx2.v);
    turn.cosine = pm_jet_chain(tx2, f.cosine);
    turn.sinc = pm_jet_product(t, pm_jet_chain(tx2, f.sinc));
    return turn;
}

/* u (1 - u)^2 and u^2 (1 - u), the Hermite weights of slopes. As products they are as exact as u
 * near the ends, where the terms of the polynomials cancel, however large the slopes. */
pm_fn pm_jet pm_leaving_jet(real u) {
    real v = PM_REAL(1.0f) - u;
    return pm_jet_of(u * v * v, v * pm_fma(PM_REAL(-2.0f), u, v),
                     pm_fma(PM_REAL(6.0f), u, PM_REAL(-4.0f)));
}

pm_fn pm_jet pm_arriving_jet(real u) {
    real v = PM_REAL(1.0f) - u;
    return pm_jet_of(u * u * v, u * pm_fma(PM_REAL(2.0f), v, -u),
                     pm_fma(PM_REAL(-6.0f), u, PM_REAL(2.0f)));
}

pm_fn pm_jet pm_smoothstep_jet(real u) {
    return pm_cubic_jet(PM_REAL(0.0f), PM_REAL(3.0f), PM_REAL(-2.0f), u);
}

#endif
