/* SPDX-License-Identifier: MIT
 *
 * Jobs of an engine that builds in the background: whether the first results of new programs have the
 * bits of the reference path.
 */
#ifndef PM_HOST_BACKGROUND_H
#define PM_HOST_BACKGROUND_H

#include "backend/backend.h"

/* Whether a comparison has found a difference on any member of the device. */
bool pm_device_differs(const pm_device *device);

/* Computes the first samples or instances of a request on each device and on the reference path,
 * compares the bits, and marks the programs as checked. A difference is logged once for each
 * device. */
pm_status pm_compare_samples(const pm_device_clip *clip, const pm_sample_request *request,
                             pm_error *error);
pm_status pm_compare_poses(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error);

#endif
