/* SPDX-License-Identifier: MIT
 *
 * The methods that use two keys: step, nlerp and slerp (docs/methods.md, "slerp"), and the
 * slerp at any angle that other methods fall back to. Keys are unrolled, so the 4-D angle between them
 * is at most pi/2 and no sign is flipped here. The methods use no root, quotient,
 * trigonometric function, branch or special case.
 */
#ifndef PM_SLERP_H
#define PM_SLERP_H

#include "pm_jet.h"
#include "pm_segment.h"

#define pm_step_coefficients 0
#define pm_step_constants 0
#define pm_step_four_keys 0
#define pm_step_passes 1
#define pm_step_basis_size 1
#define pm_step_has_fast_path 0
#define pm_nlerp_coefficients 0
#define pm_nlerp_constants 0
#define pm_nlerp_four_keys 0
#define pm_nlerp_passes 1
#define pm_nlerp_basis_size 1
#define pm_nlerp_has_fast_path 0
#define pm_slerp_coefficients 0
#define pm_slerp_constants 0
#define pm_slerp_four_keys 0
#define pm_slerp_passes 1
#define pm_slerp_basis_size 1
#define pm_slerp_has_fast_path 0

PM_BASIS_IS_U(step)
PM_BASIS_IS_U(nlerp)
PM_BASIS_IS_U(slerp)

typedef struct pm_step_segment {
    pm_quat a;
} pm_step_segment;

pm_fn pm_step_segment pm_step_begin(const pm_segment_data *data) {
    pm_step_segment s;
    s.a = data->key;
    return s;
}

pm_fn pm_quat pm_step_at(const pm_step_segment *s, const real *basis) {
    (void)basis;
    return s->a;
}

typedef struct pm_nlerp_segment {
    pm_quat a, b;
} pm_nlerp_segment;

pm_fn pm_nlerp_segment pm_nlerp_begin(const pm_segment_data *data) {
    pm_nlerp_segment s;
    s.a = data->key;
    s.b = data->next;
    return s;
}

pm_fn pm_quat pm_nlerp_at(const pm_nlerp_segment *s, const real *basis) {
    real u = basis[0];
    return pm_chord_normalized(pm_quat_blend(PM_REAL(1.0f) - u, s->a, u, s->b));
}

/* The parameters of a slerp's weights, for unit quaternions at most pi/2 apart. */
typedef struct pm_arc {
    real gain;   /* theta/sin(theta) of the 4-D angle theta between them */
    real angle2; /* theta^2 */
} pm_arc;

/* From the squared chord between them, x = 4 sin(theta/2)^2. */
pm_fn pm_arc pm_arc_of(real x) {
    pm_arc arc;
    arc.gain = pm_arc_gain(x);
    /* theta^2 = sin(theta)^2 gain^2 and sin(theta)^2 = x (1 - x/4) */
    real sine2 = x * pm_fma(PM_REAL(-0.25f), x, PM_REAL(1.0f));
    arc.angle2 = sine2 * (arc.gain * arc.gain);
    return arc;
}

pm_fn pm_arc pm_arc_between(pm_quat a, pm_quat b) {
    return pm_arc_of(pm_quat_norm2(pm_quat_difference(b, a)));
}

/* sin(u theta)/sin(theta) */
pm_fn real pm_arc_weight(pm_arc arc, real u) {
    return u * arc.gain * pm_sinc(u * u * arc.angle2);
}

/* Slerp of unit quaternions at any angle, without a sign flip. Exactly antipodal operands turn
 * through a i. */
pm_fn pm_quat pm_slerp_any(pm_quat a, pm_quat b, real u) {
    pm_quat sum = pm_quat_sum(a, b);
    pm_quat difference = pm_quat_difference(b, a);
    real sum2 = pm_quat_norm2(sum);
    real difference2 = pm_quat_norm2(difference);
    real one = PM_REAL(1.0f);
    pm_mask antipodal = sum2 < PM_REAL(1e-12f);
    pm_mask equal = difference2 < PM_REAL(1e-12f);
    real length = pm_sqrt(sum2);
    real chord = pm_sqrt(difference2);
    real phi = pm_atan2_quadrant(chord, length);
    real s = pm_centred(u);
    real x2 = s * s * phi * phi;
    pm_quat middle = pm_quat_scaled(sum, one / pm_select(antipodal, one, length));
    middle = pm_quat_select(antipodal, pm_quat_of(a.w, a.z, -a.y, -a.x), middle);
    real slope = pm_select(equal, PM_REAL(0.5f), phi / pm_select(equal, one, chord));
    return pm_quat_blend(pm_cos(x2), middle, s * pm_sinc(x2) * slope, difference);
}

typedef struct pm_slerp_segment {
    pm_quat a, b;
    pm_arc arc;
} pm_slerp_segment;

pm_fn pm_slerp_segment pm_slerp_begin(const pm_segment_data *data) {
    pm_slerp_segment s;
    s.a = data->key;
    s.b = data->next;
    s.arc = pm_arc_between(s.a, s.b);
    return s;
}

/* Not renormalised: rounding of the weights leaves lengths within 3e-7 of 1. */
pm_fn pm_quat pm_slerp_at(const pm_slerp_segment *s, const real *basis) {
    real u = basis[0];
    return pm_quat_blend(pm_arc_weight(s->arc, PM_REAL(1.0f) - u), s->a, pm_arc_weight(s->arc, u),
                         s->b);
}

pm_fn pm_quat_jet pm_step_motion(const pm_step_segment *s, real u) {
    (void)u;
    return pm_quat_jet_fixed(s->a);
}

pm_fn pm_quat_jet pm_nlerp_motion(const pm_nlerp_segment *s, real u) {
    pm_jet t = pm_jet_u(u);
    return pm_quat_jet_plus(pm_quat_jet_scaled(pm_jet_complement(t), s->a), t, s->b);
}

pm_fn pm_quat_jet pm_slerp_motion(const pm_slerp_segment *s, real u) {
    return pm_slerp_jet_of_keys(s->a, s->b, pm_jet_u(u));
}

#endif
