/* SPDX-License-Identifier: MIT
 *
 * Squad without stored tangents (docs/methods.md, "cubic"): each segment's inner points are made from
 * four keys and the spacing of their times when samples enter it. The curve is that of pm_squad.h.
 */
#ifndef PM_CUBIC_H
#define PM_CUBIC_H

#include "pm_squad.h"

#define pm_cubic_coefficients 0
#define pm_cubic_constants 0
#define pm_cubic_four_keys 1
#define pm_cubic_passes 1
#define pm_cubic_has_fast_path 1
#define pm_cubic_basis_size pm_squad_basis_size

typedef pm_squad_segment pm_cubic_segment;

/* The logarithm of a unit quaternion, or a velocity at a key times the duration of a segment: a
 * rotation vector of half the angle. */
typedef struct pm_half_vector {
    real x, y, z;
} pm_half_vector;

pm_fn pm_half_vector pm_half_vector_of(real x, real y, real z) {
    pm_half_vector v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

pm_fn pm_half_vector pm_half_vector_scaled(pm_half_vector a, real s) {
    return pm_half_vector_of(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
pm_fn pm_half_vector pm_half_vector_plus(pm_half_vector a, real s, pm_half_vector b) {
    return pm_half_vector_of(pm_fma(s, b.x, a.x), pm_fma(s, b.y, a.y), pm_fma(s, b.z, a.z));
}

pm_fn real pm_half_vector_dot(pm_half_vector a, pm_half_vector b) {
    return pm_fma(a.x, b.x, pm_fma(a.y, b.y, a.z * b.z));
}

pm_fn pm_half_vector pm_half_vector_select(pm_mask mask, pm_half_vector yes, pm_half_vector no) {
    return pm_half_vector_of(pm_select(mask, yes.x, no.x), pm_select(mask, yes.y, no.y),
                             pm_select(mask, yes.z, no.z));
}

/* log(a^-1 b), for unit quaternions at most pi/2 apart: with d = b - a, which is exact for near keys,
 * its vector part is that of a^-1 d. */
pm_fn pm_half_vector pm_log_between(pm_quat a, pm_quat b) {
    pm_quat d = pm_quat_difference(b, a);
    real gain = pm_arc_gain(pm_quat_norm2(d));
    real x = pm_fma(a.w, d.x, pm_fma(-a.x, d.w, pm_fma(a.z, d.y, -a.y * d.z)));
    real y = pm_fma(a.w, d.y, pm_fma(-a.y, d.w, pm_fma(a.x, d.z, -a.z * d.x)));
    real z = pm_fma(a.w, d.z, pm_fma(-a.z, d.w, pm_fma(a.y, d.x, -a.x * d.y)));
    return pm_half_vector_of(gain * x, gain * y, gain * z);
}

/* exp(v) - 1 for |v| of at most pi/2 */
pm_fn pm_quat pm_small_exp(pm_half_vector v) {
    real x2 = pm_half_vector_dot(v, v);
    real s = pm_sinc(x2);
    real versine = pm_fma(PM_REAL(-0.5f), x2, x2 * x2 * pm_cos_rest(x2)); /* cos x - 1 */
    return pm_quat_of(s * v.x, s * v.y, s * v.z, versine);
}

/* ---- tangents ---------------------------------------------------------------------- */

/* The neighbour of a segment on one side. */
typedef struct pm_neighbour {
    pm_half_vector log; /* finite, but of no meaning at an end */
    real spacing;       /* pm_spacing_before or pm_spacing_after */
} pm_neighbour;

/* The segment's duration times the velocity at the key between it and a neighbour: Bessel's,
 * (log + s^2 neighbour)/(1 + s). 1/(1 + s) is exact to a rounding because s is positive. */
pm_fn pm_half_vector pm_bessel_step(pm_half_vector log, pm_neighbour n) {
    real s = pm_select(n.spacing > PM_REAL(0.0f), n.spacing, PM_REAL(1.0f));
    pm_half_vector sum = pm_half_vector_plus(log, s * s, n.log);
    return pm_half_vector_scaled(sum, pm_exact_inverse(PM_REAL(1.0f) + s));
}

/* Likewise at an end, which has a neighbour on the other side of the segment. */
pm_fn pm_half_vector pm_end_step(pm_half_vector log, real rule, pm_neighbour other) {
    real zero = PM_REAL(0.0f);
    real s = pm_select(other.spacing > zero, other.spacing, PM_REAL(1.0f));
    real k = s * pm_exact_inverse(PM_REAL(1.0f) + s);
    pm_half_vector none = pm_half_vector_of(zero, zero, zero);
    pm_half_vector step = pm_half_vector_select(rule == PM_REAL(PM_END_ZERO), none, log);
    pm_half_vector natural = pm_half_vector_plus(pm_half_vector_scaled(log, PM_REAL(1.5f)),
                                                 PM_REAL(-0.5f), pm_bessel_step(log, other));
    pm_half_vector parabola =
        pm_half_vector_plus(pm_half_vector_scaled(log, PM_REAL(1.0f) + k), -(k * s), other.log);
    step = pm_half_vector_select(rule == PM_REAL(PM_END_NATURAL), natural, step);
    return pm_half_vector_select(rule == PM_REAL(PM_END_PARABOLA), parabola, step);
}

#define PM_LARGEST_LOG2 2.46740103f /* (pi/2)^2 */

/* Whether |step - log| > pi/2. */
pm_fn pm_mask pm_step_exceeds(pm_half_vector step, pm_half_vector log) {
    real room = PM_REAL(PM_LARGEST_LOG2) - pm_half_vector_dot(log, log);
    real step2 = pm_half_vector_dot(step, step);
    return pm_fma(PM_REAL(-2.0f), pm_half_vector_dot(step, log), step2) > room;
}

/* The largest lambda in [0, 1] with |lambda step - log| <= pi/2: the root of a quadratic, in the form
 * whose sums do not cancel, and a step of Newton's iteration, because lambda multiplies large steps. */
pm_fn real pm_largest_scale(pm_half_vector step, pm_half_vector log) {
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    pm_mask exceeds = pm_step_exceeds(step, log);
    real step2 = pm_half_vector_dot(step, step), along = pm_half_vector_dot(step, log);
    real room = PM_REAL(PM_LARGEST_LOG2) - pm_half_vector_dot(log, log);
    room = pm_select(room > zero, room, zero);
    real root = pm_sqrt(pm_fma(along, along, step2 * room));
    pm_mask back = along < zero;
    real over = pm_select(back, room, along + root), by = pm_select(back, root - along, step2);
    real lambda = over / pm_select(exceeds, by, one);
    pm_half_vector rest =
        pm_half_vector_plus(pm_half_vector_scaled(log, PM_REAL(-1.0f)), lambda, step);
    real excess = pm_fma(rest.x, rest.x,
                         pm_fma(rest.y, rest.y, pm_fma(rest.z, rest.z, PM_REAL(-PM_LARGEST_LOG2))));
    real slope = PM_REAL(2.0f) * pm_half_vector_dot(rest, step);
    pm_mask steep = slope * slope > PM_REAL(0.1f) * step2;
    lambda = pm_select(steep, lambda - excess / pm_select(steep, slope, one), lambda);
    lambda = pm_select(lambda > zero, lambda, zero);
    return pm_select(exceeds & (lambda < one), lambda, one);
}

/* The step at a key, scaled so that it and the neighbour's own step there are within a half turn of
 * their logarithms. */
pm_fn pm_half_vector pm_limited_step(pm_half_vector step, pm_half_vector log, pm_neighbour n) {
    real one = PM_REAL(1.0f);
    pm_mask inner = n.spacing > PM_REAL(0.0f);
    real s = pm_select(inner, n.spacing, one);
    pm_half_vector there = pm_half_vector_scaled(step, pm_exact_inverse(s));
    if (pm_any(pm_step_exceeds(step, log) | (inner & pm_step_exceeds(there, n.log)))) {
        real lambda = pm_largest_scale(step, log), scale = pm_largest_scale(there, n.log);
        scale = pm_select(inner, scale, one);
        step = pm_half_vector_scaled(step, pm_select(scale < lambda, scale, lambda));
    }
    return step;
}

/* ---- the segment ------------------------------------------------------------------- */

/* The component of v that is orthogonal to d, of length 1. */
pm_fn pm_quat pm_unit_across(pm_quat v, pm_quat d) {
    pm_quat r = pm_quat_plus(v, -(pm_quat_dot(v, d) / pm_quat_norm2(d)), d);
    return pm_quat_scaled(r, PM_REAL(1.0f) / pm_sqrt(pm_quat_norm2(r)));
}

/* The arc of the inner points key exp(leaving) and next exp(arriving), as pm_squad_segment has it.
 * Antipodal inner points belong to a half turn from rest to rest: their slerp passes through the
 * middle of the keys. */
pm_fn pm_squad_segment pm_inner_arc(pm_quat key, pm_quat next, pm_half_vector leaving,
                                    pm_half_vector arriving) {
    pm_segment_data squad;
    pm_quat from = pm_quat_product(key, pm_small_exp(leaving));
    pm_quat to = pm_quat_product(next, pm_small_exp(arriving));
    pm_quat keys = pm_quat_sum(key, next), sum = pm_quat_sum(keys, pm_quat_sum(from, to));
    pm_quat chord = pm_quat_sum(pm_quat_difference(next, key), pm_quat_difference(to, from));
    real sum2 = pm_quat_norm2(sum), one = PM_REAL(1.0f);
    pm_mask antipodal = sum2 < PM_REAL(1e-12f);
    real length = pm_exact_root(pm_select(antipodal, one, sum2));
    squad.coefficients[0] = pm_quat_scaled(sum, pm_exact_inverse(length));
    if (pm_any(antipodal)) {
        squad.coefficients[0] =
            pm_quat_select(antipodal, pm_unit_across(keys, chord), squad.coefficients[0]);
        length = pm_select(antipodal, PM_REAL(0.0f), length);
    }
    /* With phi, half the angle between the points, length = 2 cos(phi), so that
     * 4 sin(phi/2)^2 = 2 - length = chord^2/(2 + length); and |chord| = 2 sin(phi). */
    real gain = pm_arc_gain(pm_quat_norm2(chord) * pm_exact_inverse(PM_REAL(2.0f) + length));
    squad.coefficients[1] = pm_quat_scaled(chord, PM_REAL(0.5f) * gain);
    squad.key = key;
    squad.next = next;
    return pm_squad_begin(&squad);
}

pm_fn pm_cubic_segment pm_cubic_begin(const pm_segment_data *data) {
    pm_half_vector log = pm_log_between(data->key, data->next), first, last;
    pm_neighbour before, after;
    before.log = pm_log_between(pm_key_before(data), data->key);
    before.spacing = pm_spacing_before(data);
    after.log = pm_log_between(data->next, pm_key_after(data));
    after.spacing = pm_spacing_after(data);
    first = pm_bessel_step(log, before);
    last = pm_bessel_step(log, after);
    pm_mask opens = before.spacing <= PM_REAL(0.0f), ends = after.spacing <= PM_REAL(0.0f);
    if (pm_any(opens | ends)) {
        first = pm_half_vector_select(opens, pm_end_step(log, before.spacing, after), first);
        last = pm_half_vector_select(ends, pm_end_step(log, after.spacing, before), last);
    }
    first = pm_limited_step(first, log, before);
    last = pm_limited_step(last, log, after);
    real one_half = PM_REAL(0.5f), minus = PM_REAL(-1.0f);
    return pm_inner_arc(data->key, data->next,
                        pm_half_vector_scaled(pm_half_vector_plus(first, minus, log), one_half),
                        pm_half_vector_scaled(pm_half_vector_plus(log, minus, last), one_half));
}

pm_fn void pm_cubic_basis(real u, real *basis) {
    pm_squad_basis(u, basis);
}

pm_fn pm_quat pm_cubic_fast(const pm_cubic_segment *s, const real *basis, pm_mask *failed) {
    return pm_squad_fast(s, basis, failed);
}

pm_fn pm_quat pm_cubic_at(const pm_cubic_segment *s, const real *basis) {
    return pm_squad_at(s, basis);
}

pm_fn pm_quat_jet pm_cubic_motion(const pm_cubic_segment *s, real u) {
    return pm_squad_motion(s, u);
}

#endif
