/* SPDX-License-Identifier: MIT
 *
 * Circular blending (docs/methods.md, "circular"). An arc from a to b of angle 2 alpha
 * and radius R is, at s = 2u - 1,
 *   (a + b)/2 + (b - a)/2 sin(s alpha)/sin(alpha) + R n (cos(s alpha) - cos(alpha)),
 * where n is the unit vector from the circle's centre to the middle of the arc. This form
 * loses no accuracy on nearly geodesic circles. R n and alpha are computed in double when
 * the clip is built, including the guard; the kernel has no special case.
 */
#ifndef PM_CIRCULAR_H
#define PM_CIRCULAR_H

#include "pm_slerp.h"

#define pm_circular_coefficients 3 /* R n of both arcs, then alpha^2 and alpha/sin(alpha) of both */
#define pm_circular_constants 0
#define pm_circular_four_keys 0
#define pm_circular_passes 1
#define pm_circular_has_fast_path 0

/* The basis: along and up (pm_arc_point), which both arcs share, and the point of the chord */
#define PM_CIRCULAR_ALONG 0
#define PM_CIRCULAR_UP (PM_CIRCULAR_ALONG + PM_SINE_TERMS)
#define PM_CIRCULAR_CHORD (PM_CIRCULAR_UP + PM_COSINE_TERMS)
#define pm_circular_basis_size (PM_CIRCULAR_CHORD + PM_CHORD_TERMS)

pm_fn void pm_circular_basis(real u, real *basis) {
    pm_sine_terms(pm_centred(u), basis + PM_CIRCULAR_ALONG);
    pm_cosine_difference_terms(u, basis + PM_CIRCULAR_UP);
    pm_chord_terms(u, basis + PM_CIRCULAR_CHORD);
}

typedef struct pm_circle {
    pm_quat radius; /* R n */
    real alpha2;
    real stretch; /* alpha/sin(alpha) */
} pm_circle;

typedef struct pm_circular_segment {
    pm_quat middle, half_chord; /* (a + b)/2, (b - a)/2 */
    pm_circle leaving, arriving;
} pm_circular_segment;

pm_fn pm_circle pm_circle_of(pm_quat radius, real alpha2, real stretch) {
    pm_circle c;
    c.radius = radius;
    c.alpha2 = alpha2;
    c.stretch = stretch;
    return c;
}

/* Both circles, from the coefficients that all circular methods store, and their stretches. */
pm_fn pm_circular_segment pm_circles_of(const pm_segment_data *data, real leaving, real arriving) {
    pm_circular_segment s;
    pm_quat numbers = data->coefficients[2];
    s.middle = pm_quat_scaled(pm_quat_sum(data->key, data->next), PM_REAL(0.5f));
    s.half_chord = pm_quat_scaled(pm_quat_difference(data->next, data->key), PM_REAL(0.5f));
    s.leaving = pm_circle_of(data->coefficients[0], numbers.x, leaving);
    s.arriving = pm_circle_of(data->coefficients[1], numbers.y, arriving);
    return s;
}

pm_fn pm_circular_segment pm_circular_begin(const pm_segment_data *data) {
    return pm_circles_of(data, data->coefficients[2].z, data->coefficients[2].w);
}

/* A point of an arc is middle + along half_chord + up radius. */
typedef struct pm_arc_point {
    real along, up;
} pm_arc_point;

/* The point at the u of the basis. */
pm_fn pm_arc_point pm_circle_point(const pm_circle *c, const real *basis) {
    pm_arc_point p;
    real alpha4 = c->alpha2 * c->alpha2;
    p.along = c->stretch * pm_quartic_of(basis + PM_CIRCULAR_ALONG, c->alpha2, alpha4);
    p.up = c->alpha2 * pm_quartic_of(basis + PM_CIRCULAR_UP, c->alpha2, alpha4);
    return p;
}

/* The chord from a point of the leaving arc to a point of the arriving arc. */
pm_fn pm_quat pm_arc_points_chord(const pm_circular_segment *s, pm_arc_point p, pm_arc_point q) {
    pm_quat up = pm_quat_blend(-p.up, s->leaving.radius, q.up, s->arriving.radius);
    return pm_quat_plus(up, q.along - p.along, s->half_chord);
}

/* The squared chord between two points. */
pm_fn real pm_arc_points_chord2(const pm_circular_segment *s, pm_arc_point p, pm_arc_point q) {
    return pm_quat_norm2(pm_arc_points_chord(s, p, q));
}

/* The slerp of two points whose squared chord is at most 2, in the coordinates of pm_arc_point, so
 * that the large terms are rounded once. */
pm_fn pm_quat pm_arc_points_slerp(const pm_circular_segment *s, pm_arc_point p, pm_arc_point q,
                                  real chord2, const real *terms) {
    real to_q = pm_chord_parameter(terms, chord2);
    real to_p = PM_REAL(1.0f) - to_q;
    pm_quat r = pm_quat_blend(to_p * p.up, s->leaving.radius, to_q * q.up, s->arriving.radius);
    r = pm_quat_plus(r, pm_fma(to_p, p.along, to_q * q.along), s->half_chord);
    return pm_chord_normalized(pm_quat_sum(r, s->middle));
}

pm_fn pm_quat pm_circular_at(const pm_circular_segment *s, const real *basis) {
    pm_arc_point leaving = pm_circle_point(&s->leaving, basis);
    pm_arc_point arriving = pm_circle_point(&s->arriving, basis);
    real chord2 = pm_arc_points_chord2(s, leaving, arriving);
    return pm_arc_points_slerp(s, leaving, arriving, chord2, basis + PM_CIRCULAR_CHORD);
}

/* ---- phased circles: C1, C2, C3 ----
 *
 * The curve of three keys moves along its circle with a phase that is quadratic in time and has
 * the same speed on both sides of its key. When the two curves of a segment are blended with a
 * weight that is flat enough at the ends, the whole curve is as smooth as the blend. */

/* R n of both arcs; alpha^2 of both and the speeds k of both phases; the half chord */
#define pm_phased_coefficients 4

typedef struct pm_phased_segment {
    pm_circular_segment circles;
    real leaving, arriving; /* k: the phase is u (k + (1 - k) u), from the circle's own key */
    real leaving_rest, arriving_rest; /* cos(alpha) - 1 + alpha^2/2 of the circles */
    pm_quat chord; /* half chord of the keys before rounding, for phases far outside [0, 1] */
} pm_phased_segment;

pm_fn pm_phased_segment pm_phased_begin(const pm_segment_data *data) {
    pm_phased_segment s;
    pm_quat numbers = data->coefficients[2];
    s.circles = pm_circles_of(data, pm_cosecant(numbers.x), pm_cosecant(numbers.y));
    s.leaving = numbers.z;
    s.arriving = numbers.w;
    s.leaving_rest = numbers.x * numbers.x * pm_cos_rest(numbers.x);
    s.arriving_rest = numbers.y * numbers.y * pm_cos_rest(numbers.y);
    s.chord = data->coefficients[3];
    return s;
}

/* Uses the unrounded chord, because rounding changes the direction of a chord between near keys. */
pm_fn pm_circular_segment pm_phased_far_circles(const pm_phased_segment *s) {
    pm_circular_segment c = s->circles;
    c.half_chord = s->chord;
    return c;
}

/* The phase, centred: 2 u (k + (1 - k) u) - 1 */
pm_fn real pm_phase(real k, real u) {
    real slope = pm_fma(PM_REAL(1.0f) - k, u, k);
    return pm_fma(PM_REAL(2.0f) * u, slope, PM_REAL(-1.0f));
}

pm_fn real pm_phase_leaving(const pm_phased_segment *s, real u) {
    return pm_phase(s->leaving, u);
}

pm_fn real pm_phase_arriving(const pm_phased_segment *s, real u) {
    return -pm_phase(s->arriving, PM_REAL(1.0f) - u);
}

/* The point at a phase, at most a quarter turn from the arc's middle, and its squared angle from
 * there at the circle's centre. */
pm_fn pm_arc_point pm_circle_at(const pm_circle *c, real rest, real t, real *turn2) {
    pm_arc_point p;
    real x2 = pm_square_times(t, c->alpha2);
    p.along = t * pm_sinc(x2) * c->stretch;
    p.up = pm_fma(x2 * x2, pm_cos_rest(x2), -rest);
    p.up = pm_fma(PM_REAL(0.5f), c->alpha2 - x2, p.up);
    *turn2 = x2;
    return p;
}

/* A point at any phase. Phases whose speeds differ much leave [0, 1]. */
pm_fn pm_arc_point pm_circle_at_any(const pm_circle *c, real rest, real t) {
    real turn2;
    pm_arc_point p = pm_circle_at(c, rest, t, &turn2);
    pm_mask far = turn2 > PM_COS_SINC_NARROW_END;
    if (pm_any(far)) {
        pm_cos_sinc turn = pm_cos_sinc_wide(turn2);
        p.along = pm_select(far, t * turn.sinc * c->stretch, p.along);
        p.up = pm_select(far, turn.cosine - pm_cos(c->alpha2), p.up);
    }
    return p;
}

pm_fn pm_quat pm_arc_point_of(const pm_circular_segment *s, const pm_circle *c, pm_arc_point p) {
    return pm_quat_plus(pm_quat_plus(s->middle, p.along, s->half_chord), p.up, c->radius);
}

/* Whether the fast path fails: the phase is too far from its arc, or the point is more than a
 * quarter turn from its arc's middle. */
pm_fn pm_mask pm_phase_is_far(real t, real turn2) {
    return (t * t > PM_REAL(4.0f)) | (turn2 > PM_COS_SINC_NARROW_END);
}

/* Valid while both phases stay near their arcs and both points near each other. */
pm_fn pm_quat pm_phased_fast(const pm_phased_segment *s, const real *basis, pm_mask *failed) {
    const pm_circular_segment *c = &s->circles;
    real t0 = pm_phase_leaving(s, basis[0]);
    real t1 = pm_phase_arriving(s, basis[0]);
    real turn0, turn1;
    pm_arc_point p = pm_circle_at(&c->leaving, s->leaving_rest, t0, &turn0);
    pm_arc_point q = pm_circle_at(&c->arriving, s->arriving_rest, t1, &turn1);
    real chord2 = pm_arc_points_chord2(c, p, q);
    *failed = pm_phase_is_far(t0, turn0) | pm_phase_is_far(t1, turn1) | (chord2 > PM_MAX_CHORD2);
    return pm_arc_points_slerp(c, p, q, chord2, basis + PM_CHORD);
}

/* For points anywhere on their circles. */
pm_fn pm_quat pm_phased_at_any(const pm_phased_segment *s, const real *basis) {
    pm_circular_segment c = pm_phased_far_circles(s);
    const real *terms = basis + PM_CHORD;
    real t = pm_phase_leaving(s, basis[0]), t1 = pm_phase_arriving(s, basis[0]);
    pm_circle circle = c.leaving;
    real rest = s->leaving_rest;
    pm_arc_point p, q;
    p.along = p.up = PM_REAL(0.0f);
    q = p;
    PM_UNROLL_LANES
    for (int i = 0; i < 2; i++) {
        p = q;
        q = pm_circle_at_any(&circle, rest, t);
        circle = c.arriving;
        rest = s->arriving_rest;
        t = t1;
    }
    real chord2 = pm_arc_points_chord2(&c, p, q);
    pm_mask apart = chord2 >= PM_REAL(2.0f);
    real near2 = pm_select(apart, PM_REAL(2.0f), chord2);
    pm_quat value = pm_arc_points_slerp(&c, p, q, near2, terms);
    if (pm_any(apart)) {
        pm_quat far = pm_slerp_any(pm_arc_point_of(&c, &c.leaving, p),
                                   pm_arc_point_of(&c, &c.arriving, q), terms[0]);
        value = pm_quat_select(apart, pm_quat_renormalized(far), value);
    }
    return value;
}

pm_fn pm_quat pm_phased_at(const pm_phased_segment *s, const real *basis) {
    pm_mask failed;
    pm_quat value = pm_phased_fast(s, basis, &failed);
    if (pm_any(failed))
        value = pm_quat_select(failed, pm_phased_at_any(s, basis), value);
    return value;
}

pm_fn real pm_linear_weight(real u) {
    return u;
}

/* u^2 (3 - 2u) */
pm_fn real pm_smoothstep(real u) {
    return u * u * pm_fma(PM_REAL(-2.0f), u, PM_REAL(3.0f));
}

/* u^3 (10 - 15u + 6u^2), computed from the nearer end, because at the other end the terms of the
 * factor cancel. */
pm_fn real pm_smootherstep(real u) {
    pm_mask first = u < PM_REAL(0.5f);
    real t = pm_select(first, u, PM_REAL(1.0f) - u);
    real p = pm_fma(pm_fma(PM_REAL(6.0f), t, PM_REAL(-15.0f)), t, PM_REAL(10.0f));
    real step = t * t * t * p;
    return pm_select(first, step, PM_REAL(1.0f) - step);
}

#define PM_PHASED_METHOD(name, weight)                                                             \
    PM_CHORD_BASIS(name, weight)                                                                   \
    typedef pm_phased_segment pm_##name##_segment;                                                 \
    pm_fn pm_##name##_segment pm_##name##_begin(const pm_segment_data *data) {                     \
        return pm_phased_begin(data);                                                              \
    }                                                                                              \
    pm_fn pm_quat pm_##name##_fast(const pm_##name##_segment *s, const real *basis,                \
                                   pm_mask *failed) {                                              \
        return pm_phased_fast(s, basis, failed);                                                   \
    }                                                                                              \
    pm_fn pm_quat pm_##name##_at(const pm_##name##_segment *s, const real *basis) {                \
        return pm_phased_at(s, basis);                                                             \
    }

#define pm_circular_c1_coefficients pm_phased_coefficients
#define pm_circular_c1_constants 0
#define pm_circular_c1_four_keys 0
#define pm_circular_c1_passes 1
#define pm_circular_c1_basis_size PM_CHORD_BASIS_SIZE
#define pm_circular_c1_has_fast_path 1
PM_PHASED_METHOD(circular_c1, pm_linear_weight)

#define pm_circular_c2_coefficients pm_phased_coefficients
#define pm_circular_c2_constants 0
#define pm_circular_c2_four_keys 0
#define pm_circular_c2_passes 1
#define pm_circular_c2_basis_size PM_CHORD_BASIS_SIZE
#define pm_circular_c2_has_fast_path 1
PM_PHASED_METHOD(circular_c2, pm_smoothstep)

#define pm_circular_c3_coefficients pm_phased_coefficients
#define pm_circular_c3_constants 0
#define pm_circular_c3_four_keys 0
#define pm_circular_c3_passes 1
#define pm_circular_c3_basis_size PM_CHORD_BASIS_SIZE
#define pm_circular_c3_has_fast_path 1
PM_PHASED_METHOD(circular_c3, pm_smootherstep)

/* A point of an arc at the centred phase t. */
pm_fn pm_quat_jet pm_circle_motion(const pm_circular_segment *s, const pm_circle *c, pm_jet t) {
    pm_cos_sinc_jet turn = pm_cos_sinc_jet_scaled(c->alpha2, t);
    pm_jet along = pm_jet_scaled(turn.sinc, c->stretch);
    pm_jet up = turn.cosine;
    up.v = up.v - pm_cos(c->alpha2);
    pm_quat_jet r = pm_quat_jet_plus(pm_quat_jet_fixed(s->middle), along, s->half_chord);
    return pm_quat_jet_plus(r, up, c->radius);
}

/* The slerp of the points of both arcs at centred phases. A loop for one copy, like pm_slerp_jet's. */
pm_fn pm_quat_jet pm_circles_motion(const pm_circular_segment *s, pm_jet leaving, pm_jet arriving,
                                    pm_jet weight) {
    pm_circle circle = s->leaving;
    pm_jet t = leaving;
    pm_quat_jet p = pm_quat_jet_fixed(s->middle), q = p;
    for (int i = 0; i < 2; i++) {
        p = q;
        q = pm_circle_motion(s, &circle, t);
        circle = s->arriving;
        t = arriving;
    }
    return pm_slerp_jet(p, q, weight);
}

pm_fn pm_quat_jet pm_circular_motion(const pm_circular_segment *s, real u) {
    pm_jet t = pm_jet_of(pm_centred(u), PM_REAL(2.0f), PM_REAL(0.0f));
    return pm_circles_motion(s, t, t, pm_jet_u(u));
}

/* pm_phase with its derivatives */
pm_fn pm_jet pm_phase_jet(real k, real u) {
    pm_jet t =
        pm_cubic_jet(PM_REAL(2.0f) * k, PM_REAL(2.0f) * (PM_REAL(1.0f) - k), PM_REAL(0.0f), u);
    t.v = pm_phase(k, u);
    return t;
}

pm_fn pm_quat_jet pm_phased_motion(const pm_phased_segment *s, real u, pm_jet weight) {
    pm_circular_segment c = pm_phased_far_circles(s);
    pm_jet leaving = pm_phase_jet(s->leaving, u);
    pm_jet mirrored = pm_phase_jet(s->arriving, PM_REAL(1.0f) - u);
    pm_jet arriving = pm_jet_of(-mirrored.v, mirrored.d, -mirrored.dd);
    return pm_circles_motion(&c, leaving, arriving, weight);
}

/* u^3 (10 - 15u + 6u^2), 30 u^2 (1-u)^2, 60 u (1-u) (1-2u) */
pm_fn pm_jet pm_smootherstep_jet(real u) {
    real v = PM_REAL(1.0f) - u;
    return pm_jet_of(pm_smootherstep(u), PM_REAL(30.0f) * u * u * v * v,
                     PM_REAL(60.0f) * u * v * (v - u));
}

#define PM_PHASED_MOTION(name, weight)                                                             \
    pm_fn pm_quat_jet pm_##name##_motion(const pm_##name##_segment *s, real u) {                   \
        return pm_phased_motion(s, u, weight(u));                                                  \
    }
PM_PHASED_MOTION(circular_c1, pm_jet_u)
PM_PHASED_MOTION(circular_c2, pm_smoothstep_jet)
PM_PHASED_MOTION(circular_c3, pm_smootherstep_jet)

#endif
