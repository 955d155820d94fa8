/* SPDX-License-Identifier: MIT
 *
 * Angular velocities and accelerations of rotations: the kernel of gather.cl, with
 * derivatives in place of values.
 */
#define PM_GATHER motion

#include "pm_motion.h"

#include "gather.cl"
