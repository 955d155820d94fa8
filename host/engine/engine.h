/* SPDX-License-Identifier: MIT
 *
 * The objects of the public headers, inside this room: each is what other rooms built, with the
 * engine that it belongs to. This room alone knows all backends.
 */
#ifndef PM_HOST_ENGINE_H
#define PM_HOST_ENGINE_H

#include "backend/backend.h"

struct pm_engine {
    pm_device *device;
    pm_logger logger;
    size_t host_threads;       /* at least 1 */
    bool builds_in_background; /* as the description says */
};

struct pm_clip {
    pm_engine *engine;
    pm_clip_data *data;
    pm_device_clip *on_device;
};

struct pm_crowd {
    pm_engine *engine;
    pm_crowd_data *data;
    pm_device_crowd *on_device;
};

/* What is refused of any description, whatever names the device. */
pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error);

/* An engine but for its device; NULL without memory. */
pm_engine *pm_engine_new(const pm_engine_desc *desc);

/* What backends are told when an engine opens its devices. */
pm_device_options pm_engine_device_options(const pm_engine *engine);

/* Gives the engine its devices, at least one, which are closed where this fails. Frees `devices`. */
pm_status pm_engine_attach(pm_engine *engine, pm_device **devices, size_t count, pm_error *error);

/* A checked job as a request: to the device, or to the reference path where the job says so. */
pm_sample_request pm_engine_sample_request(const pm_clip *clip, const pm_sample_job *job);

/* The part of pm_sample_check that does not look at outputs. */
pm_status pm_sample_check_times(const pm_clip_data *clip, const pm_sample_job *job,
                                pm_error *error);

/* A request of an engine that builds in the background: the reference path does what it can until
 * the programs are ready. `threads` of the host are the reference path's. */
pm_status pm_sample_in_background(const pm_device_clip *clip, const pm_sample_request *request,
                                  size_t threads, pm_error *error);

#endif
