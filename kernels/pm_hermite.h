/* SPDX-License-Identifier: MIT
 *
 * Cubics in the space of rotation vectors (docs/methods.md, "hermite"): q exp(rho/2), where rho
 * is a cubic in u. `hermite` and `spline` differ in how the velocities are found when the clip
 * is built; the curve is the same. The clip stores q times the cubic's coefficients, so that
 *   r = cos|v| q + sin|v|/|v| (q v),  q v = u (step + (1-u) ((1-u) leaving + u arriving)),
 * where `step` is the step to the next key, `leaving` the rate at the first key less the step,
 * and `arriving` the step less the rate at the next key.
 */
#ifndef PM_HERMITE_H
#define PM_HERMITE_H

#include "pm_jet.h"
#include "pm_segment.h"

#define pm_hermite_coefficients 3 /* step, leaving, arriving */
#define pm_hermite_constants 0
#define pm_hermite_four_keys 0
#define pm_hermite_passes 1
#define pm_hermite_basis_size 1
#define pm_hermite_has_fast_path 1 /* valid for rotations of at most half a turn */

PM_BASIS_IS_U(hermite)

typedef struct pm_hermite_segment {
    pm_quat a, step, leaving, arriving;
} pm_hermite_segment;

pm_fn pm_hermite_segment pm_hermite_begin(const pm_segment_data *data) {
    pm_hermite_segment s;
    s.a = data->key;
    s.step = data->coefficients[0];
    s.leaving = data->coefficients[1];
    s.arriving = data->coefficients[2];
    return s;
}

/* q v in two parts: v is the main part of the turn; rest is the bend plus the rounding error of v,
 * which would be visible in turns of a radian and more. */
typedef struct pm_hermite_vectors {
    pm_quat v, rest;
} pm_hermite_vectors;

pm_fn pm_hermite_vectors pm_hermite_vector(const pm_hermite_segment *s, real u) {
    real v = PM_REAL(1.0f) - u;
    real uv = u * v;
    pm_hermite_vectors r;
    r.v = pm_quat_scaled(s->step, u);
    r.rest = pm_quat_plus(pm_quat_of(-r.v.x, -r.v.y, -r.v.z, -r.v.w), u, s->step);
    r.rest = pm_quat_plus(r.rest, uv * v, s->leaving);
    r.rest = pm_quat_plus(r.rest, uv * u, s->arriving);
    return r;
}

/* |v + rest|^2 */
pm_fn real pm_hermite_angle2(pm_hermite_vectors r) {
    pm_quat twice = pm_quat_plus(r.rest, PM_REAL(2.0f), r.v);
    real x = pm_fma(r.rest.x, twice.x, r.rest.y * twice.y);
    real y = pm_fma(r.rest.z, twice.z, r.rest.w * twice.w);
    return pm_quat_norm2(r.v) + (x + y);
}

pm_fn pm_quat pm_hermite_value(const pm_hermite_segment *s, pm_hermite_vectors r,
                               pm_cos_sinc turn) {
    pm_quat value = pm_quat_blend(turn.sinc, r.rest, turn.sinc, r.v);
    return pm_quat_renormalized(pm_quat_plus(value, turn.cosine, s->a));
}

pm_fn pm_quat pm_hermite_fast(const pm_hermite_segment *s, const real *basis, pm_mask *failed) {
    pm_hermite_vectors r = pm_hermite_vector(s, basis[0]);
    real x2 = pm_hermite_angle2(r);
    *failed = x2 > PM_COS_SINC_NARROW_END;
    return pm_hermite_value(s, r, pm_cos_sinc_narrow(x2));
}

pm_fn pm_quat pm_hermite_at(const pm_hermite_segment *s, const real *basis) {
    pm_hermite_vectors r = pm_hermite_vector(s, basis[0]);
    return pm_hermite_value(s, r, pm_cos_sinc_of(pm_hermite_angle2(r)));
}

pm_fn pm_quat_jet pm_hermite_motion(const pm_hermite_segment *s, real u) {
    pm_quat_jet v = pm_quat_jet_scaled(pm_jet_u(u), s->step);
    v = pm_quat_jet_plus(v, pm_leaving_jet(u), s->leaving);
    v = pm_quat_jet_plus(v, pm_arriving_jet(u), s->arriving);
    pm_jet x2 = pm_quat_jet_norm2(v);
    pm_cos_sinc_jet turn = pm_cos_sinc_jet_of(x2.v);
    pm_quat_jet r = pm_quat_jet_weighted(pm_jet_chain(x2, turn.sinc), v);
    return pm_quat_jet_plus(r, pm_jet_chain(x2, turn.cosine), s->a);
}

#endif
