/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the interface of a backend. A backend opens devices, uploads clips and
 * crowds to them, and computes resolved requests. Its structs begin with one of the structs below;
 * their other fields are private to the backend.
 */
#ifndef PM_HOST_BACKEND_H
#define PM_HOST_BACKEND_H

#include <stdatomic.h>

#include "base/base.h"
#include "plan/plan.h"

typedef struct pm_device pm_device;
typedef struct pm_device_clip pm_device_clip;
typedef struct pm_device_crowd pm_device_crowd;

/* The state of a request's programs, from best to worst. */
typedef enum pm_readiness {
    PM_READY,
    PM_READY_UNCHECKED, /* all built; no result of the new ones has been compared yet */
    PM_READY_LATER,     /* a program is being built */
    PM_READY_NEVER      /* a build failed */
} pm_readiness;

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

    /* Samples into host memory. When it returns, successful or not, no command writes there any
     * more. */
    pm_status (*sample)(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error);

    /* All three are NULL for a backend without programs. prepare requests the programs of a request
     * without waiting. readiness returns their state; a failed build is reported once, with its
     * error. mark_checked turns PM_READY_UNCHECKED into PM_READY. */
    pm_status (*prepare)(const pm_device_clip *clip, const pm_sample_request *request,
                         pm_error *error);
    pm_readiness (*readiness)(const pm_device_clip *clip, const pm_sample_request *request,
                              pm_error *error);
    void (*mark_checked)(const pm_device_clip *clip, const pm_sample_request *request);

    /* The same for crowds. All three are NULL for a backend without crowds. */
    pm_status (*upload_crowd)(pm_device *device, const pm_crowd_data *data, pm_device_crowd **crowd,
                              pm_error *error);
    void (*release_crowd)(pm_device_crowd *crowd);
    pm_status (*pose)(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error);

    /* Like prepare, readiness and mark_checked, for the outputs of a request that have memory. */
    pm_status (*prepare_poses)(const pm_device_crowd *crowd, const pm_pose_request *request,
                               pm_error *error);
    pm_readiness (*poses_readiness)(const pm_device_crowd *crowd, const pm_pose_request *request,
                                    pm_error *error);
    void (*mark_poses_checked)(const pm_device_crowd *crowd, const pm_pose_request *request);
} pm_backend;

/* Options for opening a device, common to all backends. */
typedef struct pm_device_options {
    pm_logger logger;
    size_t host_threads; /* host threads that the device may use, at least 1 */
} pm_device_options;

struct pm_device {
    const pm_backend *backend;
    pm_device_options options;
    pm_device_info info;
    bool slow_compiler; /* building a program takes minutes: use few programs */
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

/* Whether the process was forked after the device was opened: nothing of it may be used or released. */
bool pm_device_is_lost(const pm_device *device);

/* PM_ERROR_DEVICE with a hint for a lost device. */
pm_status pm_device_check(const pm_device *device, pm_error *error);

/* Initialise the common part of a backend's device and clip, for a single device. The struct must
 * not move afterwards, because `members` points into it. */
void pm_device_begin(pm_device *device, const pm_backend *backend,
                     const pm_device_options *options);
void pm_device_clip_begin(pm_device_clip *clip, pm_device *device, const pm_clip_data *data);

#endif
