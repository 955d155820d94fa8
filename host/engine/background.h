/* SPDX-License-Identifier: MIT
 *
 * Jobs of an engine that builds in the background, shared by the files that run them: which programs
 * are missing, and whether the first results of new programs have the bits of the reference path.
 */
#ifndef PM_HOST_BACKGROUND_H
#define PM_HOST_BACKGROUND_H

#include "backend/backend.h"

/* Requests the missing programs of a job without waiting. *missing: some are being built, so that
 * the reference path computes meanwhile. Otherwise the device computes the job, which waits for
 * programs only where earlier results differed in bits. Results of programs that were finished since
 * the last job are compared first. A failed build is the failure of the first job that finds it.
 * Only the presence of outputs counts: their memory is not used. Thread-safe. */
pm_status pm_background_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                bool *missing, pm_error *error);
pm_status pm_background_poses(pm_device_crowd *crowd, const pm_pose_request *request, bool *missing,
                              pm_error *error);

/* Whether a comparison has found a difference on any member of the device. */
bool pm_device_differs(const pm_device *device);

/* Computes the first samples or instances of a request on each device and on the reference path,
 * compares the bits, and marks the programs as checked. A difference is logged once for each
 * device. */
pm_status pm_compare_samples(const pm_device_clip *clip, const pm_sample_request *request,
                             pm_error *error);
pm_status pm_compare_poses(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error);

#endif
