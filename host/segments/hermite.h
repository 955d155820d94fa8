/* SPDX-License-Identifier: MIT
 *
 * Stores cubics in the space of rotation vectors, for any rule that finds their velocities.
 */
#ifndef PM_HOST_HERMITE_H
#define PM_HOST_HERMITE_H

#include "builder.h"

/* Stores segment i from the full angular velocities, in rad/s and in the body frame, with which
 * the curve leaves the segment's first key and arrives at its second. Sets findings->failed in
 * lanes where the cubic is too long. */
#define pm_put_hermite PM_SET_NAME(pm_put_hermite)
void pm_put_hermite(const pm_track *track, const pm_coefficients_out *out, ptrdiff_t i,
                    dvec3 leaving, dvec3 arriving, pm_findings *findings);

#endif
