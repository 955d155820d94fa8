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
 * for NULL); *count is 0 where "auto" finds none. Several devices share the host threads of the options. The caller closes each device, then frees *devices with pm_release. */
pm_status pm_cl_open(const void *targets, size_t target_count, const pm_engine_desc *desc,
                     const pm_device_options *options, pm_device ***devices, size_t *count,
                     pm_error *error);

/* The arrays of a clip's description that may be in buffers: those of pm_cl_keys. */
enum { PM_CL_KEY_ARRAYS = 10 };

/* A description whose arrays are in buffers. */
typedef struct pm_cl_given {
    pm_device *device;   /* of this backend: one of the engine's */
    const void *keys;    /* pm_cl_keys; borrowed */
    pm_clip_desc desc;   /* of shapes alone: arrays have data that is none until they are mapped */
    bool all_in_buffers; /* all that pm_clip_check reads: the device can check it */
    void *mapped[PM_CL_KEY_ARRAYS];
} pm_cl_given;

/* Checks the shapes and the buffers, and waits for events, which are cl_event. Refuses devices of other backends. */
pm_status pm_cl_given_begin(pm_device *device, const pm_clip_desc *desc, const void *keys,
                            uint32_t wait_count, const void *wait_list, pm_cl_given *given,
                            pm_error *error);

/* Maps the buffers, so that the description has its data; and unmaps those that are mapped. */
pm_status pm_cl_given_map(pm_cl_given *given, pm_error *error);
pm_status pm_cl_given_unmap(pm_cl_given *given, pm_error *error);

/* The context and the device of a device of this backend; NULL for those of other backends. */
typedef struct pm_cl_objects {
    void *context, *device;
} pm_cl_objects;

pm_cl_objects pm_cl_objects_of(const pm_device *device);

/* Releases an event of a call on a queue, and clears it; NULL: none. */
void pm_cl_let_event(void **event);

#endif
