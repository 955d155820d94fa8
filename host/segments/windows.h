/* SPDX-License-Identifier: MIT
 *
 * What a method stores once for a track, whatever its keys.
 */
#ifndef PM_HOST_WINDOWS_H
#define PM_HOST_WINDOWS_H

#include <posemill/posemill.h>

/* statics[plane * k] is static k, 4 floats. */
typedef void (*pm_constants_builder)(const pm_clip_desc *desc, size_t track, float *constants,
                                     size_t plane);

void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *constants, size_t plane);

#endif
