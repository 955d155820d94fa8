/* SPDX-License-Identifier: MIT
 *
 * The engine inside the library, and the table of who evaluates behind it: plain C, an OpenCL
 * device, or several. Without OpenCL (POSEMILL_OPENCL 0) there is only the first.
 */
#ifndef PM_HOST_ENGINE_H
#define PM_HOST_ENGINE_H

#include "clip/clip.h"
#include "crowd/crowd.h"

/* What engines differ in. */
typedef struct pm_backend {
    void (*close)(pm_engine *engine);
    /* pm_engine_tune of checked arguments, with *count and *best 0 */
    pm_status (*tune)(pm_engine *engine, pm_launch_measurement *measurements, size_t capacity,
                      size_t *count, size_t *best, pm_error *error);
    /* brings the planes of a clip that is built to where they are read; `release` takes back
     * what a failure left of it */
    pm_status (*upload)(pm_clip *clip, pm_error *error);
    void (*release)(pm_clip *clip);
    /* a checked job, into host memory; when it returns, nothing writes there any more */
    pm_status (*sample)(const pm_clip *clip, const pm_sample_job *job, pm_error *error);
    /* of crowds, likewise; engines over several devices have none */
    pm_status (*upload_crowd)(pm_crowd *crowd, pm_error *error);
    void (*release_crowd)(pm_crowd *crowd);
    pm_status (*pose)(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error);
} pm_backend;

extern const pm_backend pm_reference_backend;

struct pm_engine {
    pm_device_info info;
    pm_log_function log;
    void *log_user;
    size_t host_threads;       /* at least 1 */
    bool builds_in_background; /* as the description says, of OpenCL devices */
    const pm_backend *backend;
    /* Complete engines of one device each: of several devices, theirs; else the engine itself. */
    pm_engine **parts;
    size_t part_count;
    pm_engine *self;         /* what `parts` points to where there is one */
    struct pm_cl_engine *cl; /* of an OpenCL device */
    struct pm_multi *multi;  /* of several */
};

/* Delivers a message of any length. The callback may call the library, so nothing is locked. */
void pm_log(const pm_engine *engine, pm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What can be refused of any description, whoever names the device. */
pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error);

/* Threads that a job which asks for `wanted` may use; 0 leaves it to the engine. */
static inline size_t pm_threads_of(const pm_engine *engine, uint32_t wanted) {
    return wanted ? wanted : engine->host_threads;
}

/* Whether bytes in one piece, of what is named, are no more than a device's largest allocation; the
 * reference path has none. */
pm_status pm_engine_check_allocation(const pm_engine *engine, const char *what, size_t bytes,
                                     pm_error *error);

/* The engine of a description, but for its device. */
pm_engine *pm_engine_new(const pm_engine_desc *desc);

#if POSEMILL_OPENCL
extern const pm_backend pm_cl_backend, pm_multi_backend;

/* Opens desc->device, or all that it names; PM_ERROR_NO_PLATFORM or _NO_DEVICE when there is
 * none such. */
pm_status pm_cl_open(pm_engine *engine, const pm_engine_desc *desc, pm_error *error);

/* A checked job of an engine that builds in the background: the reference path does what it can
 * until the programs are ready. */
pm_status pm_cl_sample_in_background(const pm_clip *clip, const pm_sample_job *job,
                                     pm_error *error);

/* How many programs an engine of an OpenCL device has built so far. Thread-safe. */
size_t pm_cl_program_count(const pm_engine *engine);
#endif

#endif
