/* SPDX-License-Identifier: MIT
 *
 * Poses: blending two poses, and a joint's matrix from its parent's. A matrix is three rows, each a
 * pm_quat whose w is the translation.
 */
#ifndef PM_POSE_H
#define PM_POSE_H

#include "pm_math.h"
#include "pm_quat.h"

/* A joint relative to its parent; the w of position and scale is 0. */
typedef struct pm_local {
    pm_quat rotation, position, scale;
} pm_local;

typedef struct pm_matrix {
    pm_quat x, y, z;
} pm_matrix;

/* A rotation, then a translation by `position`, whose w is 0. */
typedef struct pm_rigid {
    pm_quat rotation, position;
} pm_rigid;

/* ---- blending -------------------------------------------------------------------- */

/* Normalises a mix of two unit quaternions whose angle on the sphere is at most pi/2: its squared
 * length is between 1/2 and 1. */
pm_fn pm_quat pm_quat_mix_unit(pm_quat mix) {
    return pm_quat_scaled(mix, pm_inverse_root(PM_REAL(1.0f) - pm_quat_norm2(mix)));
}

/* A mix of a and b over the shorter arc; exactly a and b at weights 0 and 1. */
pm_fn pm_quat pm_rotations_mixed(pm_quat a, pm_quat b, real weight) {
    pm_mask far = pm_quat_dot(a, b) < PM_REAL(0.0f);
    real to_b = pm_select(far, -weight, weight);
    pm_quat mix = pm_quat_mix_unit(pm_quat_blend(PM_REAL(1.0f) - weight, a, to_b, b));
    mix = pm_quat_select(weight == PM_REAL(0.0f), a, mix);
    return pm_quat_select(weight == PM_REAL(1.0f), b, mix);
}

/* A linear mix of a and b; exactly a and b, including the signs of zeros, at weights 0 and 1. */
pm_fn pm_quat pm_vectors_mixed(pm_quat a, pm_quat b, real weight) {
    pm_quat mix = pm_quat_blend(PM_REAL(1.0f) - weight, a, weight, b);
    mix = pm_quat_select(weight == PM_REAL(0.0f), a, mix);
    return pm_quat_select(weight == PM_REAL(1.0f), b, mix);
}

/* A rotated, about its own axes, by the weighted difference of B from the rest pose:
 * a mix(1, rest^-1 b). Exactly A at weight 0, as are the next two. */
pm_fn pm_quat pm_rotation_added(pm_quat a, pm_quat b, pm_quat rest, real weight) {
    real zero = PM_REAL(0.0f);
    pm_quat identity = pm_quat_of(zero, zero, zero, PM_REAL(1.0f));
    pm_quat change = pm_quat_product(pm_quat_conjugate(rest), b);
    pm_quat sum = pm_quat_product(a, pm_rotations_mixed(identity, change, weight));
    return pm_quat_select(weight == zero, a, sum);
}

/* a + weight (b - rest) */
pm_fn pm_quat pm_position_added(pm_quat a, pm_quat b, pm_quat rest, real weight) {
    pm_quat sum = pm_quat_plus(a, weight, pm_quat_difference(b, rest));
    return pm_quat_select(weight == PM_REAL(0.0f), a, sum);
}

/* a (1 + weight (b/rest - 1)); `unscale` is 1/rest. */
pm_fn pm_quat pm_scale_added(pm_quat a, pm_quat b, pm_quat unscale, real weight) {
    real one = PM_REAL(1.0f);
    return pm_quat_of(a.x * pm_fma(weight, pm_fma(b.x, unscale.x, -one), one),
                      a.y * pm_fma(weight, pm_fma(b.y, unscale.y, -one), one),
                      a.z * pm_fma(weight, pm_fma(b.z, unscale.z, -one), one), PM_REAL(0.0f));
}

/* ---- matrices --------------------------------------------------------------------- */

/* The matrix of a rotation whose length is within 1e-6 of 1. The rotation is divided by its length
 * to first order, because the errors of lengths would accumulate along a chain of joints. */
pm_fn pm_matrix pm_matrix_of(pm_quat q, pm_quat position) {
    pm_matrix m;
    real one = PM_REAL(1.0f);
    real twice = pm_fma(PM_REAL(-2.0f), pm_quat_norm2(q), PM_REAL(4.0f));
    real x = q.x * twice, y = q.y * twice, z = q.z * twice;
    real wx = q.w * x, wy = q.w * y, wz = q.w * z;
    m.x = pm_quat_of(pm_fma(-q.y, y, pm_fma(-q.z, z, one)), pm_fma(q.x, y, -wz), pm_fma(q.x, z, wy),
                     position.x);
    m.y = pm_quat_of(pm_fma(q.x, y, wz), pm_fma(-q.x, x, pm_fma(-q.z, z, one)), pm_fma(q.y, z, -wx),
                     position.y);
    m.z = pm_quat_of(pm_fma(q.x, z, -wy), pm_fma(q.y, z, wx), pm_fma(-q.x, x, pm_fma(-q.y, y, one)),
                     position.z);
    return m;
}

pm_fn pm_quat pm_row_scaled(pm_quat row, pm_quat scale) {
    return pm_quat_of(row.x * scale.x, row.y * scale.y, row.z * scale.z, row.w);
}

/* The matrix with a scale applied before it. */
pm_fn pm_matrix pm_matrix_scaled(pm_matrix m, pm_quat scale) {
    m.x = pm_row_scaled(m.x, scale);
    m.y = pm_row_scaled(m.y, scale);
    m.z = pm_row_scaled(m.z, scale);
    return m;
}

/* a x + b y + c z + d */
pm_fn real pm_row_at(pm_quat row, real x, real y, real z, real d) {
    return pm_fma(row.x, x, pm_fma(row.y, y, pm_fma(row.z, z, d)));
}

/* One row of a product. Adding -0 to a number leaves it unchanged. */
pm_fn pm_quat pm_row_product(pm_quat row, pm_matrix m) {
    real nothing = PM_REAL(-0.0f);
    return pm_quat_of(
        pm_row_at(row, m.x.x, m.y.x, m.z.x, nothing), pm_row_at(row, m.x.y, m.y.y, m.z.y, nothing),
        pm_row_at(row, m.x.z, m.y.z, m.z.z, nothing), pm_row_at(row, m.x.w, m.y.w, m.z.w, row.w));
}

/* The product a b, which applies b first. */
pm_fn pm_matrix pm_matrix_product(pm_matrix a, pm_matrix b) {
    pm_matrix m;
    m.x = pm_row_product(a.x, b);
    m.y = pm_row_product(a.y, b);
    m.z = pm_row_product(a.z, b);
    return m;
}

/* How far a sphere about a matrix's origin reaches along an axis: an ellipsoid where the matrix has scales.
 * The limits are those of pm_exact_root. */
pm_fn real pm_row_extent(pm_quat row, float radius) {
    real least = PM_REAL(0x1p-100f), most = PM_REAL(0x1p100f);
    real length2 = pm_fma(row.x, row.x, pm_fma(row.y, row.y, row.z * row.z));
    length2 = pm_select(length2 < least, least, length2);
    return PM_REAL(radius) * pm_exact_root(pm_select(length2 > most, most, length2));
}

pm_fn pm_quat pm_sphere_extents(pm_matrix m, float radius) {
    real zero = PM_REAL(0.0f);
    if (radius == 0.0f)
        return pm_quat_of(zero, zero, zero, zero);
    return pm_quat_of(pm_row_extent(m.x, radius), pm_row_extent(m.y, radius),
                      pm_row_extent(m.z, radius), zero);
}

/* ---- rigid motions ----------------------------------------------------------------- */

/* v rotated by a unit quaternion: v + 2 w (q v) + 2 q (q v), with cross products */
pm_fn pm_quat pm_vector_turned(pm_quat q, pm_quat v) {
    real two = PM_REAL(2.0f);
    real x = two * pm_fma(q.y, v.z, -(q.z * v.y));
    real y = two * pm_fma(q.z, v.x, -(q.x * v.z));
    real z = two * pm_fma(q.x, v.y, -(q.y * v.x));
    return pm_quat_of(pm_fma(q.w, x, pm_fma(q.y, z, pm_fma(-q.z, y, v.x))),
                      pm_fma(q.w, y, pm_fma(q.z, x, pm_fma(-q.x, z, v.y))),
                      pm_fma(q.w, z, pm_fma(q.x, y, pm_fma(-q.y, x, v.z))), PM_REAL(0.0f));
}

/* A pose without its scale, below a parent whose frame has a scale. */
pm_fn pm_rigid pm_rigid_of(pm_local pose, float parent_scale) {
    pm_rigid r;
    r.rotation = pose.rotation;
    r.position = pm_quat_scaled(pose.position, PM_REAL(parent_scale));
    return r;
}

/* The product a b, which applies b first. */
pm_fn pm_rigid pm_rigid_product(pm_rigid a, pm_rigid b) {
    pm_rigid r;
    r.rotation = pm_quat_renormalized(pm_quat_product(a.rotation, b.rotation));
    r.position = pm_quat_sum(a.position, pm_vector_turned(a.rotation, b.position));
    return r;
}

/* The dual part of a rigid motion as a dual quaternion: half the translation times the rotation. */
pm_fn pm_quat pm_rigid_dual(pm_rigid a) {
    real half_ = PM_REAL(0.5f);
    pm_quat shift =
        pm_quat_of(half_ * a.position.x, half_ * a.position.y, half_ * a.position.z, PM_REAL(0.0f));
    return pm_quat_product(shift, a.rotation);
}

/* ---- half precision ---------------------------------------------------------------- */

/* The bits of a number as float16, rounded to nearest even, in the lower half of a word. Numbers
 * that are too large become infinite; NaN stays NaN. Adding 1/2 to a number below 2^-14 moves the
 * bits of its subnormal float16 to the low bits of the sum. */
pm_fn pm_mask pm_half_bits(real a) {
#if PM_LANES == 16 && defined(__AVX512F__) && !defined(PM_OPENCL)
    /* An instruction, but for what it makes of a NaN, which is unlike itself. */
    const pm_mask is_number = a == a; /* NOLINT(misc-redundant-expression) */
    const pm_mask bits =
        (pm_mask)_mm512_cvtepu16_epi32(_mm512_maskz_cvtps_ph(0xffff, (__m512)a, 8));
    return pm_bits_select(is_number, bits, (bits & PM_BITS(0x8000)) | PM_BITS(0x7e00));
#else
    pm_mask bits = pm_bits_of(a);
    pm_mask size = bits & PM_BITS(0x7fffffff);
    pm_mask sign = (bits >> 16) & PM_BITS(0x8000);
    pm_mask odd = (size >> 13) & PM_BITS(1);
    pm_mask normal = (size - PM_BITS(0x38000000) + PM_BITS(0xfff) + odd) >> 13;
    pm_mask tiny = pm_bits_of(pm_real_of(size) + PM_REAL(0.5f)) - PM_BITS(0x3f000000);
    pm_mask huge = pm_bits_select(size > PM_BITS(0x7f800000), PM_BITS(0x7e00), PM_BITS(0x7c00));
    pm_mask value = pm_bits_select(size < PM_BITS(0x38800000), tiny, normal);
    return sign | pm_bits_select(size >= PM_BITS(0x47800000), huge, value);
#endif
}

#endif
