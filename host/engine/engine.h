/* SPDX-License-Identifier: MIT
 *
 * What the files of this room share. This room alone knows all backends.
 */
#ifndef PM_HOST_ENGINE_H
#define PM_HOST_ENGINE_H

#include "backend/backend.h"

/* Whether a request has outputs, and its clip their channels. */
pm_status pm_sample_check_outputs(const pm_sample_request *request, pm_error *error);

/* Computes the request of a job on its device, or on the reference path. Thread-safe. */
pm_status pm_engine_sample(const pm_clip *clip, const pm_sample_job *job,
                           const pm_sample_request *request, pm_error *error);

/* Makes `data` the latest version of a crowd, which owns it then; on failure it is freed. Only where no other thread
 * changes the crowd. */
pm_status pm_crowd_publish(pm_crowd *crowd, pm_crowd_data *data, pm_error *error);

/* Frees all versions. No call holds one. */
void pm_crowd_clear(pm_crowd *crowd);

/* Reads the keys of a clip that its device built, for the reference path. Thread-safe. */
pm_status pm_clip_fetch(const pm_clip *clip, pm_error *error);

/* Computes a request. While its programs are built in the background, the reference path computes it
 * with up to `threads` host threads, unless it is large. Thread-safe. */
pm_status pm_sample_in_background(const pm_device_clip *clip, const pm_sample_request *request,
                                  size_t threads, pm_error *error);

/* The same for poses of any number. */
pm_status pm_pose_in_background(pm_device_crowd *crowd, const pm_pose_request *request,
                                pm_error *error);

#endif
