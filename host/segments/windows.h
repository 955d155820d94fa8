/* SPDX-License-Identifier: MIT
 *
 * Track constants: values that a method stores once per track, independent of its keys.
 */
#ifndef PM_HOST_WINDOWS_H
#define PM_HOST_WINDOWS_H

#include <posemill/posemill.h>

/* Writes a track's constants: constant k is the 4 floats at constants[plane * k]. Thread-safe. */
typedef void (*pm_constants_builder)(const pm_clip_desc *desc, size_t track, float *constants,
                                     size_t plane);

/* The pm_constants_builder of sterp. */
void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *constants, size_t plane);

#endif
