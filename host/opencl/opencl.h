/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend for OpenCL devices. Jobs on a caller's own queue come through
 * the functions of posemill_cl.h, which interop.c implements.
 */
#ifndef PM_HOST_OPENCL_H
#define PM_HOST_OPENCL_H

#include "backend/backend.h"

/* See pm_list_devices. */
pm_status pm_cl_list(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error);

/* Opens the devices of an engine: with `context` NULL those that desc->device selects ("auto" for NULL);
 * *count is 0 where "auto" finds none. interop.c passes a pm_cl_targets. Several devices share the host
 * threads of the options. The caller closes each device, then frees *devices with pm_release. */
pm_status pm_cl_open(const void *context, const pm_engine_desc *desc,
                     const pm_device_options *options, pm_device ***devices, size_t *count,
                     pm_error *error);

#endif
