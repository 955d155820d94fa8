/* SPDX-License-Identifier: MIT
 *
 * Swing-twist interpolation (docs/methods.md, "sterp"): r = q S^ts T^tt. The clip stores the
 * products of q with the logarithms of S and T, and the two windows that map u to ts and tt.
 */
#ifndef PM_STERP_H
#define PM_STERP_H

#include "pm_jet.h"
#include "pm_segment.h"

#define pm_sterp_coefficients 3 /* q v, q l, q (v x l) */
#define pm_sterp_constants 2    /* swing window, twist window */
#define pm_sterp_four_keys 0
#define pm_sterp_passes 1
#define pm_sterp_basis_size 1
#define pm_sterp_has_fast_path 0

PM_BASIS_IS_U(sterp)

/* With swing vector v and twist vector l, which are orthogonal,
 *   q exp(v) exp(l) = cos cos q + sinc cos (q v) + cos sinc (q l) + sinc sinc (q (v x l)):
 * four quaternions that the samples of a segment share, computed in double when the clip is
 * built. */
typedef struct pm_sterp_segment {
    pm_quat a;
    pm_quat swing, twist, both; /* q v, q l, q (v x l) */
    real swing2, twist2;        /* |v|^2, |l|^2: each at most (pi/2)^2 */
    pm_quat swing_window, twist_window;
} pm_sterp_segment;

pm_fn pm_sterp_segment pm_sterp_begin(const pm_segment_data *data) {
    pm_sterp_segment s;
    s.a = data->key;
    s.swing = data->coefficients[0];
    s.twist = data->coefficients[1];
    s.both = data->coefficients[2];
    s.swing2 = pm_quat_norm2(s.swing);
    s.twist2 = pm_quat_norm2(s.twist);
    s.swing_window = data->constants[0];
    s.twist_window = data->constants[1];
    return s;
}

/* clamp((u - begin)/(end - begin)). The window's begin is x + y, where y is the float32 rounding
 * error of x: u - x is exact near begin, so a short window costs no accuracy. z is
 * 1/(end - begin), w the first u past the window. */
pm_fn real pm_window_at(pm_quat window, real u) {
    real zero = PM_REAL(0.0f);
    real one = PM_REAL(1.0f);
    real t = ((u - window.x) - window.y) * window.z;
    t = pm_select(t > zero, t, zero);
    return pm_select(t < one, t, one);
}

/* cos(t x) and sin(t x)/x from x^2 */
pm_fn pm_cos_sinc pm_cos_sinc_scaled(real x2, real t) {
    pm_cos_sinc turn = pm_cos_sinc_narrow(pm_square_times(t, x2));
    turn.sinc = t * turn.sinc;
    return turn;
}

pm_fn pm_quat pm_sterp_at(const pm_sterp_segment *s, const real *basis) {
    real u = basis[0];
    pm_cos_sinc swing = pm_cos_sinc_scaled(s->swing2, pm_window_at(s->swing_window, u));
    pm_cos_sinc twist = pm_cos_sinc_scaled(s->twist2, pm_window_at(s->twist_window, u));
    pm_quat r =
        pm_quat_blend(swing.sinc * twist.sinc, s->both, swing.cosine * twist.sinc, s->twist);
    r = pm_quat_plus(r, swing.sinc * twist.cosine, s->swing);
    r = pm_quat_plus(r, swing.cosine * twist.cosine, s->a);
    return pm_quat_renormalized(r);
}

/* At a window's border, as at a key, the derivative is that of the part that begins there. */
pm_fn pm_jet pm_window_jet(pm_quat window, real u) {
    real t = pm_window_at(window, u);
    real raw = (u - window.x) - window.y;
    real zero = PM_REAL(0.0f);
    real slope = pm_select(raw < zero, zero, window.z);
    return pm_jet_of(t, pm_select(u < window.w, slope, zero), zero);
}

pm_fn pm_quat_jet pm_sterp_motion(const pm_sterp_segment *s, real u) {
    pm_cos_sinc_jet swing = pm_cos_sinc_jet_scaled(s->swing2, pm_window_jet(s->swing_window, u));
    pm_cos_sinc_jet twist = pm_cos_sinc_jet_scaled(s->twist2, pm_window_jet(s->twist_window, u));
    pm_quat_jet r = pm_quat_jet_scaled(pm_jet_product(swing.sinc, twist.sinc), s->both);
    r = pm_quat_jet_plus(r, pm_jet_product(swing.cosine, twist.sinc), s->twist);
    r = pm_quat_jet_plus(r, pm_jet_product(swing.sinc, twist.cosine), s->swing);
    return pm_quat_jet_plus(r, pm_jet_product(swing.cosine, twist.cosine), s->a);
}

#endif
