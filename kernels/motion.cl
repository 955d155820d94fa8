/* SPDX-License-Identifier: MIT
 *
 * Angular velocities and accelerations of rotations: gather's kernel, with derivatives
 * in place of values.
 */
#define PM_GATHER motion

#include "pm_motion.h"

#include "gather.cl"
