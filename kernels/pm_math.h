/* SPDX-License-Identifier: MIT
 *
 * Elementary functions as polynomials with float32 coefficients, so that every device gives
 * the same bits. The polynomials need no range reduction: callers stay within the stated
 * intervals. tests/kernels/fit_polynomials.py computes the coefficients; each stated error is the one
 * that it prints, in exact arithmetic, before float rounding.
 */
#ifndef PM_MATH_H
#define PM_MATH_H

#include "pm_lang.h"

/* c0 + c1 x + c2 x^2 + c3 x^3. This and the longer polynomials below use Estrin's scheme: one or
 * two products more than Horner's rule, but a shorter chain of dependent operations, which
 * determines the time. */
pm_fn real pm_cubic(real x, float c0, float c1, float c2, float c3) {
    real low = pm_fma(x, PM_REAL(c1), PM_REAL(c0));
    real high = pm_fma(x, PM_REAL(c3), PM_REAL(c2));
    return pm_fma(x * x, high, low);
}

/* 1 + c1 x + ... + c4 x^4; the last step rounds as in Horner's rule. */
pm_fn real pm_quartic_from_1(real x, float c1, float c2, float c3, float c4) {
    return pm_fma(x, pm_cubic(x, c1, c2, c3, c4), PM_REAL(1.0f));
}

/* 1 + c1 x + ... + c9 x^9 */
pm_fn real pm_nonic_from_1(real x, float c1, float c2, float c3, float c4, float c5, float c6,
                           float c7, float c8, float c9) {
    real x4 = (x * x) * (x * x);
    real high = pm_fma(x4, PM_REAL(c9), pm_cubic(x, c5, c6, c7, c8));
    return pm_fma(x, pm_fma(x4, high, pm_cubic(x, c1, c2, c3, c4)), PM_REAL(1.0f));
}

/* t^2 a2 with one rounding less: the rounding error of t^2 is carried along. This matters for
 * angles near a quarter turn, because half the rounding error of x^2 is rounding error of x. */
pm_fn real pm_square_times(real t, real a2) {
    real t2 = t * t;
    real rest = pm_fma(t, t, -t2);
    return pm_fma(t2, a2, rest * a2);
}

#define PM_SINC(polynomial, x)                                                                     \
    polynomial(x, -0.166666612f, 0.0083331028f, -0.000198119946f, 2.61059586e-06f)

/* sin(x)/x for x^2 in [0, (pi/2)^2]; error 5.24e-09. */
pm_fn real pm_sinc(real x2) {
    return PM_SINC(pm_quartic_from_1, x2);
}

#define PM_COS_REST(polynomial, x)                                                                 \
    polynomial(x, 0.0416666679f, -0.00138889009f, 2.47943353e-05f, -2.67520079e-07f)

/* (cos x - 1 + x^2/2)/x^4 for x^2 in [0, (pi/2)^2]; error 1.24e-09. */
pm_fn real pm_cos_rest(real x2) {
    return PM_COS_REST(pm_cubic, x2);
}

/* cos x for x^2 in [0, (pi/2)^2]. The terms up to x^2 are summed separately: near a quarter turn
 * cos x is small and these terms are not, and a single polynomial would lose digits to
 * rounding. */
pm_fn real pm_cos(real x2) {
    real start = pm_fma(PM_REAL(-0.5f), x2, PM_REAL(1.0f));
    return pm_fma(x2 * x2, pm_cos_rest(x2), start);
}

#define PM_ARC_GAIN(polynomial, x)                                                                 \
    polynomial(x, 0.166667596f, 0.0333157741f, 0.0072566974f, 0.00122830656f, 0.00099273317f,      \
               -0.000574040227f, 0.000424556609f, -0.000134686663f, 2.26546763e-05f)

/* theta/sin(theta) for x = 4 sin(theta/2)^2 in [0, 2], the squared chord of theta in
 * [0, pi/2]; error 1.55e-08. This replaces the inverse sine of a slerp, without a root, a
 * quotient or a special case at 0. */
pm_fn real pm_arc_gain(real x) {
    return PM_ARC_GAIN(pm_nonic_from_1, x);
}

/* x/sin(x) for x^2 in [0, (pi/2)^2]; error 1.15e-10. */
pm_fn real pm_cosecant(real x2) {
    return pm_nonic_from_1(x2, 0.166666672f, 0.0194443762f, 0.00205058581f, 0.000209250255f,
                           2.22803665e-05f, 1.44538137e-06f, 5.45264584e-07f, -6.18711979e-08f,
                           1.25930377e-08f);
}

/* 1/sqrt(1 - z) for z in [0, 1/2]; error 1.01e-08. Exactly 1 at 0. */
pm_fn real pm_inverse_root(real z) {
    return pm_nonic_from_1(z, 0.500002384f, 0.374819398f, 0.317189157f, 0.214230478f, 0.663377345f,
                           -1.51184523f, 4.49669218f, -5.70375299f, 3.84582591f);
}

/* ---- correctly rounded roots and quotients -----------------------------------------------
 *
 * Drivers of GPUs compute sqrt and division by approximations unless they are told otherwise, some
 * even then. There, frequent paths compute them from fma, whose bits are those of IEEE 754: a Newton
 * iteration and a correction of the last bit. test_exact_arithmetic compares every mantissa. CPUs
 * have instructions for both, which are faster. The initial approximations subtract the exponent in
 * integers; the constants of the first are by Kadlec, with an error of 6.5e-4. */

/* 1: pm_exact_root and pm_exact_inverse use fma. */
#ifndef PM_EXACT_BY_FMA
#if defined(PM_OPENCL)
#define PM_EXACT_BY_FMA 1
#else
#define PM_EXACT_BY_FMA 0
#endif
#endif

/* sqrt(a) for a in [2^-100, 2^100]. The last step is Tuckerman's test: the root is s unless the
 * product of s and its lower neighbour is at least a, or that with its upper neighbour below a. */
pm_fn real pm_fma_root(real a) {
    real y = pm_real_of(PM_BITS(0x5f1ffff9) - (pm_bits_of(a) >> 1));
    y = y * (PM_REAL(0.703952253f) * pm_fma(-(a * y), y, PM_REAL(2.38924456f)));
    real s = a * y, half_inverse = PM_REAL(0.5f) * y;
    real rest = pm_fma(-s, half_inverse, PM_REAL(0.5f));
    s = pm_fma(s, rest, s);
    half_inverse = pm_fma(half_inverse, rest, half_inverse);
    s = pm_fma(pm_fma(-s, s, a), half_inverse, s);
    real below = pm_real_of(pm_bits_of(s) - PM_BITS(1));
    real above = pm_real_of(pm_bits_of(s) + PM_BITS(1));
    real least = pm_select(pm_fma(-below, s, a) <= PM_REAL(0.0f), below, s);
    return pm_select(pm_fma(-above, s, a) > PM_REAL(0.0f), above, least);
}

/* 1/a for a in [2^-100, 2^100]. The iteration is exact but for the mantissa of all ones, where it
 * meets a tie. */
pm_fn real pm_fma_inverse(real a) {
    real one = PM_REAL(1.0f);
    real y = pm_real_of(PM_BITS(0x7ef311c7) - pm_bits_of(a));
    y = pm_fma(y, pm_fma(-a, y, one), y);
    y = pm_fma(y, pm_fma(-a, y, one), y);
    y = pm_fma(y, pm_fma(-a, y, one), y);
    y = pm_fma(y, pm_fma(-a, y, one), y);
    pm_mask ones = (pm_bits_of(a) & PM_BITS(0x7fffff)) == PM_BITS(0x7fffff);
    return pm_select(ones, pm_real_of(pm_bits_of(y) + PM_BITS(1)), y);
}

pm_fn real pm_exact_root(real a) {
    return PM_EXACT_BY_FMA ? pm_fma_root(a) : pm_sqrt(a);
}

pm_fn real pm_exact_inverse(real a) {
    return PM_EXACT_BY_FMA ? pm_fma_inverse(a) : PM_REAL(1.0f) / a;
}

/* Within the limits of pm_exact_root and pm_exact_inverse; the least for NaN. */
pm_fn real pm_limited(real a) {
    real least = PM_REAL(0x1p-100f), most = PM_REAL(0x1p100f);
    return pm_select(a >= least, pm_select(a > most, most, a), least);
}

pm_fn real pm_root_of(real a) {
    return pm_exact_root(pm_limited(a));
}

/* a / b for b > 0 */
pm_fn real pm_part_of(real a, real b) {
    return a * pm_exact_inverse(pm_limited(b));
}

pm_fn real pm_least_of(real a, real b) {
    return pm_select(b < a, b, a);
}

pm_fn real pm_most_of(real a, real b) {
    return pm_select(b > a, b, a);
}

/* atan(x)/x for x^2 in [0, 1]; error 2.35e-09. */
pm_fn real pm_atan_ratio(real x2) {
    return pm_nonic_from_1(x2, -0.333333015f, 0.199986264f, -0.142650917f, 0.109566569f,
                           -0.0841645449f, 0.0581778735f, -0.0313941687f, 0.0110287555f,
                           -0.00181865424f);
}

/* atan2(y, x) for y >= 0 and x >= 0, not both 0; the result is in [0, pi/2]. */
pm_fn real pm_atan2_quadrant(real y, real x) {
    pm_mask steep = y > x;
    real t = pm_select(steep, x, y) / pm_select(steep, y, x);
    real angle = t * pm_atan_ratio(t * t);
    return pm_select(steep, PM_REAL(1.57079637f) - angle, angle);
}

/* cos x and sin(x)/x */
typedef struct pm_cos_sinc {
    real cosine, sinc;
} pm_cos_sinc;

/* For x^2 in [0, (pi/2)^2]. */
pm_fn pm_cos_sinc pm_cos_sinc_narrow(real x2) {
    pm_cos_sinc t;
    t.cosine = pm_cos(x2);
    t.sinc = pm_sinc(x2);
    return t;
}

/* 1 for even numbers, -1 for odd ones */
pm_fn real pm_sign_of_parity(real number) {
    real odd = number - PM_REAL(2.0f) * pm_floor(PM_REAL(0.5f) * number);
    return PM_REAL(1.0f) - PM_REAL(2.0f) * odd;
}

/* For x^2 in [0, 1e8]. A whole number of half turns is subtracted from x, with pi in two parts.
 * The rounding error of the root is added after the subtraction, where it matters. */
pm_fn pm_cos_sinc pm_cos_sinc_wide(real x2) {
    pm_cos_sinc t;
    real x = pm_sqrt(x2);
    pm_mask is_zero = x < PM_REAL(1e-9f);
    real divisor = pm_select(is_zero, PM_REAL(1.0f), x);
    real rest = PM_REAL(0.5f) * pm_fma(-x, x, x2) / divisor;
    real turns = pm_floor(pm_fma(x, PM_REAL(0.318309886f), PM_REAL(0.5f)));
    real r = pm_fma(turns, PM_REAL(-3.14159274f), x);
    r = pm_fma(turns, PM_REAL(8.74227766e-08f), r) + rest;
    real sign = pm_sign_of_parity(turns);
    pm_mask near = turns < PM_REAL(0.5f); /* nothing to subtract: x^2 is used without the root */
    real r2 = pm_select(near, x2, r * r);
    t.cosine = sign * pm_cos(r2);
    t.sinc = sign * pm_sinc(r2) * pm_select(near, PM_REAL(1.0f), r / divisor);
    return t;
}

#define PM_COS_SINC_NARROW_END PM_REAL(2.46740127f) /* (pi/2)^2 */

/* For x^2 in [0, 1e8]. */
pm_fn pm_cos_sinc pm_cos_sinc_of(real x2) {
    pm_cos_sinc t = pm_cos_sinc_narrow(x2);
    pm_mask far = x2 > PM_COS_SINC_NARROW_END;
    if (pm_any(far)) {
        pm_cos_sinc wide = pm_cos_sinc_wide(x2);
        t.cosine = pm_select(far, wide.cosine, t.cosine);
        t.sinc = pm_select(far, wide.sinc, t.sinc);
    }
    return t;
}

typedef struct pm_cos_sin {
    real cosine, sine;
} pm_cos_sin;

/* -a where bit 1 of a number is set. */
pm_fn real pm_negated_if(pm_mask number, real a) {
    return pm_real_of(pm_bits_of(a) ^ pm_sign_bit(number >> 1));
}

/* For |x| up to 1e4, off by at most 1e-7 of a radian. The square of x would lose the digits that
 * whole turns leave, so that the nearest whole number of quarter turns is subtracted first. */
pm_fn pm_cos_sin pm_cos_sin_of(real x) {
    pm_cos_sin t;
    real quarters = pm_floor(pm_fma(x, PM_REAL(0.636619772f), PM_REAL(0.5f)));
    real r = pm_fma(quarters, PM_REAL(-1.57079637f), x);
    r = pm_fma(quarters, PM_REAL(4.37113883e-08f), r);
    pm_cos_sinc of = pm_cos_sinc_narrow(r * r);
    real sine = r * of.sinc;
    /* Its lowest bits are those of the sum's, for numbers up to 2^22. Conversions of larger ones differ. */
    pm_mask number = pm_bits_of(quarters + PM_REAL(12582912.0f)); /* 1.5 2^23 */
    pm_mask odd = (number & PM_BITS(1)) != PM_BITS(0);
    t.cosine = pm_negated_if(number + PM_BITS(1), pm_select(odd, sine, of.cosine));
    t.sine = pm_negated_if(number, pm_select(odd, of.cosine, sine));
    return t;
}

#endif
