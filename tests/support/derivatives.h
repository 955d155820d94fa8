/* SPDX-License-Identifier: MIT
 *
 * Derivatives of oracle curves: on either side of a key, and whether they meet, which is
 * the continuity that a method promises, shown in double precision; and the angular
 * velocity and acceleration anywhere, which the library's are held against.
 */
#ifndef POSEMILL_TESTS_DERIVATIVES_H
#define POSEMILL_TESTS_DERIVATIVES_H

#include "oracle/oracle.h"

#define DERIVATIVES 4 /* from the value, which is 0, to the third */

/* By how much the derivative of an order, 1 to 3, jumps at a key of track 0 that has
 * segments on both sides, in parts of the derivatives there (at rest, of 1 radian or unit a
 * segment), beyond what rounding of the values explains. Of rotation vectors about the key, or of positions. */
double derivative_jump(const oracle *o, size_t key, int order, bool rotations);

/* As the library gives them, full angles: rad/s and rad/s^2. */
typedef struct angular {
    vec3 velocity, acceleration;
} angular;

/* At a place, on the side of its segment; u may be any number in [0, 1]. Where a curve has a
 * break within its segment, as sterp's windows make them, of the part that begins there.
 * `closeness` is 1, or more to look at a smaller part of the curve: what then differs is the
 * error of the differences. */
angular oracle_angular(const oracle *o, size_t track, oracle_cursor cursor, double closeness,
                       pm_axis_frame frame);

#endif
