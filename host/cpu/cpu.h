/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend in plain C, which is the reference path. It reads the kernels'
 * own headers. Needs no device: its functions also take requests without one.
 */
#ifndef PM_HOST_CPU_H
#define PM_HOST_CPU_H

#include "backend/backend.h"

/* A device of this backend; NULL without memory. Close it by its backend. */
pm_device *pm_cpu_device_open(const pm_device_options *options);

/* A request for samples, into host memory. Thread-safe. */
pm_status pm_cpu_sample(const pm_sample_request *request, pm_error *error);

/* A request for poses, likewise. */
pm_status pm_cpu_pose(const pm_pose_request *request, pm_error *error);

/* The records of one instance, on the calling thread. PM_ERROR_MEMORY is all that may fail. */
pm_status pm_cpu_pose_one(const pm_crowd_data *crowd, const pm_crowd_instance *instance,
                          pm_crowd_output output, void *records, pm_error *error);

/* Likewise by one instruction set, which the processor supports. */
pm_status pm_cpu_pose_with(size_t instruction_set, const pm_crowd_data *crowd,
                           const pm_crowd_instance *instance, pm_crowd_output output, void *records,
                           pm_error *error);

/* pm_root_pose_function of this backend. */
void pm_cpu_root_pose(const pm_crowd_data *crowd, const pm_input *input, float rotation[4],
                      float position[3]);

#endif
