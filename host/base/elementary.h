/* SPDX-License-Identifier: MIT
 *
 * Elementary functions with the same bits on every system: libraries of C differ in their last bit. Results
 * are within 0.6 of a unit in the last place, and the nearest number but for one of two hundred.
 * What motion files hold is computed by these and by what IEEE 754 rounds.
 */
#pragma once

/* As of <math.h>, in radians. */
double pm_same_sin(double x);
double pm_same_cos(double x);
double pm_same_asin(double x);
double pm_same_acos(double x);
double pm_same_atan2(double y, double x);
double pm_same_hypot(double x, double y);

/* What is left of `a` by a quotient a / b that was rounded; neither overflows. */
double pm_division_rest(double a, double quotient, double b);

double pm_inverse_cbrt(double x); /* of a normal number above 0; within 3 units */

/* floor(log10(x)) of a finite number above 0, where one within 5e-15 of a power of ten, relative to it, is that power; and the
 * number nearest to a power. */
int pm_decimal_exponent(double x);
double pm_power_of_ten(int exponent);
