/* SPDX-License-Identifier: MIT
 *
 * Calculus of rotation vectors.
 */
#include "rotation_vector.h"

/* Below this the closed forms cancel more than their series leave out. */
static const double small = 1e-2;

/* (1 - cos x)/x^2 and its derivative over x */
static double a_of(double x) {
    double s = x > 0 ? sin(x / 2) / x : 0.5;
    return 2 * s * s;
}

static double a_slope(double x) {
    double x2 = x * x;
    if (x < small)
        return -1.0 / 12 + x2 / 180 - x2 * x2 / 6720;
    return (sin(x) - 2 * x * a_of(x)) / (x2 * x);
}

/* (x - sin x)/x^3 and its derivative over x */
static double b_of(double x) {
    double x2 = x * x;
    if (x < small)
        return 1.0 / 6 - x2 / 120 + x2 * x2 / 5040;
    return (x - sin(x)) / (x2 * x);
}

static double b_slope(double x) {
    double x2 = x * x;
    if (x < small)
        return -1.0 / 60 + x2 / 1260 - x2 * x2 / 60480;
    return (a_of(x) - 3 * b_of(x)) / x2;
}

/* (1 - (x/2) cot(x/2))/x^2 */
static double k_of(double x) {
    double x2 = x * x;
    if (x < small)
        return 1.0 / 12 + x2 / 720 + x2 * x2 / 30240;
    return (1 - x / 2 * cos(x / 2) / sin(x / 2)) / x2;
}

dvec3 pm_jr(dvec3 rho, dvec3 rate) {
    double x = sqrt(dvec3_dot(rho, rho));
    dvec3 once = dvec3_cross(rho, rate);
    dvec3 twice = dvec3_cross(rho, once);
    return dvec3_blend(1, rate, 1, dvec3_blend(-a_of(x), once, b_of(x), twice));
}

dvec3 pm_jr_inverse(dvec3 rho, dvec3 velocity) {
    double x = sqrt(dvec3_dot(rho, rho));
    dvec3 once = dvec3_cross(rho, velocity);
    dvec3 twice = dvec3_cross(rho, once);
    return dvec3_blend(1, velocity, 1, dvec3_blend(0.5, once, k_of(x), twice));
}

dvec3 pm_jr_rate(dvec3 rho, dvec3 rate) {
    double x = sqrt(dvec3_dot(rho, rho));
    double along = dvec3_dot(rho, rate); /* x times the rate of x */
    dvec3 once = dvec3_cross(rho, rate);
    dvec3 twice = dvec3_cross(rho, once);
    dvec3 turned = dvec3_cross(rate, once);
    dvec3 sum = dvec3_blend(-a_slope(x) * along, once, b_slope(x) * along, twice);
    return dvec3_blend(1, sum, b_of(x), turned);
}
