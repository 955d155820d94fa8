/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend for OpenCL devices, and jobs on a caller's own queue.
 */
#ifndef PM_HOST_OPENCL_H
#define PM_HOST_OPENCL_H

#include <posemill/posemill_cl.h>

#include "backend/backend.h"

/* See pm_list_devices. */
pm_status pm_cl_list(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error);

/* Opens the devices that desc->device selects ("auto" for NULL). *count is 0 where "auto" finds
 * none. Several devices share the host threads of the options. The caller closes each device, then
 * frees *devices with free(). */
pm_status pm_cl_open(const pm_engine_desc *desc, const pm_device_options *options,
                     pm_device ***devices, size_t *count, pm_error *error);

/* Checks a caller's targets, at least one, and opens a device for each. Ownership is as for
 * pm_cl_open; *devices has `count` elements. Contexts and devices are retained. */
pm_status pm_cl_open_targets(const pm_cl_target *targets, size_t count, const pm_engine_desc *desc,
                             const pm_device_options *options, pm_device ***devices,
                             pm_error *error);

/* Whether a device belongs to this backend. */
bool pm_cl_is_device(const pm_device *device);

/* The OpenCL objects of a device of this backend. Borrowed. */
cl_context pm_cl_context_of(const pm_device *device);
cl_device_id pm_cl_id_of(const pm_device *device);

/* Finds the member of a device that a caller's queue belongs to. All members must be of this
 * backend. PM_ERROR_ARGUMENT when the queue belongs to none. */
pm_status pm_cl_member_of_queue(const pm_device *device, cl_command_queue queue, size_t *member,
                                pm_error *error);

/* A queue, and the events that the commands on it wait for. Borrowed. */
typedef struct pm_cl_wait {
    cl_command_queue queue;
    const cl_event *events; /* NULL: none */
    cl_uint count;
} pm_cl_wait;

/* The buffer of an output. */
typedef struct pm_cl_output {
    cl_mem buffer; /* NULL: not requested */
    size_t offset; /* bytes */
} pm_cl_output;

/* The buffers of all outputs of samples, indexed by PM_OUT_ROTATIONS and so on. */
typedef struct pm_cl_sample_outputs {
    pm_cl_output of[PM_OUTPUT_COUNT];
} pm_cl_sample_outputs;

/* Checks that there is an output, that the clip has its channel, and that its buffer is large
 * enough. */
pm_status pm_cl_check_outputs(const pm_device_clip *clip, const pm_sample_request *request,
                              const pm_cl_sample_outputs *outputs, pm_error *error);

/* Enqueues a request with checked outputs: see pm_cl_sample. *done, if not NULL, receives an event,
 * which the caller releases. Thread-safe. */
pm_status pm_cl_enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                const pm_cl_sample_outputs *outputs, const pm_cl_wait *wait,
                                cl_event *done, pm_error *error);

/* Checks a crowd's job for a queue: its instances, and the buffer of each output. */
pm_status pm_cl_check_poses(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                            pm_error *error);

/* Enqueues a piece of a checked job, whose instance 0 is instance number `first` of the whole job:
 * see pm_cl_crowd_pose. *done is as above. Thread-safe. */
pm_status pm_cl_enqueue_poses(pm_device_crowd *crowd, const pm_cl_crowd_job *job, size_t first,
                              const pm_cl_wait *wait, cl_event *done, pm_error *error);

/* An event that completes after all events of `wait`, or, where there are none, after all commands
 * enqueued so far. The caller releases it. */
pm_status pm_cl_marker(const pm_cl_wait *wait, cl_event *done, pm_error *error);

#endif
