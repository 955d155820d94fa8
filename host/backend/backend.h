/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the interface of a backend. A backend opens devices, uploads clips and
 * crowds to them, and computes resolved requests. Its structs begin with one of the structs below;
 * their other fields are private to the backend.
 */
#ifndef PM_HOST_BACKEND_H
#define PM_HOST_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "plan/plan.h"
#include "programs/programs.h"

typedef struct pm_device pm_device;
typedef struct pm_device_clip pm_device_clip;
typedef struct pm_device_crowd pm_device_crowd;

/* A caller's queue or stream of the backend's API, and the events that a job waits for. Borrowed. */
typedef struct pm_queue {
    void *handle;
    const void *waits; /* (wait_count) events of the API */
    uint32_t wait_count;
} pm_queue;

/* A function of the host that a queue runs. */
typedef struct pm_call pm_call;
struct pm_call {
    /* On a driver's thread, with the addresses of handles. It cannot fail. */
    void (*run)(pm_call *call, void *const *memory);
    void (*end)(pm_call *call); /* once: some time after run, or where that is never called */
};

enum { PM_CALL_HANDLES = PM_POSE_INPUTS + 2 * PM_CROWD_MAX_TARGETS };

/* The functions of a backend. Arguments are checked by the caller. All functions except close and
 * the releases are thread-safe. */
typedef struct pm_backend {
    bool calls_drivers; /* whose objects are lost in a forked process */

    void (*close)(pm_device *device);

    /* Uploads a clip. The device and the data must outlive it; the caller releases it. A failure
     * leaves nothing allocated. */
    pm_status (*upload_clip)(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                             pm_error *error);
    void (*release_clip)(pm_device_clip *clip);

    /* Builds a clip from a checked description that pm_plan_builds accepts, and from its data without keys,
     * which receives the signs of laps. Then as upload_clip. *clip stays NULL where the host must build it:
     * a curve does not exist, or a long spline is not solved in ranges. read_clip reads a channel's planes.
     * With `buffers`, keys and tangents are not checked yet and are in objects of the backend's API, and the host
     * must also build where one is invalid. Both functions NULL: the host builds all clips. */
    pm_status (*build_clip)(pm_device *device, const pm_clip_desc *desc, const void *buffers,
                            pm_clip_data *data, pm_device_clip **clip, pm_error *error);
    pm_status (*read_clip)(const pm_device_clip *clip, unsigned channel, void *keys,
                           pm_error *error);

    /* Samples into host memory. When it returns, successful or not, no command writes there any
     * more. NULL for a device of several, whose members compute. */
    pm_status (*sample)(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error);

    /* On a caller's queue, into objects of the API. All NULL: the backend has no queues. A request has handles in
     * place of host memory, which are checked before. *done, unless `done` is NULL, receives an event, which the
     * caller releases. */
    pm_status (*owns_queue)(const pm_device *device, void *queue, bool *owns, pm_error *error);
    pm_status (*check_address)(const pm_device *device, const char *name, const pm_address *address,
                               size_t alignment, size_t bytes, pm_error *error);
    pm_status (*enqueue_samples)(const pm_device_clip *clip, const pm_sample_request *request,
                                 const pm_queue *queue, void **done, pm_error *error);

    /* On a queue of its own, for the self-check: `enqueue` gets an object of `bytes` bytes with the contents of
     * `memory`, to which they come back. NULL without queues. */
    pm_status (*run_on_queue)(const pm_device *device, void *memory, size_t bytes,
                              pm_status (*enqueue)(void *context, const pm_address *to,
                                                   const pm_queue *queue, void **done,
                                                   pm_error *error),
                              void *context, pm_error *error);

    /* The same for crowds. All three are NULL for a backend without crowds. `before` is the version before that of
     * `data`, whose memory is used again, or NULL. Only one version is uploaded at a time. */
    pm_status (*upload_crowd)(pm_device *device, const pm_crowd_data *data,
                              const pm_device_crowd *before, pm_device_crowd **crowd,
                              pm_error *error);
    void (*release_crowd)(pm_device_crowd *crowd);
    pm_status (*pose)(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error);

    /* On a caller's queue, as enqueue_samples; inputs may be in host memory, and are copied. A request with nothing to
     * pose is done when the commands before it are. */
    pm_status (*enqueue_poses)(pm_device_crowd *crowd, const pm_pose_request *request,
                               const pm_queue *queue, void **done, pm_error *error);

    /* Moves the points of a request that has a kernel (pm_points_have_kernel), in host memory, and on a caller's
     * queue, as `sample` and enqueue_poses. Without kernels any request. */
    pm_status (*move_points)(pm_device *device, const pm_points_request *request, pm_error *error);
    pm_status (*enqueue_points)(pm_device *device, const pm_points_request *request,
                                const pm_queue *queue, void **done, pm_error *error);

    /* A call that reads and writes `count` handles, at most PM_CALL_HANDLES, likewise. The call is the backend's from
     * then on, after a failure too. Only on devices that have `runs_calls`. */
    pm_status (*enqueue_call)(const pm_device *device, void *const *handles, size_t count,
                              pm_call *call, const pm_queue *queue, void **done, pm_error *error);
} pm_backend;

/* Options for opening a device, common to all backends. */
typedef struct pm_device_options {
    pm_logger logger;
    pm_host host;        /* without progress, which is that of calls */
    size_t host_threads; /* host threads that the device may use, at least 1 */
} pm_device_options;

struct pm_device {
    const pm_backend *backend;
    pm_device_options options;
    pm_device_info info;
    pm_programs *programs;      /* owned. NULL: it has none, or none to build */
    pm_pool *pool;              /* of its clips, and of jobs' arrays; owned */
    const pm_plan_device *plan; /* its own; NULL: no kernels */
    bool builds_clips;          /* it has what build_clip requires: double */
    bool runs_calls;            /* its queues run functions of the host, on the host's processors */
    bool slow_compiler;         /* building a program takes minutes: use few programs */
    /* 1: a job's results had other bits than those of the reference path. A word, because RISC-V
     * exchanges single bytes only with libatomic. */
    atomic_uint differs;
    /* (member_count): the devices that this one consists of; a single device consists of itself */
    pm_device **members;
    size_t member_count;
    pm_device *self; /* the element of `members` for a single device */
};

struct pm_device_clip {
    pm_device *device;
    const pm_clip_data *data; /* borrowed */
    pm_device_clip **members; /* the clip on each member of the device */
    pm_device_clip *self;     /* the element of `members` for a single device */
};

struct pm_device_crowd {
    pm_device *device;
    const pm_crowd_data *data; /* borrowed */
};

/* Whether plain C computes the jobs of a device, which is not several; and on its queues too: then it gets nothing. */
static inline bool pm_is_for_host(const pm_device *device) {
    return device->plan && device->plan->plain_c;
}

static inline bool pm_queue_is_for_host(const pm_device *device) {
    return device->runs_calls && pm_is_for_host(device);
}

/* Whether the process was forked after the device was opened: nothing of it may be used or released. */
bool pm_device_is_lost(const pm_device *device);

/* PM_ERROR_DEVICE with a hint for a lost device. */
pm_status pm_device_check(const pm_device *device, pm_error *error);

/* Initialise the common part of a backend's device and clip, for a single device. The struct must
 * not move afterwards, because `members` points into it. The pool is NULL without memory. */
void pm_device_begin(pm_device *device, const pm_backend *backend,
                     const pm_device_options *options);
void pm_device_clip_begin(pm_device_clip *clip, pm_device *device, const pm_clip_data *data);

/* A selection from the devices that a backend lists. */
typedef struct pm_selection {
    const pm_device_info *infos;
    size_t info_count;
    size_t *found; /* space for info_count + 1 indices, in the order of selection */
    size_t count;
    const char *missing; /* the part of the selector that no device matches; NULL: none */
    int missing_length;
} pm_selection;

/* Selects devices as pm_engine_desc says. `count` and `missing` are zero before. "auto" may find no
 * device. */
pm_status pm_select_devices(const char *selector, pm_selection *selection, pm_error *error);

#endif
