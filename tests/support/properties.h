/* SPDX-License-Identifier: MIT
 *
 * Properties that a curve has in any implementation, each as a function that measures the
 * violation: the largest error over 40 seeded random tracks, in radians. Infinite when the
 * implementation failed to sample. Nothing is compared with the oracle.
 */
#ifndef POSEMILL_TESTS_PROPERTIES_H
#define POSEMILL_TESTS_PROPERTIES_H

#include "implementation.h"
#include "variants.h"

double property_keys(const implementation *s, const variant *v);     /* stored keys, bit for bit */
double property_norm(const implementation *s, const variant *v);     /* | |q| - 1 | */
double property_left(const implementation *s, const variant *v);     /* p r(q) = r(p q) */
double property_time(const implementation *s, const variant *v);     /* t -> 3t - 7 */
double property_signs(const implementation *s, const variant *v);    /* bit for bit */
double property_reversal(const implementation *s, const variant *v); /* reversed keys and time */
double property_steady(const implementation *s, const variant *v);   /* constant velocity */
double property_still(const implementation *s, const variant *v);    /* between equal keys */
double property_even_speed(const implementation *s, const variant *v); /* within a segment */
double property_velocity(const implementation *s, const variant *v);   /* jump at keys, rad/s */
double property_period(const implementation *s, const variant *v); /* lap to lap, and its sign */

/* r(q) p = r(q p), with the axis fixed or rotated too. */
double property_right(const implementation *s, const variant *v, bool turn_axis);

/* Moves key i. Returns the largest change outside segments i-2 .. i+1, and in *inside the smallest
 * change of those four. */
double property_locality(const implementation *s, const variant *v, double *inside);

#endif
