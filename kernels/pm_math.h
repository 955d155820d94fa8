/* SPDX-License-Identifier: MIT
 *
 * Elementary functions as polynomials with float32 coefficients, so that every
 * device gives the same bits and none needs a range reduction: callers stay inside
 * the stated intervals. The coefficients come from tools/fit_polynomials.c; each
 * error is the one it prints, in exact arithmetic, before float rounding.
 */
#ifndef PM_MATH_H
#define PM_MATH_H

#include "pm_lang.h"

#define PM_STEP(sum, x, c) pm_fma(sum, x, PM_REAL(c))

/* One term, by Horner's rule, of a polynomial p in x whose terms are listed. */
#define PM_TERM(c) p = PM_STEP(p, x, c);

/* t^2 a2 with one rounding less: what rounds off t^2 is carried along. Angles near a
 * quarter turn are worth it, for half the rounding of x^2 is rounding of x. */
pm_fn real pm_square_times(real t, real a2) {
    real t2 = t * t;
    real rest = pm_fma(t, t, -t2);
    return pm_fma(t2, a2, rest * a2);
}

#define PM_SINC_LEAD 2.61059586e-06f
#define PM_SINC_TERMS(T) T(-0.000198119946f) T(0.0083331028f) T(-0.166666612f) T(1.0f)

/* sin(x)/x of x^2 in [0, (pi/2)^2]; error 5.24e-09. */
pm_fn real pm_sinc(real x) {
    real p = PM_REAL(PM_SINC_LEAD);
    PM_SINC_TERMS(PM_TERM)
    return p;
}

/* (cos x - 1 + x^2/2)/x^4 of x^2 in [0, (pi/2)^2]; error 1.24e-09. */
pm_fn real pm_cos_rest(real x2) {
    real p = PM_REAL(-2.67520079e-07f);
    p = PM_STEP(p, x2, 2.47943353e-05f);
    p = PM_STEP(p, x2, -0.00138889009f);
    return PM_STEP(p, x2, 0.0416666679f);
}

/* cos x of x^2 in [0, (pi/2)^2]. The terms up to x^2 keep what a polynomial to the end
 * would round off near a quarter turn, where cos x is small and they are not. */
pm_fn real pm_cos(real x2) {
    real start = pm_fma(PM_REAL(-0.5f), x2, PM_REAL(1.0f));
    return pm_fma(x2 * x2, pm_cos_rest(x2), start);
}

#define PM_ARC_GAIN_LEAD 5.93878746f
#define PM_ARC_GAIN_TERMS(T)                                                                       \
    T(-8.82682514f)                                                                                \
    T(6.95593548f)                                                                                 \
    T(-2.35126877f)                                                                                \
    T(1.01655877f) T(0.314446479f) T(0.464428633f) T(0.533052385f) T(0.666670382f) T(1.0f)

/* theta/sin(theta) of y = sin(theta/2)^2 in [0, 1/2], that is theta in [0, pi/2];
 * error 1.55e-08. It is asin(sqrt y)/sqrt(y (1 - y)): the one inverse sine that a slerp
 * needs, without its root, its quotient or a special case at 0. */
pm_fn real pm_arc_gain(real x) {
    real p = PM_REAL(PM_ARC_GAIN_LEAD);
    PM_ARC_GAIN_TERMS(PM_TERM)
    return p;
}

/* 1/sqrt(1 - z) of z in [0, 1/2]; error 1.01e-08. Exactly 1 at 0. */
pm_fn real pm_inverse_root(real z) {
    real p = PM_REAL(3.84582591f);
    p = PM_STEP(p, z, -5.70375299f);
    p = PM_STEP(p, z, 4.49669218f);
    p = PM_STEP(p, z, -1.51184523f);
    p = PM_STEP(p, z, 0.663377345f);
    p = PM_STEP(p, z, 0.214230478f);
    p = PM_STEP(p, z, 0.317189157f);
    p = PM_STEP(p, z, 0.374819398f);
    p = PM_STEP(p, z, 0.500002384f);
    return PM_STEP(p, z, 1.0f);
}

/* atan(x)/x of x^2 in [0, 1]; error 2.35e-09. */
pm_fn real pm_atan_ratio(real x2) {
    real p = PM_REAL(-0.00181865424f);
    p = PM_STEP(p, x2, 0.0110287555f);
    p = PM_STEP(p, x2, -0.0313941687f);
    p = PM_STEP(p, x2, 0.0581778735f);
    p = PM_STEP(p, x2, -0.0841645449f);
    p = PM_STEP(p, x2, 0.109566569f);
    p = PM_STEP(p, x2, -0.142650917f);
    p = PM_STEP(p, x2, 0.199986264f);
    p = PM_STEP(p, x2, -0.333333015f);
    return PM_STEP(p, x2, 1.0f);
}

/* atan2(y, x) of y >= 0, x >= 0, not both 0: in [0, pi/2]. */
pm_fn real pm_atan2_quadrant(real y, real x) {
    pm_mask steep = y > x;
    real t = pm_select(steep, x, y) / pm_select(steep, y, x);
    real angle = t * pm_atan_ratio(t * t);
    return pm_select(steep, PM_REAL(1.57079637f) - angle, angle);
}

/* cos x and sin(x)/x */
typedef struct pm_turn {
    real cosine, sine;
} pm_turn;

/* Of x^2 in [0, (pi/2)^2]. */
pm_fn pm_turn pm_turn_narrow(real x2) {
    pm_turn t;
    t.cosine = pm_cos(x2);
    t.sine = pm_sinc(x2);
    return t;
}

/* Of x^2 in [0, 1e8]: x less a whole number of half turns, in two parts of pi; what the
 * root rounded off is put back behind the subtraction, where it counts. */
pm_fn pm_turn pm_turn_wide(real x2) {
    pm_turn t;
    real x = pm_sqrt(x2);
    pm_mask still = x < PM_REAL(1e-9f);
    real divisor = pm_select(still, PM_REAL(1.0f), x);
    real rest = PM_REAL(0.5f) * pm_fma(-x, x, x2) / divisor;
    real turns = pm_floor(pm_fma(x, PM_REAL(0.318309886f), PM_REAL(0.5f)));
    real r = pm_fma(turns, PM_REAL(-3.14159274f), x);
    r = pm_fma(turns, PM_REAL(8.74227766e-08f), r) + rest;
    real odd = turns - PM_REAL(2.0f) * pm_floor(PM_REAL(0.5f) * turns);
    real sign = PM_REAL(1.0f) - PM_REAL(2.0f) * odd;
    pm_mask near = turns < PM_REAL(0.5f); /* nothing to take off: no detour by the root */
    real r2 = pm_select(near, x2, r * r);
    t.cosine = sign * pm_cos(r2);
    t.sine = sign * pm_sinc(r2) * pm_select(near, PM_REAL(1.0f), r / divisor);
    return t;
}

/* Of x^2 in [0, 1e8], most often in [0, (pi/2)^2]: what is farther is seen to where there
 * is any. */
pm_fn pm_turn pm_turn_of(real x2) {
    pm_turn t = pm_turn_narrow(x2);
    pm_mask far = x2 > PM_REAL(2.46740127f);
    if (pm_any(far)) {
        pm_turn wide = pm_turn_wide(x2);
        t.cosine = pm_select(far, wide.cosine, t.cosine);
        t.sine = pm_select(far, wide.sine, t.sine);
    }
    return t;
}

#endif
