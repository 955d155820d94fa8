/* SPDX-License-Identifier: MIT
 *
 * The objects of the public headers, private to this room. Each combines the data that other rooms
 * built with the engine that it belongs to. This room alone knows all backends.
 */
#ifndef PM_HOST_ENGINE_H
#define PM_HOST_ENGINE_H

#include "backend/backend.h"

struct pm_engine {
    pm_device *device; /* owned */
    pm_logger logger;
    size_t host_threads;       /* at least 1 */
    bool builds_in_background; /* build_in_background of the description */
};

struct pm_clip {
    pm_engine *engine;         /* borrowed */
    pm_clip_data *data;        /* owned */
    pm_device_clip *on_device; /* owned */
};

struct pm_crowd {
    pm_engine *engine;          /* borrowed */
    pm_crowd_data *data;        /* owned */
    pm_device_crowd *on_device; /* owned */
};

/* Checks the fields of a description that do not depend on how its device is chosen. */
pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error);

/* An engine without a device; NULL without memory. Free it with pm_engine_destroy. */
pm_engine *pm_engine_new(const pm_engine_desc *desc);

/* The options for opening an engine's devices. */
pm_device_options pm_engine_device_options(const pm_engine *engine);

/* Passes devices, at least one, to the engine, which then owns them. Closes them on failure. Frees
 * the array `devices`. */
pm_status pm_engine_attach(pm_engine *engine, pm_device **devices, size_t count, pm_error *error);

/* The request of a checked job: to the device, or to the reference path where the job selects it.
 * Borrows the clip and the job's arrays. */
pm_sample_request pm_engine_sample_request(const pm_clip *clip, const pm_sample_job *job);

/* The part of pm_sample_check that does not check outputs, by up to `threads` threads. */
pm_status pm_sample_check_times(const pm_clip_data *clip, const pm_sample_job *job, size_t threads,
                                pm_error *error);

/* Computes a request while its programs are built in the background: the reference path samples
 * with up to `threads` host threads until the programs are ready. Thread-safe. */
pm_status pm_sample_in_background(const pm_device_clip *clip, const pm_sample_request *request,
                                  size_t threads, pm_error *error);

/* The same for poses: the reference path computes the whole request, or the device does. */
pm_status pm_pose_in_background(pm_device_crowd *crowd, const pm_pose_request *request,
                                pm_error *error);

#endif
