/* SPDX-License-Identifier: MIT
 *
 * How many enumerators the public enums have. Not in the public headers, because they grow: programs that
 * are compiled with them ask pm_method_count() and the like.
 */
#ifndef PM_HOST_COUNTS_H
#define PM_HOST_COUNTS_H

#include <posemill/posemill.h>
#include <posemill/posemill_crowd.h>

#define PM_METHOD_COUNT (PM_METHOD_CUBIC + 1)
#define PM_VECTOR_COUNT (PM_VECTOR_CUBICSPLINE + 1)
#define PM_TANGENTS_COUNT (PM_TANGENTS_USER + 1)
#define PM_ENDS_COUNT (PM_ENDS_ZERO + 1)
#define PM_KEYS_COUNT (PM_KEYS_SMALLEST48 + 1)
#define PM_AXIS_COUNT (PM_AXIS_PARENT + 1)
#define PM_EULER_COUNT (PM_EULER_ZYZ + 1)
#define PM_CROWD_OUTPUT_COUNT (PM_CROWD_ANGLE_RATE + 1)
#define PM_CROWD_POSE_COUNT (PM_CROWD_BOUNDS + 1) /* those that precede states of bodies */

#endif
