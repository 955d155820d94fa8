/* SPDX-License-Identifier: MIT
 *
 * The door of this room: what a backend is. A backend opens devices, brings clips and crowds to
 * them, and takes resolved requests. Its state is its own: it begins with one of the structs below,
 * and nobody else sees the rest.
 */
#ifndef PM_HOST_BACKEND_H
#define PM_HOST_BACKEND_H

#include "base/base.h"
#include "pose_request.h"
#include "sample_request.h"

typedef struct pm_device pm_device;
typedef struct pm_device_clip pm_device_clip;
typedef struct pm_device_crowd pm_device_crowd;

/* Whether the programs of a request are there, from the best to the worst. */
typedef enum pm_readiness {
    PM_READY,
    PM_READY_UNCHECKED, /* ready, but requests were met without one of them so far */
    PM_READY_LATER,     /* being built */
    PM_READY_NEVER      /* a build failed */
} pm_readiness;

/* All functions take what was checked, and are thread-safe but for close and the releases. */
typedef struct pm_backend {
    void (*close)(pm_device *device);

    /* pm_engine_tune of checked arguments, with *count and *best 0 */
    pm_status (*tune)(pm_device *device, pm_launch_measurement *measurements, size_t capacity,
                      size_t *count, size_t *best, pm_error *error);

    /* Brings a clip to the device; both must outlive it. On failure nothing is left. */
    pm_status (*upload_clip)(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                             pm_error *error);
    void (*release_clip)(pm_device_clip *clip);

    /* Samples into host memory. When it returns, nothing writes there any more. */
    pm_status (*sample)(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error);

    /* NULL where there is nothing to build. Asks for the programs of a request without waiting; says
     * what became of them, and tells a failure once; forgets that those that are ready were
     * missing. */
    pm_status (*prepare)(const pm_device_clip *clip, const pm_sample_request *request,
                         pm_error *error);
    pm_readiness (*readiness)(const pm_device_clip *clip, const pm_sample_request *request,
                              pm_error *error);
    void (*mark_checked)(const pm_device_clip *clip, const pm_sample_request *request);

    /* How many programs the device has built so far, for who measures its throughput: to build one
     * takes as long as millions of values. NULL: none ever. */
    size_t (*program_count)(const pm_device *device);

    /* The same for crowds. NULL where there are none. */
    pm_status (*upload_crowd)(pm_device *device, const pm_crowd_data *data, pm_device_crowd **crowd,
                              pm_error *error);
    void (*release_crowd)(pm_device_crowd *crowd);
    pm_status (*pose)(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error);
} pm_backend;

/* What opening a device is told, whatever the backend. */
typedef struct pm_device_options {
    pm_logger logger;
    size_t host_threads; /* of the device, at least 1 */
} pm_device_options;

struct pm_device {
    const pm_backend *backend;
    pm_device_options options;
    pm_device_info info;
    bool slow_compiler; /* a program takes minutes to build: whoever can do with few does */
    /* Complete devices that this one consists of; a single device consists of itself. */
    pm_device **members;
    size_t member_count;
    pm_device *self; /* what `members` points to then */
};

struct pm_device_clip {
    pm_device *device;
    const pm_clip_data *data;
    pm_device_clip **members; /* on each member of the device */
    pm_device_clip *self;
};

struct pm_device_crowd {
    pm_device *device;
    const pm_crowd_data *data;
};

/* Fill what a backend begins its own with, as of a single device. */
void pm_device_begin(pm_device *device, const pm_backend *backend,
                     const pm_device_options *options);
void pm_device_clip_begin(pm_device_clip *clip, pm_device *device, const pm_clip_data *data);

#endif
