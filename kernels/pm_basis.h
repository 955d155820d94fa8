/* SPDX-License-Identifier: MIT
 *
 * Bases: the functions of u alone that a method's values are made of, mostly coefficients of
 * polynomials in a number of the segment. pm_m_basis evaluates pm_m_basis_size of them into an array.
 * All tracks that share a timeline have the same, so readers evaluate them once for a sample.
 */
#ifndef PM_BASIS_H
#define PM_BASIS_H

#include "pm_math.h"
#include "pm_quat.h"

/* The basis of methods that need nothing but u */
#define PM_BASIS_IS_U(name)                                                                        \
    pm_fn void pm_##name##_basis(real u, real *basis) {                                            \
        basis[0] = u;                                                                              \
    }

/* u in [0, 1] to t in [-1, 1] */
pm_fn real pm_centred(real u) {
    return pm_fma(PM_REAL(2.0f), u, PM_REAL(-1.0f));
}

/* ---- sine and cosine of multiples of an angle ----
 *
 * Polynomials in x^2 whose coefficients depend on the multiple t; x is within a quarter turn, and t
 * in [-1, 1]. */

#define PM_SINE_TERMS 5
#define PM_COSINE_TERMS 5

/* terms[0] + terms[1] x + ... + terms[4] x^4, from x and its square */
pm_fn real pm_quartic_of(const real *terms, real x, real x_squared) {
    real low = pm_fma(x, terms[1], terms[0]);
    real high = pm_fma(x_squared, terms[4], pm_fma(x, terms[3], terms[2]));
    return pm_fma(x_squared, high, low);
}

pm_fn void pm_terms_scaled(real *terms, float c1, float c2, float c3, float c4) {
    terms[1] = PM_REAL(c1) * terms[1];
    terms[2] = PM_REAL(c2) * terms[2];
    terms[3] = PM_REAL(c3) * terms[3];
    terms[4] = PM_REAL(c4) * terms[4];
}

/* Coefficients of sin(t x)/x, a quartic in x^2: those of pm_sinc times odd powers of t. */
pm_fn void pm_sine_terms(real t, real *terms) {
    real t2 = t * t;
    terms[0] = t;
    terms[1] = t2 * t;
    terms[2] = terms[1] * t2;
    terms[3] = terms[2] * t2;
    terms[4] = terms[3] * t2;
    PM_SINC(pm_terms_scaled, terms);
}

/* Coefficients of x^2 to x^10 in cos(t x): those of pm_cos times even powers of t. */
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

/* Coefficients of (cos(t x) - cos(x))/x^2, a quartic in x^2, where t = 2 u - 1: those of pm_cos times
 * t^2 - 1, t^4 - 1 and so on. Their common factor t^2 - 1 does not cancel as -4 u (1 - u). */
pm_fn void pm_cosine_difference_terms(real u, real *terms) {
    real t = pm_centred(u), t2 = t * t, t4 = t2 * t2;
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

/* ---- slerp as a point of the chord ----
 *
 * The slerp of two unit quaternions by h has the direction of the point at r of their chord,
 *   r = (1 - tan(s phi)/tan(phi))/2,  s = 1 - 2 h,
 * for a squared chord x = 4 sin(phi)^2 of at most 2. r is h and a correction of at most 1/30, so it
 * loses hardly any digit of x. The correction is x s (1 - s^2)/2 Q(x, s^2); Q is a polynomial that
 * tests/kernels/fit_polynomials.py computes, with an error of r of 1.85e-8. */

#define PM_CHORD_TERMS 8

/* The largest x for which r, and pm_arc_of, are valid: that of a quarter turn, plus rounding. */
#define PM_MAX_CHORD2 PM_REAL(2.000004f)

/* Coefficients of r as a polynomial in x */
pm_fn void pm_chord_terms(real h, real *terms) {
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
pm_fn real pm_chord_parameter(const real *terms, real x) {
    real x2 = x * x;
    real low = pm_fma(x, terms[2], terms[1]);
    real middle = pm_fma(x, terms[4], terms[3]);
    real high = pm_fma(x2, terms[7], pm_fma(x, terms[6], terms[5]));
    return pm_fma(x, pm_fma(x2, pm_fma(x2, high, middle), low), terms[0]);
}

/* The basis of methods that need u itself and slerp by a weight: u, and the coefficients, of which the
 * first is the weight. */
#define PM_CHORD 1
#define PM_CHORD_BASIS_SIZE (PM_CHORD + PM_CHORD_TERMS)
#define PM_CHORD_BASIS(name, weight)                                                               \
    pm_fn void pm_##name##_basis(real u, real *basis) {                                            \
        basis[0] = u;                                                                              \
        pm_chord_terms(weight(u), basis + PM_CHORD);                                               \
    }

/* Unit length, for lengths whose square is between 1/2 and 1. */
pm_fn pm_quat pm_chord_normalized(pm_quat a) {
    return pm_quat_scaled(a, pm_inverse_root(PM_REAL(1.0f) - pm_quat_norm2(a)));
}

#endif
