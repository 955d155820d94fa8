/* SPDX-License-Identifier: MIT
 *
 * Jobs on a caller's queue, of an engine that builds in the background.
 */
#ifndef PM_HOST_BACKGROUND_QUEUE_H
#define PM_HOST_BACKGROUND_QUEUE_H

#include "opencl/opencl.h"

/* Like pm_cl_enqueue_samples and pm_cl_enqueue_poses, but do not wait for programs that are being
 * built, unless the job has many results or its instances are in a buffer. Thread-safe. */
pm_status pm_enqueue_samples_in_background(const pm_device_clip *clip,
                                           const pm_sample_request *request,
                                           const pm_cl_sample_outputs *outputs,
                                           const pm_cl_wait *wait, cl_event *done, pm_error *error);
pm_status pm_enqueue_poses_in_background(pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                                         const pm_cl_wait *wait, cl_event *done, pm_error *error);

#endif
