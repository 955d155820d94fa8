/* SPDX-License-Identifier: MIT
 *
 * A bound of the angles of a comparison that no time exceeds.
 */
#ifndef POSEMILL_MOTION_CERTIFIED_H
#define POSEMILL_MOTION_CERTIFIED_H

#include "motion/compare/compare.h"

/* Sets the bound in degrees, and the pair that has it. Refused: rotations of cubicspline or by another method,
 * a part of the clips, and clips whose first keys are at different times. */
pm_status compare_certify(const comparison *c, double *degrees, size_t *pair, pm_error *error);

#endif
