/* SPDX-License-Identifier: MIT
 *
 * Calculus of q exp(rho/2), where rho is a full-angle rotation vector of length at most pi:
 * the right Jacobian of the rotation group, its inverse and its derivative, in lanes. Their
 * scalar factors are power series in x^2, x = |rho|, and computed as polynomials, without a
 * special case at 0 or cancellation near it. Coefficients: tests/kernels/fit_polynomials.py, on [0, 10].
 */
#ifndef PM_ROTATION_VECTOR_H
#define PM_ROTATION_VECTOR_H

#include "pm_double.h"

/* (1 - cos x)/x^2; error 1.1e-16. */
pm_fn dreal pm_jr_a(dreal x2) {
    PM_TERMS terms[] = {-3.6878907567645532e-19, 1.5530986877948343e-16,
                        -4.7784482876593244e-14, 1.1470672802540987e-11,
                        -2.0876753794998424e-09, 2.7557319138641564e-07,
                        -2.4801587300276135e-05, 0.0013888888888878655,
                        -0.041666666666666359,   0.5};
    return PM_POLYNOMIAL(terms, x2);
}

/* (x - sin x)/x^3; error 1.4e-15. */
pm_fn dreal pm_jr_b(dreal x2) {
    PM_TERMS terms[] = {7.3840534097864842e-18,  -2.7960396330008604e-15, 7.6456179579890795e-13,
                        -1.6058953189463782e-10, 2.5052105257176274e-08,  -2.7557319163276686e-06,
                        0.00019841269840679228,  -0.0083333333333311197,  0.16666666666666652};
    return PM_POLYNOMIAL(terms, x2);
}

/* (1 - (x/2) cot(x/2))/x^2; error 2.3e-15. */
pm_fn dreal pm_jr_k(dreal x2) {
    PM_TERMS terms[] = {2.202090359496234e-20,  -5.6200846002927166e-19, 1.8964366628087699e-17,
                        5.9841857404774394e-17, 9.7988423845748932e-15,  3.3266752685012668e-13,
                        1.3404698294605887e-11, 5.2836717754087513e-10,  2.0876834366729935e-08,
                        8.2671950828990009e-07, 3.3068783100105855e-05,  0.0013888888888832743,
                        0.083333333333333495};
    return PM_POLYNOMIAL(terms, x2);
}

/* The derivative of pm_jr_a by x, over x; error 3.2e-15. */
pm_fn dreal pm_jr_a_slope(dreal x2) {
    PM_TERMS terms[] = {-6.6383677908144784e-18, 2.4850651259547521e-15,  -6.6898639215154102e-13,
                        1.3764812367013008e-10,  -2.0876754146008873e-08, 2.2045855324038573e-06,
                        -0.00014880952380415854, 0.0055555555555535452,   -0.083333333333333204};
    return PM_POLYNOMIAL(terms, x2);
}

/* The derivative of pm_jr_b by x, over x; error 6.9e-16. */
pm_fn dreal pm_jr_b_slope(dreal x2) {
    PM_TERMS terms[] = {-3.1912360313820406e-19, 1.3091773160607525e-16,  -3.9354257454030921e-14,
                        9.1765604347222706e-12,  -1.6059042592663269e-09, 2.0041686684204694e-07,
                        -1.6534391534156579e-05, 0.00079365079365070561,  -0.016666666666666663};
    return PM_POLYNOMIAL(terms, x2);
}

/* Jr^-1 velocity, the rate of change of the rotation vector for an angular velocity in the body
 * frame: Jr^-1 = I + [rho]x/2 + k [rho]x^2. */
pm_fn dvec3 pm_jr_inverse(dvec3 rho, dvec3 velocity) {
    dvec3 once = dvec3_cross(rho, velocity);
    dvec3 twice = dvec3_cross(rho, once);
    dvec3 turned =
        dvec3_sum(dvec3_times(once, 0.5), dvec3_scaled(twice, pm_jr_k(dvec3_dot(rho, rho))));
    return dvec3_sum(velocity, turned);
}

#endif
