/* SPDX-License-Identifier: MIT
 *
 * The cumulative uniform cubic B-spline (docs/methods.md, "bspline"). With the logarithms
 * l0, l1, l2 of the steps of the previous, this and the next segment,
 *   r = q exp((b0 - 1) l0) exp(b1 l1) exp(b2 l2),
 * where b0, b1, b2 are the cumulative basis. Relative to the middle of the segment,
 * q exp(l1/2), all three rotations are small, and so are their rounding errors:
 *   r = middle exp((b0 - 1) l0') exp((b1 - 1/2) l1) exp(b2 l2),
 * where l0' is l0 in the frame of the middle. The curve approximates its keys.
 */
#ifndef PM_BSPLINE_H
#define PM_BSPLINE_H

#include "pm_jet.h"
#include "pm_segment.h"

#define pm_bspline_coefficients 4 /* middle; l0', l1, l2, each with its squared length as w */
#define pm_bspline_constants 0
#define pm_bspline_four_keys 0
#define pm_bspline_passes 0
#define pm_bspline_basis_size 1
#define pm_bspline_has_fast_path 0

PM_BASIS_IS_U(bspline)

typedef struct pm_bspline_segment {
    pm_quat middle, before, during, after;
} pm_bspline_segment;

pm_fn pm_bspline_segment pm_bspline_begin(const pm_segment_data *data) {
    pm_bspline_segment s;
    s.middle = data->coefficients[0];
    s.before = data->coefficients[1];
    s.during = data->coefficients[2];
    s.after = data->coefficients[3];
    return s;
}

/* exp(t l) - 1 for a half-angle vector l of length at most pi/2 */
pm_fn pm_quat pm_small_power(pm_quat l, real t) {
    real x2 = pm_square_times(t, l.w);
    real s = t * pm_sinc(x2);
    real versine = pm_fma(PM_REAL(-0.5f), x2, x2 * x2 * pm_cos_rest(x2)); /* cos x - 1 */
    return pm_quat_of(s * l.x, s * l.y, s * l.z, versine);
}

/* (1 + a)(1 + b) - 1 */
pm_fn pm_quat pm_small_product(pm_quat a, pm_quat b) {
    return pm_quat_sum(pm_quat_sum(a, b), pm_quat_product(a, b));
}

pm_fn pm_quat pm_bspline_at(const pm_bspline_segment *s, const real *basis) {
    real u = basis[0];
    real v = PM_REAL(1.0f) - u;
    real sixth = PM_REAL(0.166666672f);
    real before = -sixth * v * v * v; /* (5 + 3u - 3u^2 + u^3)/6 - 1 */
    real after = sixth * u * u * u;
    /* (1 + 3u + 3u^2 - 2u^3)/6 - 1/2, in u - 1/2 */
    real w = u - PM_REAL(0.5f);
    real during = w * pm_fma(w * w, PM_REAL(-0.333333343f), PM_REAL(0.75f));
    pm_quat r =
        pm_small_product(pm_small_power(s->before, before), pm_small_power(s->during, during));
    r = pm_small_product(r, pm_small_power(s->after, after));
    /* renormalised in a way that only the last sum rounds large numbers */
    pm_quat change = pm_quat_product(s->middle, r);
    pm_quat value = pm_quat_sum(s->middle, change);
    real excess = pm_fma(PM_REAL(-0.5f), pm_quat_norm2(value), PM_REAL(0.5f));
    return pm_quat_sum(s->middle, pm_quat_plus(change, excess, value));
}

pm_fn pm_quat_jet pm_bspline_motion(const pm_bspline_segment *s, real u) {
    real sixth = PM_REAL(0.166666672f), one_half = PM_REAL(0.5f), third = PM_REAL(0.333333343f);
    pm_jet before =
        pm_cubic_jet(one_half, -one_half, sixth, u); /* its constant, -1/6, is added below */
    pm_jet during = pm_cubic_jet(one_half, one_half, -third, u); /* likewise 1/6 - 1/2 */
    pm_jet after = pm_cubic_jet(PM_REAL(0.0f), PM_REAL(0.0f), sixth, u);
    before.v = before.v - sixth;
    during.v = during.v - third;
    pm_quat_jet r =
        pm_quat_jet_product(pm_power_jet(s->before, before), pm_power_jet(s->during, during));
    r = pm_quat_jet_product(r, pm_power_jet(s->after, after));
    return pm_quat_jet_product(pm_quat_jet_fixed(s->middle), r);
}

#endif
