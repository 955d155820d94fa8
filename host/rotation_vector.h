/* SPDX-License-Identifier: MIT
 *
 * Calculus of q exp(rho/2), rho a full-angle rotation vector: the right Jacobian of the
 * rotation group, its inverse and its derivative.
 */
#ifndef PM_HOST_ROTATION_VECTOR_H
#define PM_HOST_ROTATION_VECTOR_H

#include "dquat.h"

/* Body angular velocity of a rotation vector that changes at `rate`:
 * Jr = I - a [rho]x + b [rho]x^2, a = (1 - cos x)/x^2, b = (x - sin x)/x^3, x = |rho|. */
dvec3 pm_jr(dvec3 rho, dvec3 rate);

/* Its inverse, for |rho| up to pi: I + [rho]x/2 + k [rho]x^2, k = (1 - (x/2) cot(x/2))/x^2. */
dvec3 pm_jr_inverse(dvec3 rho, dvec3 velocity);

/* (d/dt Jr) rate: what the motion of rho itself adds to angular acceleration. */
dvec3 pm_jr_rate(dvec3 rho, dvec3 rate);

#endif
