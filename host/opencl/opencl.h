/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend on OpenCL devices, and what runs on a caller's own queue.
 */
#ifndef PM_HOST_OPENCL_H
#define PM_HOST_OPENCL_H

#include <posemill/posemill_cl.h>

#include "backend/backend.h"

/* See pm_list_devices. */
pm_status pm_cl_list(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error);

/* Opens what desc->device names ("auto" for NULL). *count is 0 where "auto" finds none. The host's
 * threads are divided among several. Free *devices with free(), after closing each. */
pm_status pm_cl_open(const pm_engine_desc *desc, const pm_device_options *options,
                     pm_device ***devices, size_t *count, pm_error *error);

/* Checks a caller's targets, at least one, and opens them; likewise. */
pm_status pm_cl_open_targets(const pm_cl_target *targets, size_t count, const pm_engine_desc *desc,
                             const pm_device_options *options, pm_device ***devices,
                             pm_error *error);

/* Whether a device is of this backend. */
bool pm_cl_is_device(const pm_device *device);

/* Of a device of this backend. Borrowed. */
cl_context pm_cl_context_of(const pm_device *device);
cl_device_id pm_cl_id_of(const pm_device *device);

/* Which member of a device, all of this backend, a caller's queue belongs to. A queue of none of
 * them is refused. */
pm_status pm_cl_member_of_queue(const pm_device *device, cl_command_queue queue, size_t *member,
                                pm_error *error);

/* A caller's queue, and the events to wait for. */
typedef struct pm_cl_wait {
    cl_command_queue queue;
    const cl_event *events; /* NULL: none */
    cl_uint count;
} pm_cl_wait;

/* Where an output goes; buffer NULL: not wanted. The offset is in bytes. */
typedef struct pm_cl_output {
    cl_mem buffer;
    size_t offset;
} pm_cl_output;

/* The outputs of samples, by PM_OUT_ROTATIONS and so on. */
typedef struct pm_cl_sample_outputs {
    pm_cl_output of[PM_OUTPUT_COUNT];
} pm_cl_sample_outputs;

/* PM_OK when the buffers hold the outputs of a request. */
pm_status pm_cl_check_outputs(const pm_device_clip *clip, const pm_sample_request *request,
                              const pm_cl_sample_outputs *outputs, pm_error *error);

/* Enqueues a request whose outputs were checked: see pm_cl_sample. */
pm_status pm_cl_enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                const pm_cl_sample_outputs *outputs, const pm_cl_wait *wait,
                                cl_event *done, pm_error *error);

/* PM_OK when a crowd's job on a queue can be enqueued. */
pm_status pm_cl_check_poses(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                            pm_error *error);

/* Enqueues a part of a checked job, whose instance 0 is number `first`: see pm_cl_crowd_pose. */
pm_status pm_cl_enqueue_poses(pm_device_crowd *crowd, const pm_cl_crowd_job *job, size_t first,
                              const pm_cl_wait *wait, cl_event *done, pm_error *error);

/* An event for all of `wait`, or, where there is none, for what the queue was given so far. */
pm_status pm_cl_marker(const pm_cl_wait *wait, cl_event *done, pm_error *error);

#endif
