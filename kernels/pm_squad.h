/* SPDX-License-Identifier: MIT
 *
 * Squad at any key times (docs/methods.md, "squad"): a slerp between two arcs, that of the
 * keys and that of the inner points. The arc of the inner points may have any angle and is
 * computed when the clip is built. With the limiter the two arcs are never more than pi/2
 * apart: the slerp between them is a point of their chord, normalised.
 */
#ifndef PM_SQUAD_H
#define PM_SQUAD_H

#include "pm_slerp.h"

#define pm_squad_coefficients 2 /* middle and half arc of the inner points */
#define pm_squad_constants 0
#define pm_squad_four_keys 0
#define pm_squad_passes 1
#define pm_squad_has_fast_path 1 /* valid while the arcs are at most a quarter turn apart */

/* The basis: weights of both keys, of the inner points' middle and half arc, and of the chord */
#define PM_SQUAD_NEAR 0
#define PM_SQUAD_FAR (PM_SQUAD_NEAR + PM_SINE_TERMS)
#define PM_SQUAD_MIDDLE (PM_SQUAD_FAR + PM_SINE_TERMS)
#define PM_SQUAD_HALF_ARC (PM_SQUAD_MIDDLE + PM_COSINE_TERMS)
#define PM_SQUAD_CHORD (PM_SQUAD_HALF_ARC + PM_SINE_TERMS)
#define pm_squad_basis_size (PM_SQUAD_CHORD + PM_CHORD_TERMS)

pm_fn real pm_squad_weight(real u) {
    return PM_REAL(2.0f) * u * (PM_REAL(1.0f) - u);
}

pm_fn void pm_squad_basis(real u, real *basis) {
    pm_sine_terms(PM_REAL(1.0f) - u, basis + PM_SQUAD_NEAR);
    pm_sine_terms(u, basis + PM_SQUAD_FAR);
    pm_cosine_terms(pm_centred(u), basis + PM_SQUAD_MIDDLE);
    pm_sine_terms(pm_centred(u), basis + PM_SQUAD_HALF_ARC);
    pm_chord_terms(pm_squad_weight(u), basis + PM_SQUAD_CHORD);
}

/* The arc of the inner points relative to its middle: at s it is
 *   cos(s phi) middle + sin(s phi)/phi half_arc,
 * where middle is a unit quaternion and |half_arc| = phi, half the arc's 4-D angle, up to pi/2. */
typedef struct pm_squad_segment {
    pm_slerp_segment keys;
    pm_quat middle, half_arc;
    real phi2;
} pm_squad_segment;

pm_fn pm_squad_segment pm_squad_begin(const pm_segment_data *data) {
    pm_squad_segment s;
    s.keys = pm_slerp_begin(data);
    s.middle = data->coefficients[0];
    s.half_arc = data->coefficients[1];
    s.phi2 = pm_quat_norm2(s.half_arc);
    return s;
}

/* The point of the keys' arc, and the chord from there to that of the inner points' arc. */
typedef struct pm_squad_points {
    pm_quat outer, chord;
} pm_squad_points;

pm_fn pm_squad_points pm_squad_points_at(const pm_squad_segment *s, const real *basis) {
    pm_squad_points p;
    real gain = s->keys.arc.gain, angle2 = s->keys.arc.angle2, angle4 = angle2 * angle2;
    real phi4 = s->phi2 * s->phi2;
    p.outer = pm_quat_blend(gain * pm_quartic_of(basis + PM_SQUAD_NEAR, angle2, angle4), s->keys.a,
                            gain * pm_quartic_of(basis + PM_SQUAD_FAR, angle2, angle4), s->keys.b);
    pm_quat inner =
        pm_quat_blend(pm_cosine_of(basis + PM_SQUAD_MIDDLE, s->phi2, phi4), s->middle,
                      pm_quartic_of(basis + PM_SQUAD_HALF_ARC, s->phi2, phi4), s->half_arc);
    p.chord = pm_quat_difference(inner, p.outer);
    return p;
}

pm_fn pm_quat pm_squad_fast(const pm_squad_segment *s, const real *basis, pm_mask *failed) {
    pm_squad_points p = pm_squad_points_at(s, basis);
    real chord2 = pm_quat_norm2(p.chord);
    *failed = chord2 > PM_MAX_CHORD2;
    real parameter = pm_chord_parameter(basis + PM_SQUAD_CHORD, chord2);
    return pm_chord_normalized(pm_quat_plus(p.outer, parameter, p.chord));
}

pm_fn pm_quat pm_squad_at(const pm_squad_segment *s, const real *basis) {
    pm_mask failed;
    pm_quat value = pm_squad_fast(s, basis, &failed);
    if (pm_any(failed)) {
        pm_squad_points p = pm_squad_points_at(s, basis);
        pm_quat far = pm_slerp_any(p.outer, pm_quat_sum(p.outer, p.chord), basis[PM_SQUAD_CHORD]);
        value = pm_quat_select(failed, pm_quat_renormalized(far), value);
    }
    return value;
}

/* The point of the inner points' arc. */
pm_fn pm_quat_jet pm_squad_inner_jet(const pm_squad_segment *s, real u) {
    pm_jet t = pm_jet_of(pm_centred(u), PM_REAL(2.0f), PM_REAL(0.0f));
    pm_cos_sinc_jet turn = pm_cos_sinc_jet_scaled(s->phi2, t);
    return pm_quat_jet_plus(pm_quat_jet_scaled(turn.cosine, s->middle), turn.sinc, s->half_arc);
}

/* The point of the keys' arc, from its slerp's weights. With the slerp's gain it is a unit quaternion, which
 * pm_slerp_jet requires. */
pm_fn pm_quat_jet pm_squad_outer_jet(const pm_squad_segment *s, pm_slerp_weights of) {
    return pm_quat_jet_gained(pm_quat_jet_of_keys(of, s->keys.a, s->keys.b), s->keys.arc.gain);
}

pm_fn pm_jet pm_squad_weight_jet(real u) {
    return pm_cubic_jet(PM_REAL(2.0f), PM_REAL(-2.0f), PM_REAL(0.0f), u);
}

pm_fn pm_quat_jet pm_squad_motion(const pm_squad_segment *s, real u) {
    pm_jet chord2 = pm_chord2_of_keys(s->keys.a, s->keys.b);
    pm_quat_jet inner = pm_squad_inner_jet(s, u);
    pm_quat_jet outer = pm_squad_outer_jet(s, pm_slerp_weights_of(chord2, pm_jet_u(u)));
    return pm_slerp_jet(outer, inner, pm_squad_weight_jet(u));
}

#endif
