/* SPDX-License-Identifier: MIT
 *
 * Segments of curves that are polynomials in each component: positions and scales, glTF's
 * cubic spline of rotations (docs/methods.md, "Positions and scales"), and the same cubic with tangents
 * computed from the keys.
 */
#ifndef PM_COMPONENT_SEGMENT_H
#define PM_COMPONENT_SEGMENT_H

#include "pm_tangents.h"

pm_fn dvec3 pm_vector_at(const pm_window *w, ptrdiff_t i) {
    return dquat_vector(pm_window_key(w, i));
}

/* Clamps a coefficient to the range of float, which only extreme ratios of key times exceed. */
pm_fn dreal pm_in_range(dreal value) {
    const dreal max = dreal_of(1e38);
    return dreal_min(dreal_max(value, -max), max);
}

pm_fn dquat pm_vector_in_range(dvec3 v) {
    dvec3 value = {pm_in_range(v.x), pm_in_range(v.y), pm_in_range(v.z)};
    return dquat_of_vector(value);
}

#define pm_vector_cubic_planes 2
#define pm_vector_cubic_needs 0u
#define pm_vector_cubic_knot pm_tangent

pm_fn pm_tangent pm_vector_cubic_knot_at(const pm_window *w, ptrdiff_t i) {
    return pm_tangent_of(w, i, PM_RULE_BESSEL, false);
}

pm_fn void pm_vector_cubic_build(const pm_window *w, ptrdiff_t i, const pm_tangent *here,
                                 const pm_tangent *next, pm_coefficients *c) {
    double length = pm_window_length(w, i);
    c->of[0] = pm_vector_in_range(dvec3_times(here->out, length));
    c->of[1] = pm_vector_in_range(dvec3_times(next->in, length));
}

/* Over a segment, the parabola through keys key - 1, key and key + 1 is the chord plus u (1 - u)
 * times this bend: its second divided difference times the segment's squared length. */
pm_fn dvec3 pm_bend_of(const pm_window *w, ptrdiff_t key, double length) {
    dvec3 s0 = pm_vector_slope(w, key - 1);
    dvec3 s1 = pm_vector_slope(w, key);
    double span = pm_window_length(w, key - 1) + pm_window_length(w, key);
    double k = length * (length / span);
    return dvec3_blend(k, s0, -k, s1);
}

#define pm_vector_parabolas_planes 2
#define pm_vector_parabolas_needs 0u
PM_NO_KNOTS(vector_parabolas)

pm_fn void pm_vector_parabolas_build(const pm_window *w, ptrdiff_t i, const int *here,
                                     const int *next, pm_coefficients *c) {
    double length = pm_window_length(w, i);
    bool before = pm_window_has(w, i - 1);
    bool after = pm_window_has(w, i + 1);
    dvec3 leaving = before ? pm_bend_of(w, i, length) : dvec3_none();
    dvec3 arriving = after ? pm_bend_of(w, i + 1, length) : leaving;
    (void)here, (void)next;
    c->of[0] = pm_vector_in_range(before ? leaving : arriving);
    c->of[1] = pm_vector_in_range(arriving);
}

/* Key i, or the end key if i is beyond an end. */
pm_fn dvec3 pm_clamped_vector(const pm_window *w, ptrdiff_t i) {
    if (!w->loop)
        i = i < 0 ? 0 : i > w->segment_count ? w->segment_count : i;
    return pm_vector_at(w, i);
}

#define pm_vector_bspline_planes 4
#define pm_vector_bspline_needs 0u
PM_NO_KNOTS(vector_bspline)

pm_fn void pm_vector_bspline_build(const pm_window *w, ptrdiff_t i, const int *here,
                                   const int *next, pm_coefficients *to) {
    dvec3 a = pm_clamped_vector(w, i - 1), b = pm_clamped_vector(w, i);
    dvec3 c = pm_clamped_vector(w, i + 1), d = pm_clamped_vector(w, i + 2);
    dvec3 ac = dvec3_sum(a, c);
    dvec3 outer = dvec3_blend(1.0 / 6, d, -1.0 / 6, a);
    (void)here, (void)next;
    to->of[0] = pm_vector_in_range(dvec3_blend(1.0 / 6, ac, 4.0 / 6, b));
    to->of[1] = pm_vector_in_range(dvec3_blend(-0.5, a, 0.5, c));
    to->of[2] = pm_vector_in_range(dvec3_difference(dvec3_times(ac, 0.5), b));
    to->of[3] = pm_vector_in_range(dvec3_sum(outer, dvec3_blend(0.5, b, -0.5, c)));
}

#define pm_vector_spline_planes 2
#define pm_vector_spline_needs PM_NEEDS_RATES
PM_NO_KNOTS(vector_spline)

pm_fn void pm_vector_spline_build(const pm_window *w, ptrdiff_t i, const int *here, const int *next,
                                  pm_coefficients *c) {
    const double length = pm_window_length(w, i);
    (void)here, (void)next;
    c->of[0] = pm_vector_in_range(dvec3_times(dquat_vector(pm_window_in(w, i)), length));
    c->of[1] = pm_vector_in_range(dvec3_times(dquat_vector(pm_window_in(w, i + 1)), length));
}

/* The rate times the segment's length, scaled down where it exceeds 1e15: the square of the
 * coefficient must stay in the range of float, and only extreme segments exceed it. */
pm_fn dquat pm_tangent_of_rate(dquat rate, double length) {
    const double max = 1e15;
    dreal xy = dreal_max(dreal_abs(rate.x), dreal_abs(rate.y));
    dreal largest = dreal_max(xy, dreal_max(dreal_abs(rate.z), dreal_abs(rate.w)));
    dmask too_large = dmask_of(largest * length > max);
    dreal scale = max / dreal_select(too_large, largest, dreal_of(1));
    return dquat_scaled(rate, dreal_select(too_large, scale, dreal_of(length)));
}

#define pm_cubicspline_planes 2
#define pm_cubicspline_needs PM_NEEDS_IN_OUT
PM_NO_KNOTS(cubicspline)

pm_fn void pm_cubicspline_build(const pm_window *w, ptrdiff_t i, const int *here, const int *next,
                                pm_coefficients *c) {
    const double length = w->single ? 0 : pm_window_length(w, i);
    (void)here, (void)next;
    c->of[0] = pm_tangent_of_rate(pm_window_out(w, i), length);
    c->of[1] = pm_tangent_of_rate(pm_window_in(w, i + 1), length);
}

pm_fn dquat pm_component_slope(const pm_window *w, ptrdiff_t i) {
    dquat step = dquat_difference(pm_window_key(w, i + 1), pm_window_key(w, i));
    return dquat_scaled(step, dreal_of(1 / pm_window_length(w, i)));
}

/* The slope at key i of the parabola through three keys; at an end, the slope of the chord. */
pm_fn dquat pm_component_rate(const pm_window *w, ptrdiff_t i) {
    if (!pm_window_has(w, i - 1))
        return pm_component_slope(w, i);
    if (!pm_window_has(w, i))
        return pm_component_slope(w, i - 1);
    double h0 = pm_window_length(w, i - 1), h1 = pm_window_length(w, i);
    dquat s0 = dquat_scaled(pm_component_slope(w, i - 1), dreal_of(h1 / (h0 + h1)));
    return dquat_sum(s0, dquat_scaled(pm_component_slope(w, i), dreal_of(h0 / (h0 + h1))));
}

/* Whether a slope at either key of a segment may be too large for the segment's length: slopes
 * between unit keys are at most 2 over the shorter of the lengths adjacent to the key. */
pm_fn bool pm_is_far_longer(const pm_window *w, ptrdiff_t i) {
    const double max = 1e14, length = pm_window_length(w, i);
    return (pm_window_has(w, i - 1) && length > max * pm_window_length(w, i - 1)) ||
           (pm_window_has(w, i + 1) && length > max * pm_window_length(w, i + 1));
}

#define pm_ncubic_planes 2
#define pm_ncubic_needs 0u
PM_NO_KNOTS(ncubic)

pm_fn void pm_ncubic_build(const pm_window *w, ptrdiff_t i, const int *here, const int *next,
                           pm_coefficients *c) {
    double length = pm_window_length(w, i);
    dquat leaving = pm_component_rate(w, i), arriving = pm_component_rate(w, i + 1);
    (void)here, (void)next;
    if (pm_is_far_longer(w, i)) {
        c->of[0] = pm_tangent_of_rate(leaving, length);
        c->of[1] = pm_tangent_of_rate(arriving, length);
    } else {
        c->of[0] = dquat_scaled(leaving, dreal_of(length));
        c->of[1] = dquat_scaled(arriving, dreal_of(length));
    }
}

#endif
