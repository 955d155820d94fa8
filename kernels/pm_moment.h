/* SPDX-License-Identifier: MIT
 *
 * Moments: what the samples of all segments at the same u have in common. A moment is an array of
 * pm_m_moments numbers that the method's pm_m_moment computes from u alone, mostly coefficients of
 * polynomials in a number of the segment. Readers compute it once for all tracks of a sample, if
 * they share a timeline.
 */
#ifndef PM_MOMENT_H
#define PM_MOMENT_H

#include "pm_math.h"
#include "pm_quat.h"

/* Of methods that need nothing but u */
#define PM_MOMENT_IS_U(name)                                                                       \
    pm_fn void pm_##name##_moment(real u, real *moment) {                                          \
        moment[0] = u;                                                                             \
    }

/* ---- sine and cosine of multiples of an angle ----
 *
 * Polynomials in x^2 whose coefficients depend on the multiple t; x is within a quarter turn, and t
 * in [-1, 1]. */

#define PM_SINE_TERMS 5
#define PM_COSINE_TERMS 5

pm_fn void pm_terms_scaled(real *terms, float c1, float c2, float c3, float c4) {
    terms[1] = PM_REAL(c1) * terms[1];
    terms[2] = PM_REAL(c2) * terms[2];
    terms[3] = PM_REAL(c3) * terms[3];
    terms[4] = PM_REAL(c4) * terms[4];
}

/* Of sin(t x)/x: the coefficients of x^0 to x^8, those of pm_sinc times odd powers of t. */
pm_fn void pm_sine_terms(real t, real *terms) {
    real t2 = t * t;
    terms[0] = t;
    terms[1] = t2 * t;
    terms[2] = terms[1] * t2;
    terms[3] = terms[2] * t2;
    terms[4] = terms[3] * t2;
    PM_SINC(pm_terms_scaled, terms);
}

/* sin(t x)/x, from x^2 and x^4 */
pm_fn real pm_sine_of(const real *terms, real x2, real x4) {
    real low = pm_fma(x2, terms[1], terms[0]);
    real high = pm_fma(x4, terms[4], pm_fma(x2, terms[3], terms[2]));
    return pm_fma(x4, high, low);
}

/* Of cos(t x) - 1: the coefficients of x^2 to x^10, those of pm_cos times even powers of t. */
pm_fn void pm_cosine_terms(real t, real *terms) {
    real t2 = t * t;
    terms[0] = PM_REAL(-0.5f) * t2;
    terms[1] = t2 * t2;
    terms[2] = terms[1] * t2;
    terms[3] = terms[1] * terms[1];
    terms[4] = terms[3] * t2;
    PM_COS_REST(pm_terms_scaled, terms);
}

/* cos(t x), from x^2 and x^4. The first two terms are summed apart, as in pm_cos. */
pm_fn real pm_cosine_of(const real *terms, real x2, real x4) {
    real low = pm_fma(x2, terms[0], PM_REAL(1.0f));
    real middle = pm_fma(x2, terms[2], terms[1]);
    real high = pm_fma(x2, terms[4], terms[3]);
    return pm_fma(x4, pm_fma(x4, high, middle), low);
}

/* Of cos(t x) - cos(x), where t = 2 u - 1: the coefficients of x^2 to x^10, those of pm_cos times
 * t^2 - 1, t^4 - 1 and so on. Their common factor t^2 - 1 does not cancel as -4 u (1 - u). */
pm_fn void pm_cosine_difference_terms(real u, real *terms) {
    real t = pm_fma(PM_REAL(2.0f), u, PM_REAL(-1.0f)), t2 = t * t, t4 = t2 * t2;
    real one = PM_REAL(1.0f);
    real factor = PM_REAL(-4.0f) * u * (one - u);
    real sum2 = one + t2, sum6 = sum2 * (one + t4);
    terms[0] = PM_REAL(-0.5f) * factor;
    terms[1] = factor * sum2;
    terms[2] = factor * (sum2 + t4);
    terms[3] = factor * sum6;
    terms[4] = factor * pm_fma(t4, t4, sum6);
    PM_COS_REST(pm_terms_scaled, terms);
}

/* cos(t x) - cos(x), from x^2 and x^4 */
pm_fn real pm_cosine_difference_of(const real *terms, real x2, real x4) {
    real high = pm_fma(x4, terms[4], pm_fma(x2, terms[3], terms[2]));
    return x2 * pm_fma(x4, high, pm_fma(x2, terms[1], terms[0]));
}

/* ---- slerp as a point of the chord ----
 *
 * The slerp of two unit quaternions by h has the direction of the point at r of their chord,
 *   r = (1 - tan(s phi)/tan(phi))/2,  s = 1 - 2 h,
 * for a squared chord x = 4 sin(phi)^2 of at most 2. r is h and a correction of at most 1/30, so it
 * loses hardly any digit of x. The correction is x s (1 - s^2)/2 Q(x, s^2); Q is a polynomial that
 * tools/fit_polynomials.c computes, with an error of r of 1.85e-8. */

#define PM_CROSSING_TERMS 8

/* Coefficients of r as a polynomial in x */
pm_fn void pm_crossing_terms(real h, real *terms) {
    real one = PM_REAL(1.0f);
    real s = pm_fma(PM_REAL(-2.0f), h, one), s2 = s * s;
    real factor = PM_REAL(2.0f) * s * (h * (one - h)); /* s (1 - s^2)/2 */
    real q2 = pm_fma(PM_REAL(0.00093489443f), s2, PM_REAL(0.00164278527f));
    real q3 = pm_fma(PM_REAL(-2.40409972e-05f), s2, PM_REAL(4.53404173e-05f));
    real q4 = pm_fma(PM_REAL(5.19965797e-05f), s2, PM_REAL(0.000201729243f));
    real q5 = pm_fma(PM_REAL(7.10145014e-06f), s2, PM_REAL(-7.66987287e-05f));
    real q6 = pm_fma(PM_REAL(2.9367111e-05f), s2, PM_REAL(7.75859917e-06f));
    q3 = pm_fma(q3, s2, PM_REAL(0.000106396314f));
    q4 = pm_fma(q4, s2, PM_REAL(0.000199726477f));
    q5 = pm_fma(q5, s2, PM_REAL(-5.58054089e-05f));
    q6 = pm_fma(q6, s2, PM_REAL(2.30478454e-05f));
    q4 = pm_fma(q4, s2, PM_REAL(0.000224709525f));
    q5 = pm_fma(q5, s2, PM_REAL(-6.76165146e-05f));
    q6 = pm_fma(q6, s2, PM_REAL(1.9672776e-05f));
    q5 = pm_fma(q5, s2, PM_REAL(-7.25557984e-05f));
    terms[0] = h;
    terms[1] = factor * PM_REAL(0.0833360106f);
    terms[2] = factor * pm_fma(PM_REAL(0.00830148254f), s2, PM_REAL(0.00831555482f));
    terms[3] = factor * pm_fma(q2, s2, PM_REAL(0.00125109276f));
    terms[4] = factor * pm_fma(q3, s2, PM_REAL(9.22157924e-05f));
    terms[5] = factor * pm_fma(q4, s2, PM_REAL(0.000134416856f));
    terms[6] = factor * pm_fma(q5, s2, PM_REAL(-4.05207902e-05f));
    terms[7] = factor * pm_fma(q6, s2, PM_REAL(1.15247158e-05f));
}

/* r from the squared chord */
pm_fn real pm_crossing_of(const real *terms, real x) {
    real x2 = x * x;
    real low = pm_fma(x, terms[2], terms[1]);
    real middle = pm_fma(x, terms[4], terms[3]);
    real high = pm_fma(x2, terms[7], pm_fma(x, terms[6], terms[5]));
    return pm_fma(x, pm_fma(x2, pm_fma(x2, high, middle), low), terms[0]);
}

/* The moment of methods that slerp between two points by a weight which depends on u: u, and the
 * coefficients, of which the first is the weight itself. */
#define PM_CROSSING 1
#define PM_CROSSING_MOMENTS (PM_CROSSING + PM_CROSSING_TERMS)
#define PM_CROSSING_MOMENT(name, weight)                                                           \
    pm_fn void pm_##name##_moment(real u, real *moment) {                                          \
        moment[0] = u;                                                                             \
        pm_crossing_terms(weight(u), moment + PM_CROSSING);                                        \
    }

/* Unit length, for lengths whose square is between 1/2 and 1. */
pm_fn pm_quat pm_chord_normalized(pm_quat a) {
    return pm_quat_scaled(a, pm_inverse_root(PM_REAL(1.0f) - pm_quat_norm2(a)));
}

#endif
