/* SPDX-License-Identifier: MIT
 *
 * The engine inside the library, and the door to its OpenCL half. Without OpenCL
 * (POSEMILL_OPENCL 0) only the reference path is behind it.
 */
#ifndef PM_HOST_ENGINE_H
#define PM_HOST_ENGINE_H

#include "clip.h"

struct pm_engine {
    pm_device_info info;
    pm_log_function log;
    void *log_user;
    size_t host_threads;     /* at least 1 */
    struct pm_cl_engine *cl; /* NULL on the reference path */
};

void pm_log(const pm_engine *engine, pm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What can be refused before a device is opened. */
pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error);

/* The engine of a description, but for its device. */
pm_engine *pm_engine_new(const pm_engine_desc *desc);

#if POSEMILL_OPENCL
/* Opens desc->device; PM_ERROR_NO_PLATFORM or _NO_DEVICE when there is none such. */
pm_status pm_cl_open(pm_engine *engine, const pm_engine_desc *desc, pm_error *error);
void pm_cl_close(pm_engine *engine);

/* pm_engine_tune of checked arguments, on an engine that has a device. */
pm_status pm_cl_tune(pm_engine *engine, pm_trial *trials, size_t capacity, size_t *count,
                     size_t *best, pm_error *error);

/* Copies a clip's planes to the device. */
pm_status pm_cl_clip_upload(pm_clip *clip, pm_error *error);
void pm_cl_clip_release(pm_clip *clip);

/* A checked job, into host memory, in pieces. */
pm_status pm_cl_sample_to_host(const pm_clip *clip, const pm_sample_job *job, pm_error *error);
#endif

#endif
