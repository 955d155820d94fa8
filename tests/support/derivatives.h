/* SPDX-License-Identifier: MIT
 *
 * Derivatives of oracle curves on either side of a key, and whether they meet: the
 * continuity that a method promises, shown in double precision.
 */
#ifndef POSEMILL_TESTS_DERIVATIVES_H
#define POSEMILL_TESTS_DERIVATIVES_H

#include "oracle.h"

#define DERIVATIVES 4 /* from the value, which is 0, to the third */

/* By how much the derivative of an order, 1 to 3, jumps at a key of track 0 that has
 * segments on both sides, in parts of the derivatives there (at rest, of 1 radian or unit a
 * segment), beyond what rounding of the values explains. Of rotation vectors about the key, or of positions. */
double derivative_jump(const oracle *o, size_t key, int order, bool rotations);

#endif
