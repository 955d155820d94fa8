/* SPDX-License-Identifier: MIT
 *
 * Angular accelerations of rotations: the kernel of gather.cl, with the second derivative in place
 * of the value.
 */
#define PM_GATHER acceleration
#define PM_ORDER 2

#include "pm_motion.h"

#include "gather.cl"
