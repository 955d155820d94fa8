/* SPDX-License-Identifier: MIT
 *
 * Bounds of a comparison that no time exceeds.
 */
#ifndef POSEMILL_MOTION_CERTIFIED_H
#define POSEMILL_MOTION_CERTIFIED_H

#include "motion/compare/compare.h"

/* A bound, and the pair of joints that has it. */
typedef struct certified_bound {
    double most; /* NaN: not known */
    size_t pair;
} certified_bound;

typedef struct certified_bounds {
    certified_bound degrees;
    certified_bound distance; /* in units of length; not known where there are no places */
} certified_bounds;

/* Refused: cubicsplines that are not known there, methods but slerp, squad, hermite and spline, a part of the
 * clips, and clips whose first keys are at different times. A with a method has to have its turns alone. */
pm_status compare_certify(const comparison *c, certified_bounds *bounds, pm_error *error);

#endif
