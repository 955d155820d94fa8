/* SPDX-License-Identifier: MIT
 *
 * Curves that are polynomials in each component, and their derivatives (docs/methods.md, "Positions and scales"): positions and
 * scales, as quaternions whose w is unused, and glTF's cubic spline of rotations, which is one
 * of these polynomials, normalised.
 */
#ifndef PM_VECTOR_H
#define PM_VECTOR_H

#include "pm_circular.h"

#define pm_vector_step_coefficients 0
#define pm_vector_step_constants 0
#define pm_vector_step_four_keys 0
#define pm_vector_step_passes 1
#define pm_vector_step_basis_size 1
#define pm_vector_step_has_fast_path 0
#define pm_vector_linear_coefficients 0
#define pm_vector_linear_constants 0
#define pm_vector_linear_four_keys 0
#define pm_vector_linear_passes 1
#define pm_vector_linear_basis_size 1
#define pm_vector_linear_has_fast_path 0
#define pm_vector_cubic_coefficients 2 /* slopes at both ends, times the segment's length */
#define pm_vector_cubic_constants 0
#define pm_vector_cubic_four_keys 0
#define pm_vector_cubic_passes 1
#define pm_vector_cubic_basis_size 1
#define pm_vector_cubic_has_fast_path 0
#define pm_vector_parabolas_c2_coefficients 2 /* bends of both parabolas */
#define pm_vector_parabolas_c2_constants 0
#define pm_vector_parabolas_c2_four_keys 0
#define pm_vector_parabolas_c2_passes 1
#define pm_vector_parabolas_c2_basis_size 1
#define pm_vector_parabolas_c2_has_fast_path 0
#define pm_vector_parabolas_c3_coefficients 2
#define pm_vector_parabolas_c3_constants 0
#define pm_vector_parabolas_c3_four_keys 0
#define pm_vector_parabolas_c3_passes 1
#define pm_vector_parabolas_c3_basis_size 1
#define pm_vector_parabolas_c3_has_fast_path 0
#define pm_vector_bspline_coefficients 4 /* coefficients of u^0 to u^3 */
#define pm_vector_bspline_constants 0
#define pm_vector_bspline_four_keys 0
#define pm_vector_bspline_passes 0
#define pm_vector_bspline_basis_size 1
#define pm_vector_bspline_has_fast_path 0
#define pm_cubicspline_coefficients pm_vector_cubic_coefficients
#define pm_cubicspline_constants 0
#define pm_cubicspline_four_keys 0
#define pm_cubicspline_passes 2
#define pm_cubicspline_basis_size 1
#define pm_cubicspline_has_fast_path 0

PM_BASIS_IS_U(vector_step)
PM_BASIS_IS_U(vector_linear)
PM_BASIS_IS_U(vector_cubic)
PM_BASIS_IS_U(vector_parabolas_c2)
PM_BASIS_IS_U(vector_parabolas_c3)
PM_BASIS_IS_U(vector_bspline)
PM_BASIS_IS_U(cubicspline)

typedef struct pm_vector_step_segment {
    pm_quat a;
} pm_vector_step_segment;

pm_fn pm_vector_step_segment pm_vector_step_begin(const pm_segment_data *data) {
    pm_vector_step_segment s;
    s.a = data->key;
    return s;
}

pm_fn pm_quat pm_vector_step_at(const pm_vector_step_segment *s, const real *basis) {
    (void)basis;
    return s->a;
}

typedef struct pm_vector_linear_segment {
    pm_quat a, b;
} pm_vector_linear_segment;

pm_fn pm_vector_linear_segment pm_vector_linear_begin(const pm_segment_data *data) {
    pm_vector_linear_segment s;
    s.a = data->key;
    s.b = data->next;
    return s;
}

pm_fn pm_quat pm_vector_linear_at(const pm_vector_linear_segment *s, const real *basis) {
    real u = basis[0];
    return pm_quat_blend(PM_REAL(1.0f) - u, s->a, u, s->b);
}

typedef struct pm_vector_cubic_segment {
    pm_quat a, b, leaving, arriving;
} pm_vector_cubic_segment;

pm_fn pm_vector_cubic_segment pm_vector_cubic_begin(const pm_segment_data *data) {
    pm_vector_cubic_segment s;
    s.a = data->key;
    s.b = data->next;
    s.leaving = data->coefficients[0];
    s.arriving = data->coefficients[1];
    return s;
}

/* The cubic Hermite basis */
pm_fn pm_quat pm_vector_cubic_at(const pm_vector_cubic_segment *s, const real *basis) {
    real u = basis[0];
    real v = PM_REAL(1.0f) - u;
    pm_quat r = pm_quat_blend(u * v * v, s->leaving, -(u * u * v), s->arriving);
    r = pm_quat_plus(r, pm_smoothstep(v), s->a);
    return pm_quat_plus(r, pm_smoothstep(u), s->b);
}

typedef pm_vector_cubic_segment pm_cubicspline_segment;

pm_fn pm_cubicspline_segment pm_cubicspline_begin(const pm_segment_data *data) {
    return pm_vector_cubic_begin(data);
}

/* Normalises the cubic, whatever its length. At length 0 its direction is undefined and the
 * result is the key. */
pm_fn pm_quat pm_cubicspline_at(const pm_cubicspline_segment *s, const real *basis) {
    pm_quat r = pm_vector_cubic_at(s, basis);
    real length2 = pm_quat_norm2(r);
    pm_mask is_zero = length2 < PM_REAL(1e-30f);
    real scale = pm_exact_inverse(pm_exact_root(pm_select(is_zero, PM_REAL(1.0f), length2)));
    r = pm_quat_scaled(r, scale);
    if (!pm_any(is_zero))
        return r;
    return pm_quat_select(is_zero, pm_key_passed(s->a, pm_cubicspline_passes), r);
}

/* Over a segment between two of its keys, a parabola through three keys is the chord plus
 * u (1 - u) times a bend. The bends of the segment's two parabolas are blended. */
typedef struct pm_vector_parabolas_segment {
    pm_quat a, b, leaving, arriving;
} pm_vector_parabolas_segment;

pm_fn pm_quat pm_vector_parabolas_at(const pm_vector_parabolas_segment *s, real u, real weight) {
    real v = PM_REAL(1.0f) - u;
    pm_quat bend = pm_quat_blend(PM_REAL(1.0f) - weight, s->leaving, weight, s->arriving);
    return pm_quat_plus(pm_quat_blend(v, s->a, u, s->b), u * v, bend);
}

typedef pm_vector_parabolas_segment pm_vector_parabolas_c2_segment;
typedef pm_vector_parabolas_segment pm_vector_parabolas_c3_segment;

pm_fn pm_vector_parabolas_c2_segment pm_vector_parabolas_c2_begin(const pm_segment_data *data) {
    pm_vector_parabolas_c2_segment s;
    s.a = data->key;
    s.b = data->next;
    s.leaving = data->coefficients[0];
    s.arriving = data->coefficients[1];
    return s;
}

pm_fn pm_vector_parabolas_c3_segment pm_vector_parabolas_c3_begin(const pm_segment_data *data) {
    return pm_vector_parabolas_c2_begin(data);
}

pm_fn pm_quat pm_vector_parabolas_c2_at(const pm_vector_parabolas_c2_segment *s,
                                        const real *basis) {
    real u = basis[0];
    return pm_vector_parabolas_at(s, u, pm_smoothstep(u));
}

pm_fn pm_quat pm_vector_parabolas_c3_at(const pm_vector_parabolas_c3_segment *s,
                                        const real *basis) {
    real u = basis[0];
    return pm_vector_parabolas_at(s, u, pm_smootherstep(u));
}

typedef struct pm_vector_bspline_segment {
    pm_quat c0, c1, c2, c3;
} pm_vector_bspline_segment;

pm_fn pm_vector_bspline_segment pm_vector_bspline_begin(const pm_segment_data *data) {
    pm_vector_bspline_segment s;
    s.c0 = data->coefficients[0];
    s.c1 = data->coefficients[1];
    s.c2 = data->coefficients[2];
    s.c3 = data->coefficients[3];
    return s;
}

pm_fn pm_quat pm_vector_bspline_at(const pm_vector_bspline_segment *s, const real *basis) {
    real u = basis[0];
    pm_quat r = pm_quat_plus(s->c2, u, s->c3);
    r = pm_quat_plus(s->c1, u, r);
    return pm_quat_plus(s->c0, u, r);
}

/* Makes a segment relative to the key `next` where u is 1, else to `key`, and returns that key: curves of vectors move
 * with their keys. */
pm_fn pm_quat pm_vector_relative(pm_segment_data *data, real u, int coefficients) {
    pm_quat base = pm_quat_select(u == PM_REAL(1.0f), data->next, data->key);
    data->key = pm_quat_difference(data->key, base);
    data->next = pm_quat_difference(data->next, base);
    if (coefficients == pm_vector_bspline_coefficients) /* that of u^0 */
        data->coefficients[0] = pm_quat_difference(data->coefficients[0], base);
    return base;
}

/* ---- derivatives of vectors by u -------------------------------------------------- */

pm_fn pm_quat pm_vector_step_slope(const pm_vector_step_segment *s, real u) {
    (void)s;
    (void)u;
    return pm_quat_zero();
}

pm_fn pm_quat pm_vector_linear_slope(const pm_vector_linear_segment *s, real u) {
    (void)u;
    return pm_quat_difference(s->b, s->a);
}

pm_fn pm_quat pm_vector_cubic_slope(const pm_vector_cubic_segment *s, real u) {
    pm_quat r = pm_quat_blend(pm_leaving_jet(u).d, s->leaving, -pm_arriving_jet(u).d, s->arriving);
    return pm_quat_plus(r, pm_smoothstep_jet(u).d, pm_quat_difference(s->b, s->a));
}

/* `slope` is the derivative of `weight`. */
pm_fn pm_quat pm_vector_parabolas_slope(const pm_vector_parabolas_segment *s, real u, real weight,
                                        real slope) {
    real v = PM_REAL(1.0f) - u;
    pm_quat bend = pm_quat_blend(PM_REAL(1.0f) - weight, s->leaving, weight, s->arriving);
    pm_quat turn = pm_quat_difference(s->arriving, s->leaving);
    pm_quat r = pm_quat_plus(pm_quat_difference(s->b, s->a), v - u, bend);
    return pm_quat_plus(r, u * v * slope, turn);
}

pm_fn pm_quat pm_vector_parabolas_c2_slope(const pm_vector_parabolas_c2_segment *s, real u) {
    real v = PM_REAL(1.0f) - u;
    return pm_vector_parabolas_slope(s, u, pm_smoothstep(u), PM_REAL(6.0f) * u * v);
}

pm_fn pm_quat pm_vector_parabolas_c3_slope(const pm_vector_parabolas_c3_segment *s, real u) {
    real uv = u * (PM_REAL(1.0f) - u);
    return pm_vector_parabolas_slope(s, u, pm_smootherstep(u), PM_REAL(30.0f) * uv * uv);
}

pm_fn pm_quat pm_vector_bspline_slope(const pm_vector_bspline_segment *s, real u) {
    pm_quat r = pm_quat_plus(pm_quat_scaled(s->c2, PM_REAL(2.0f)), PM_REAL(3.0f) * u, s->c3);
    return pm_quat_plus(s->c1, u, r);
}

pm_fn pm_quat_jet pm_cubicspline_motion(const pm_cubicspline_segment *s, real u) {
    pm_jet to_b = pm_smoothstep_jet(u);
    pm_jet arriving = pm_jet_scaled(pm_arriving_jet(u), PM_REAL(-1.0f));
    pm_quat_jet r = pm_quat_jet_scaled(pm_jet_complement(to_b), s->a);
    r = pm_quat_jet_plus(r, to_b, s->b);
    r = pm_quat_jet_plus(r, pm_leaving_jet(u), s->leaving);
    return pm_quat_jet_plus(r, arriving, s->arriving);
}

#endif
