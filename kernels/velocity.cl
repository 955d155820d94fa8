/* SPDX-License-Identifier: MIT
 *
 * Angular velocities of rotations: the kernel of gather.cl, with the first derivative in place of
 * the value. acceleration.cl is a program of its own, because its registers would halve the
 * number of velocities that a GPU computes at the same time.
 */
#define PM_GATHER velocity
#define PM_ORDER 1

#include "pm_motion.h"

#include "gather.cl"
