/* SPDX-License-Identifier: MIT
 *
 * What must be true of a curve whoever computes it, each as a function that
 * measures by how much it is not: the worst error over 40 seeded random tracks, in
 * radians. Infinite when the subject failed to sample. No oracle is compared with.
 */
#ifndef POSEMILL_TESTS_PROPERTIES_H
#define POSEMILL_TESTS_PROPERTIES_H

#include "subject.h"
#include "variants.h"

double property_keys(const subject *s, const variant *v);       /* stored keys, bit for bit */
double property_norm(const subject *s, const variant *v);       /* | |q| - 1 | */
double property_left(const subject *s, const variant *v);       /* p r(q) = r(p q) */
double property_time(const subject *s, const variant *v);       /* t -> 3t - 7 */
double property_signs(const subject *s, const variant *v);      /* bit for bit */
double property_reversal(const subject *s, const variant *v);   /* reversed keys and time */
double property_steady(const subject *s, const variant *v);     /* constant velocity */
double property_still(const subject *s, const variant *v);      /* between equal keys */
double property_even_speed(const subject *s, const variant *v); /* within a segment */
double property_velocity(const subject *s, const variant *v);   /* jump at keys, rad/s */
double property_direction(const subject *s, const variant *v);  /* turn of it at keys, rad */
double property_period(const subject *s, const variant *v);     /* lap to lap, and its sign */

/* r(q) p = r(q p), with or without an axis that turns along. */
double property_right(const subject *s, const variant *v, bool turn_axis);

/* Moves key i: the largest change outside segments i-2 .. i+1, and in *inside the
 * smallest change of those four. */
double property_locality(const subject *s, const variant *v, double *inside);

#endif
