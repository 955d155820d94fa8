/* SPDX-License-Identifier: MIT
 *
 * The language subset in which segments are built, as C and as OpenCL C: double, on the host in as many
 * lanes as a register of the instruction set has, one track per lane, and on a device in one. Code in it
 * is compiled once for each instruction set, of which the library selects one at run time, and gives the
 * same bits with all of them: it only adds, multiplies, divides and takes roots, and nothing is fused.
 * In OpenCL C the file that includes it is for devices that have double.
 */
#ifndef PM_DOUBLE_H
#define PM_DOUBLE_H

#include "pm_lang.h"

#define PM_HALF_PI 1.57079632679489661923

#ifdef PM_OPENCL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define PM_DOUBLES 1
#else
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PM_DOUBLES /* tests of the device's kernels have one lane on the host too */
#if defined(__AVX512F__)
#define PM_DOUBLES 8
#elif defined(__AVX__)
#define PM_DOUBLES 4
#else
#define PM_DOUBLES 2
#endif
#endif
#endif

#if PM_DOUBLES == 1

typedef double dreal;
typedef int dmask;            /* -1: true, 0: false */
#define PM_TERMS const double /* coefficients of a polynomial within a function */
#define dmask_of(comparison) (-(comparison))
#define dmask_any(mask) ((mask) != 0)
#define dmask_none() 0
#define dreal_of(value) ((double)(value))
#ifdef PM_OPENCL
#define dreal_bits(value) as_long(value)
#else
static inline int64_t dreal_bits(double value) {
    union {
        double number;
        int64_t bits;
    } both = {value};
    return both.bits;
}
#endif
#define dreal_select(mask, yes, no) ((mask) ? (yes) : (no))
#define dreal_where(mask, value) ((mask) ? (value) : 0.0)
#define dreal_abs(a) fabs(a)
#define dreal_sqrt(a) sqrt(a)
#define dreal_rounded(a) ((double)(float)(a))

#else

#define PM_TERMS static const double
#define dmask_of(comparison) ((dmask)(comparison))
#define dreal_bits(value) ((dmask)(value))
#define dreal_rounded(a) __builtin_convertvector(__builtin_convertvector((a), dstored), dreal)

typedef double dreal __attribute__((vector_size(8 * PM_DOUBLES)));
typedef int64_t dmask __attribute__((vector_size(8 * PM_DOUBLES))); /* -1: true, 0: false */
typedef float dstored __attribute__((vector_size(4 * PM_DOUBLES))); /* rounded for storage */

/* Lanes of two vectors, selected by their index in the concatenation of both. */
#if defined(__clang__)
#define PM_DOUBLE_SHUFFLE(a, b, ...) __builtin_shufflevector((a), (b), __VA_ARGS__)
#else
#define PM_DOUBLE_SHUFFLE(a, b, ...) __builtin_shuffle((a), (b), (dmask){__VA_ARGS__})
#endif

static inline dreal dreal_of(double value) {
    return value - (dreal){0};
}

static inline dmask dmask_none(void) {
    return (dmask){0};
}

static inline dreal dreal_select(dmask mask, dreal yes, dreal no) {
    return (dreal)((mask & (dmask)yes) | (~mask & (dmask)no));
}

/* value, or 0 where the mask is not set */
static inline dreal dreal_where(dmask mask, dreal value) {
    return (dreal)(mask & (dmask)value);
}

static inline dreal dreal_abs(dreal a) {
    return (dreal)((dmask)a & INT64_MAX);
}

static inline dreal dreal_sqrt(dreal a) {
    dreal r;
    for (int i = 0; i < PM_DOUBLES; i++)
        r[i] = sqrt(a[i]);
    return r;
}

static inline bool dmask_any(dmask mask) {
#if PM_DOUBLES == 8
    mask |= PM_DOUBLE_SHUFFLE(mask, mask, 4, 5, 6, 7, 0, 1, 2, 3);
    mask |= PM_DOUBLE_SHUFFLE(mask, mask, 2, 3, 0, 1, 6, 7, 4, 5);
#elif PM_DOUBLES == 4
    mask |= PM_DOUBLE_SHUFFLE(mask, mask, 2, 3, 0, 1);
#endif
    return (mask[0] | mask[1]) != 0;
}

#endif

pm_fn dreal dreal_min(dreal a, dreal b) {
    return dreal_select(dmask_of(a < b), a, b);
}

pm_fn dreal dreal_max(dreal a, dreal b) {
    return dreal_select(dmask_of(a > b), a, b);
}

/* ---- elementary functions ----
 *
 * As polynomials: the same bits on every machine, which no libm guarantees. The coefficients, highest
 * degree first, and the errors are those that tests/kernels/fit_polynomials.py prints; errors are relative, in
 * exact arithmetic. */

/* A polynomial for an array of coefficients. Even and odd powers are summed apart, by Horner's rule:
 * a single sum would wait for each of its operations. */
#define PM_POLYNOMIAL(terms, x) dreal_polynomial((terms), sizeof(terms) / sizeof *(terms), (x))

pm_fn dreal dreal_polynomial(const double *terms, size_t count, dreal x) {
    const dreal x2 = x * x;
    dreal a = dreal_of(terms[0]), b = dreal_of(terms[1]);
    size_t i = 2;
    PM_UNROLL
    for (; i + 1 < count; i += 2) {
        a = a * x2 + terms[i];
        b = b * x2 + terms[i + 1];
    }
    return i < count ? (a * x + b) * x + terms[i] : a * x + b;
}

/* x/sin(x), for x in [0, pi/2], from its cosine: without a root, a division or a loss of digits near 0.
 * Error for 2 (1 - cos x) in [0, 2.001]: 2.9e-17. */
pm_fn dreal dreal_arc(dreal cosine) {
    PM_TERMS arc_terms[] = {3.8906797660576205e-11, -6.9813173466606183e-10,
                            5.9432116175662617e-09, -3.155395379009086e-08,
                            1.1665034510203181e-07, -3.175060078355897e-07,
                            6.5836232288637946e-07, -1.0582536098896602e-06,
                            1.3420103055650733e-06, -1.3206247497790888e-06,
                            1.114013302800515e-06,  -3.9468205343452623e-07,
                            1.3980096673063286e-06, 4.4531754924933785e-06,
                            1.9457997231869924e-05, 8.3243283776719316e-05,
                            0.00036075135050223658, 0.0015873014911994183,
                            0.0071428571485638321,  0.033333333333154171,
                            0.16666666666666891,    1};
    return PM_POLYNOMIAL(arc_terms, 2 - 2 * cosine);
}

/* 1/sqrt(x), for x within 2.1e-3 of 1: the binomial series, whose rest is 2e-17. */
pm_fn dreal dreal_near_root(dreal x) {
    PM_TERMS root_terms[] = {-63.0 / 256, 35.0 / 128, -5.0 / 16, 3.0 / 8, -0.5, 1};
    return PM_POLYNOMIAL(root_terms, x - 1);
}

/* cos x and sin(x)/x */
typedef struct dturn {
    dreal cosine, sine;
} dturn;

/* For x^2 up to (pi/2)^2. Errors for x^2 in [0, 2.5]: 2e-17 for the sine, and 4e-16 for the terms of the
 * cosine from x^4. */
pm_fn dturn dreal_quarter_turn(dreal x2) {
    PM_TERMS sinc_terms[] = {
        2.7207442162107849e-15, -7.6429523899837857e-13, 1.6058938242681938e-10,
        -2.505210684331787e-08, 2.7557319210784935e-06,  -0.00019841269841206621,
        0.0083333333333331823,  -0.16666666666666666,    1};
    PM_TERMS cos_terms[] = {4.6447015783668555e-14, -1.1466133768438094e-11,
                            2.0876678548041631e-09, -2.7557318538454527e-07,
                            2.4801587298732811e-05, -0.0013888888888884431,
                            0.041666666666666657};
    const dreal cosine = (1 - 0.5 * x2) + x2 * x2 * PM_POLYNOMIAL(cos_terms, x2);
    return (dturn){cosine, PM_POLYNOMIAL(sinc_terms, x2)};
}

/* For x >= 0. A whole number of half turns is subtracted, with pi split into parts of 33 bits and
 * a rest, so that their products with that number are exact up to 2^20. A larger x is clamped to
 * 2^20: the float tangents from which it was computed do not determine the angle any more. */
pm_fn dturn dreal_many_turns(dreal x) {
    const double pi_high = 0x1.921fb544p+1, pi_middle = 0x1.0b4611a6p-33,
                 pi_low = 0x1.3198a2e037073p-68;
    const double nearest = 0x1.8p52; /* a sum with it is rounded to a whole number */
    dreal angle = dreal_min(x, dreal_of(0x1p20));
    dreal shifted = angle * 0.31830988618379067154 + nearest;
    dreal turns = shifted - nearest;
    dmask odd = dmask_of((dreal_bits(shifted) & 1) != 0);
    dreal r = ((angle - turns * pi_high) - turns * pi_middle) - turns * pi_low;
    dturn turn = dreal_quarter_turn(r * r);
    dmask moved = dmask_of(turns != 0);
    dreal sine =
        dreal_select(moved, turn.sine * r / dreal_select(moved, x, dreal_of(1)), turn.sine);
    return (dturn){dreal_select(odd, -turn.cosine, turn.cosine), dreal_select(odd, -sine, sine)};
}

/* From x^2. */
pm_fn dturn dreal_turn(dreal x2) {
    const double quarter2 = PM_HALF_PI * PM_HALF_PI;
    dturn turn = dreal_quarter_turn(x2);
    const dmask far = ~dmask_of(x2 <= quarter2);
    if (!dmask_any(far))
        return turn;
    const dturn many = dreal_many_turns(dreal_sqrt(x2));
    return (dturn){dreal_select(far, many.cosine, turn.cosine),
                   dreal_select(far, many.sine, turn.sine)};
}

/* Vectors and quaternions in lanes. */
typedef struct dvec3 {
    dreal x, y, z;
} dvec3;

typedef struct dquat {
    dreal x, y, z, w;
} dquat;

pm_fn dvec3 dvec3_none(void) {
    const dreal none = dreal_of(0);
    return (dvec3){none, none, none};
}

pm_fn dvec3 dvec3_sum(dvec3 a, dvec3 b) {
    return (dvec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

pm_fn dvec3 dvec3_difference(dvec3 a, dvec3 b) {
    return (dvec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

pm_fn dvec3 dvec3_scaled(dvec3 a, dreal s) {
    return (dvec3){a.x * s, a.y * s, a.z * s};
}

/* Scaled by the same number in all lanes. */
pm_fn dvec3 dvec3_times(dvec3 a, double s) {
    return (dvec3){a.x * s, a.y * s, a.z * s};
}

/* r a + s b */
pm_fn dvec3 dvec3_blend(double r, dvec3 a, double s, dvec3 b) {
    return (dvec3){r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z};
}

pm_fn dreal dvec3_dot(dvec3 a, dvec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

pm_fn dreal dvec3_norm(dvec3 a) {
    return dreal_sqrt(dvec3_dot(a, a));
}

pm_fn dvec3 dvec3_cross(dvec3 a, dvec3 b) {
    return (dvec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

pm_fn dvec3 dvec3_select(dmask mask, dvec3 yes, dvec3 no) {
    return (dvec3){dreal_select(mask, yes.x, no.x), dreal_select(mask, yes.y, no.y),
                   dreal_select(mask, yes.z, no.z)};
}

/* (v, w) */
pm_fn dquat dquat_of(dvec3 v, dreal w) {
    return (dquat){v.x, v.y, v.z, w};
}

pm_fn dquat dquat_of_vector(dvec3 v) {
    return dquat_of(v, dreal_of(0));
}

pm_fn dvec3 dquat_vector(dquat a) {
    return (dvec3){a.x, a.y, a.z};
}

pm_fn dquat dquat_sum(dquat a, dquat b) {
    return (dquat){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

pm_fn dquat dquat_difference(dquat a, dquat b) {
    return (dquat){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

pm_fn dquat dquat_scaled(dquat a, dreal s) {
    return (dquat){a.x * s, a.y * s, a.z * s, a.w * s};
}

pm_fn dreal dquat_dot(dquat a, dquat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

pm_fn dreal dquat_norm(dquat a) {
    return dreal_sqrt(dquat_dot(a, a));
}

pm_fn dquat dquat_unit(dquat a) {
    return dquat_scaled(a, 1 / dquat_norm(a));
}

pm_fn dquat dquat_product(dquat a, dquat b) {
    return (dquat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                   a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

pm_fn dquat dquat_times_vector(dquat q, dvec3 v) {
    return dquat_product(q, dquat_of_vector(v));
}

pm_fn dquat dquat_conjugate(dquat a) {
    return (dquat){-a.x, -a.y, -a.z, a.w};
}

pm_fn dquat dquat_select(dmask mask, dquat yes, dquat no) {
    return (dquat){dreal_select(mask, yes.x, no.x), dreal_select(mask, yes.y, no.y),
                   dreal_select(mask, yes.z, no.z), dreal_select(mask, yes.w, no.w)};
}

/* a, or -a where the mask is set */
pm_fn dquat dquat_flipped(dquat a, dmask mask) {
    return dquat_select(mask, (dquat){-a.x, -a.y, -a.z, -a.w}, a);
}

/* For a norm within 1e-3 of 1: without a root or a division. */
pm_fn dquat dquat_near_unit(dquat a) {
    return dquat_scaled(a, dreal_near_root(dquat_dot(a, a)));
}

/* The quaternion of a half-angle vector. */
pm_fn dquat dquat_exp(dvec3 v) {
    dturn turn = dreal_turn(dvec3_dot(v, v));
    return dquat_of(dvec3_scaled(v, turn.sine), turn.cosine);
}

/* The half-angle vector, at most pi/2 long, of a unit quaternion whose w is not negative but by
 * rounding. */
pm_fn dvec3 dquat_log(dquat q) {
    return dvec3_scaled(dquat_vector(q), dreal_arc(q.w));
}

pm_fn dvec3 dquat_rotate_back(dquat q, dvec3 v) {
    return dquat_vector(dquat_product(dquat_conjugate(q), dquat_product(dquat_of_vector(v), q)));
}

#endif
