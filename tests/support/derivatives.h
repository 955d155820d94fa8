/* SPDX-License-Identifier: MIT
 *
 * Derivatives of oracle curves. On either side of a key, to show in double precision the continuity
 * that a method promises; and the angular velocity and acceleration anywhere, the reference for
 * those of the library.
 */
#ifndef POSEMILL_TESTS_DERIVATIVES_H
#define POSEMILL_TESTS_DERIVATIVES_H

#include "oracle/oracle.h"

#define DERIVATIVES 4 /* from the value, which is 0, to the third */

/* The jump of the derivative of an order, 1 to 3, at a key of track 0 with segments on both sides,
 * relative to the derivatives there (at rest: to 1 radian or unit per segment), beyond what
 * rounding of the values explains. Of rotation vectors relative to the key, or of positions. */
double derivative_jump(const oracle *o, size_t key, int order, bool rotations);

/* In the unit of the library: full angles, rad/s and rad/s^2. */
typedef struct angular {
    vec3 velocity, acceleration;
} angular;

/* In the body frame at a cursor, on the side of its segment; u may be any number in [0, 1]. Where a curve
 * has a break within its segment, from sterp's windows: of the part that starts there. `closeness` is
 * 1, or larger to use a smaller part of the curve: the difference of the results is the error of the
 * derivatives. */
angular oracle_angular(const oracle *o, size_t track, oracle_cursor cursor, double closeness);

/* The same rates in the parent frame. */
angular oracle_in_parent_frame(const oracle *o, size_t track, oracle_cursor cursor, angular body);

#endif
