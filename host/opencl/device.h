/* SPDX-License-Identifier: MIT
 *
 * The state of an OpenCL device, and the functions that the files of this room share.
 */
#ifndef PM_HOST_OPENCL_DEVICE_H
#define PM_HOST_OPENCL_DEVICE_H

#include <posemill/posemill_cl.h>

#include "opencl.h"
#include "quirks.h"

typedef struct pm_opencl_device {
    pm_device device;
    cl_context context;
    cl_device_id id;
    cl_command_queue compute;
    cl_command_queue transfers;
    pm_plan_device plan;
    pm_quirks quirks;
    uint64_t piece_bytes;
    size_t max_items; /* work-items per group, in the first dimension */
} pm_opencl_device;

static inline pm_opencl_device *pm_opencl_of(const pm_device *device) {
    return (pm_opencl_device *)(uintptr_t)device;
}

/* Keys, constants and layout, from PM_MEMORY_KEYS on. */
enum { PM_CHANNEL_MEMORIES = 3 };

/* The buffers of a clip; those of missing channels are NULL. */
typedef struct pm_opencl_clip {
    pm_device_clip clip;
    cl_mem channels[PM_CHANNEL_COUNT][PM_CHANNEL_MEMORIES];
    cl_mem wraps, rates;
} pm_opencl_clip;

static inline pm_opencl_clip *pm_opencl_clip_of(const pm_device_clip *clip) {
    return (pm_opencl_clip *)(uintptr_t)clip;
}

/* The status for an OpenCL error; never PM_OK. CL_OUT_OF_RESOURCES is PM_ERROR_DEVICE, because
 * smaller pieces do not help; pm_cl_buffer, where they do, returns PM_ERROR_DEVICE_MEMORY for
 * it. */
pm_status pm_cl_status(cl_int cl_status);

static inline pm_status pm_cl_fail_as(pm_error *error, pm_status status, cl_int cl_status,
                                      const char *what) {
    pm_report_cl(error, status, cl_status, what);
    return status;
}

/* Reports a failed call. Inline, so that analysers see that the result is not PM_OK. */
static inline pm_status pm_cl_fail(pm_error *error, cl_int cl_status, const char *what) {
    pm_status status = pm_cl_status(cl_status);
    return pm_cl_fail_as(error, status == PM_OK ? PM_ERROR_DEVICE : status, cl_status, what);
}

/* Creates a buffer of `size` bytes: a copy of `data`, or with CL_MEM_USE_HOST_PTR that memory
 * itself. The contents are undefined when `data` is NULL. *buffer is NULL on failure. Release it
 * with pm_cl_release. */
pm_status pm_cl_buffer(pm_opencl_device *cl, cl_mem_flags flags, const void *data, size_t size,
                       cl_mem *buffer, pm_error *error);

/* Creates a buffer with the contents of a clip's or a crowd's memory. `of` is for messages. */
pm_status pm_cl_upload(pm_opencl_device *cl, const char *of, const pm_source *from, cl_mem *buffer,
                       pm_error *error);

/* Uploads what follows the first `begin` bytes to such a buffer. Blocks. */
pm_status pm_cl_upload_from(pm_opencl_device *cl, const pm_source *from, size_t begin,
                            cl_mem buffer, pm_error *error);

/* Unmaps a buffer, and waits until it is unmapped: for this command, and not for those that other
 * jobs put on the queue later. */
pm_status pm_cl_unmap(cl_command_queue queue, cl_mem buffer, void *mapped, pm_error *error);

/* Releases a buffer; accepts NULL. */
void pm_cl_release(cl_mem buffer);

/* Releases an event, if there is one, and makes it NULL. */
void pm_cl_release_event(cl_event *event);

/* A text that a device, or its platform, answers, of any length. NULL: no answer, or no memory. Free
 * with pm_release. */
char *pm_cl_device_text(const pm_host *host, cl_device_id device, cl_device_info what);
char *pm_cl_platform_text(const pm_host *host, cl_device_id device, cl_platform_info what);

/* Fills an info except for its indices. */
pm_status pm_cl_describe(const pm_host *host, cl_device_id device, pm_device_info *info,
                         pm_error *error);

/* A device that was selected for an engine. */
typedef struct pm_chosen {
    pm_cl_target target; /* context NULL: the engine creates one */
    pm_device_info info;
} pm_chosen;

/* Selects devices for an engine. Devices that are left out are logged. *count is 0 when "auto"
 * finds no device. Free *chosen with pm_release. */
pm_status pm_cl_choose(pm_logger logger, const char *selector, pm_chosen **chosen, size_t *count,
                       pm_error *error);

/* A queue, and the events that the commands on it wait for. Borrowed. */
typedef struct pm_cl_wait {
    cl_command_queue queue;
    const cl_event *events; /* NULL: none */
    cl_uint count;
} pm_cl_wait;

/* An event that completes after all events of `wait`, or, where there are none, after all commands
 * enqueued so far. The caller releases it. */
pm_status pm_cl_marker(const pm_cl_wait *wait, cl_event *done, pm_error *error);

/* Launches a step with memory for the names that it uses. *done (done may be NULL) is for the caller
 * to release. */
pm_status pm_cl_run_step(pm_opencl_device *cl, pm_step *step,
                         const cl_mem memories[PM_MEMORY_COUNT], const pm_cl_wait *wait,
                         cl_event *done, pm_error *error);

/* Opens the programs of a device whose context is made. */
pm_status pm_cl_open_programs(pm_opencl_device *cl, const char *kernel_folder,
                              pm_cache_folder *folder, pm_error *error);

/* Pieces of a plan of samples on a queue, shared by jobs into host memory and on callers' queues: a job
 * that is being enqueued. */
typedef struct pm_cl_samples {
    const pm_opencl_clip *clip;
    const pm_sample_request *request;
    pm_sample_plan plan;
    cl_command_queue queue;
    cl_event *waits; /* the caller's events, and space for one more */
    cl_uint wait_count;
    pm_error *error;
} pm_cl_samples;

/* Begins a job that waits for the events of `wait`. End it with pm_cl_samples_end, also after a
 * failure. */
pm_status pm_cl_samples_begin(pm_cl_samples *samples, const pm_cl_wait *wait);
void pm_cl_samples_end(pm_cl_samples *samples);

/* Enqueues a piece into the buffers of its handles. The caller releases the events in `done`,
 * which are NULL for outputs that were not enqueued. */
pm_status pm_cl_enqueue_piece(pm_cl_samples *samples, const pm_sample_request *piece,
                              cl_event done[PM_OUTPUT_COUNT]);

/* Builds the planes and signs of laps of a clip whose other memory is not there yet. */
pm_status pm_cl_clip_build_planes(pm_opencl_clip *clip, const pm_clip_desc *desc,
                                  const pm_cl_keys *keys, pm_clip_data *data, bool *is_built,
                                  pm_error *error);

/* A copy on the device of an array of a description whose arrays are in buffers. Release it with
 * pm_cl_release. */
pm_status pm_cl_copy_array(pm_opencl_device *cl, const pm_clip_desc *desc, const pm_cl_keys *keys,
                           const pm_array *array, cl_mem *copy, pm_error *error);

/* The functions of the backend: see pm_backend. */
pm_status pm_cl_clip_upload(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                            pm_error *error);
pm_status pm_cl_clip_build(pm_device *device, const pm_clip_desc *desc, const void *keys,
                           pm_clip_data *data, pm_device_clip **clip, pm_error *error);
pm_status pm_cl_clip_read(const pm_device_clip *clip, unsigned channel, void *keys,
                          pm_error *error);
void pm_cl_clip_release(pm_device_clip *clip);
/* Computes in pieces as large as the device's memory allows. */
pm_status pm_cl_sample_to_host(const pm_device_clip *clip, const pm_sample_request *request,
                               pm_error *error);
pm_status pm_cl_owns_queue(const pm_device *device, void *queue, bool *owns, pm_error *error);
pm_status pm_cl_check_address(const pm_device *device, const char *name, const pm_address *address,
                              size_t alignment, size_t bytes, pm_error *error);
pm_status pm_cl_enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                const pm_queue *queue, void **done, pm_error *error);
pm_status pm_cl_run_on_queue(const pm_device *device, void *memory, size_t bytes,
                             pm_status (*enqueue)(void *context, const pm_address *to,
                                                  const pm_queue *queue, void **done,
                                                  pm_error *error),
                             void *context, pm_error *error);
pm_status pm_cl_crowd_upload(pm_device *device, const pm_crowd_data *data,
                             const pm_device_crowd *before, pm_device_crowd **crowd,
                             pm_error *error);
void pm_cl_crowd_release(pm_device_crowd *crowd);
pm_status pm_cl_crowd_pose_to_host(pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error);
pm_status pm_cl_enqueue_poses(pm_device_crowd *crowd, const pm_pose_request *request,
                              const pm_queue *queue, void **done, pm_error *error);
pm_status pm_cl_move_points_in_host(pm_device *device, const pm_points_request *request,
                                    pm_error *error);
pm_status pm_cl_enqueue_points(pm_device *device, const pm_points_request *request,
                               const pm_queue *queue, void **done, pm_error *error);
pm_status pm_cl_enqueue_call(const pm_device *device, void *const *handles, size_t count,
                             pm_call *call, const pm_queue *queue, void **done, pm_error *error);

#endif
