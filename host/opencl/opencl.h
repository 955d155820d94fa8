/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend for OpenCL devices. Objects of OpenCL are void pointers here, as in pm_backend.
 */
#ifndef PM_HOST_OPENCL_H
#define PM_HOST_OPENCL_H

#include "backend/backend.h"

/* See pm_list_devices. */
pm_status pm_cl_list(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error);

/* Opens the devices of an engine: those of `targets`, pm_cl_target; with NULL those that desc->device selects ("auto"
 * for NULL); *count is 0 where "auto" finds none. Several devices share the host threads of the options. The caller closes each device, then frees *devices with free(). */
pm_status pm_cl_open(const void *targets, size_t target_count, const pm_engine_desc *desc,
                     const pm_device_options *options, pm_device ***devices, size_t *count,
                     pm_error *error);

/* The context and the device of a device of this backend; NULL for those of other backends. */
typedef struct pm_cl_objects {
    void *context, *device;
} pm_cl_objects;

pm_cl_objects pm_cl_objects_of(const pm_device *device);

/* Checks a pm_cl_crowd_job and enqueues it. *done as for pm_backend.enqueue_samples. */
pm_status pm_cl_pose_on_queue(pm_device_crowd *crowd, const void *crowd_job, const pm_queue *queue,
                              void **done, pm_error *error);

#endif
