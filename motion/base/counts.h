/* SPDX-License-Identifier: MIT
 *
 * How many enumerators the enums of motion files have. Not in the public headers, because they grow: programs that
 * are compiled with them ask pm_method_count() and the like.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/base/format_list.h"

#define PM_MOTION_PATH_COUNT (PM_MOTION_SCALAR + 1)
#define PM_MOTION_INTERPOLATION_COUNT (PM_MOTION_CUBICSPLINE + 1)
#define PM_MOTION_END_COUNT (PM_MOTION_END_INCLUDE + 1)
#define PM_MOTION_UP_COUNT (PM_MOTION_UP_Z + 1)
