/* SPDX-License-Identifier: MIT
 *
 * The door of this room, for tests: the objects of the public headers, and what its files share. This room alone
 * knows all backends.
 */
#ifndef PM_HOST_ENGINE_H
#define PM_HOST_ENGINE_H

#include <pthread.h>

#include "jobs.h"
#include "versions.h"

struct pm_engine {
    pm_device *device; /* owned */
    pm_logger logger;
    pm_host host;
    size_t host_threads;       /* at least 1 */
    bool builds_in_background; /* build_in_background of the description */
    pm_clip_building clip_building;
};

struct pm_clip {
    pm_engine *engine;         /* borrowed */
    pm_clip_data *data;        /* owned */
    pm_device_clip *on_device; /* owned */
    bool built_on_device;      /* the data has no keys until pm_clip_fetch reads them */
    pthread_mutex_t lock;      /* of pm_clip_fetch */
};

struct pm_filter {
    pm_clip *clip;        /* owned */
    pm_clip_data *source; /* layout of the keys alone: owned */
    pm_lowpass lowpass;
};

/* PM_OK where the fields of a description but `device` are valid. */
pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error);

/* The options of the devices of an engine. Several devices share its host threads. */
pm_device_options pm_engine_options(const pm_engine_desc *desc);

/* Creates an engine of devices, at least one. It owns them; on failure they are closed. Frees the
 * array. */
pm_status pm_engine_of_devices(const pm_engine_desc *desc, pm_device **devices, size_t count,
                               pm_engine **engine, pm_error *error);

/* pm_sample_subset of a clip. Thread-safe. */
pm_status pm_engine_subset(const pm_clip *clip, const pm_sample_job *job, pm_clip_data **subset,
                           pm_error *error);

/* The request of a job on the device of a clip. With several devices, host_threads is the number for each. Borrows
 * the clip, the job's subset (NULL: all tracks), and its arrays. */
pm_sample_request pm_engine_sample_request(const pm_clip *clip, const pm_clip_data *subset,
                                           const pm_sample_job *job);

/* Whether a request has outputs, and its clip their channels. */
pm_status pm_sample_check_outputs(const pm_sample_request *request, pm_error *error);

/* Whether a low-pass has what a job asks for. */
pm_status pm_filter_check(const pm_sample_job *job, const pm_sample_request *request,
                          pm_error *error);

/* Computes a request whose outputs are in host memory, in pieces of `values` values where they have strides: `compute`
 * gets requests without, whose samples are copied to their places. Thread-safe if `compute` is. */
typedef pm_status (*pm_compute_samples)(void *context, const pm_sample_request *request,
                                        pm_error *error);
pm_status pm_sample_with_strides(const pm_sample_request *request, size_t values,
                                 pm_compute_samples compute, void *context, pm_error *error);
enum { PM_STRIDED_VALUES = 1 << 18 };

/* Computes the request of a checked job. Thread-safe. */
pm_status pm_engine_sample(const pm_clip *clip, const pm_sample_job *job,
                           const pm_sample_request *request, pm_error *error);

/* The request of a job into host memory, resolved and checked, or one that is empty. `host_threads` applies
 * where the job sets none. Borrows the job's memory. */
pm_status pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                             size_t host_threads, pm_pose_request *request, pm_error *error);

/* What a request for points borrows. */
typedef struct pm_points_made {
    pm_points_end *ends;
    float *arcs;
} pm_points_made;

/* Checks a job, and resolves it. `handles` (PM_POINTS_FIELDS) are those of a caller's queue; NULL: all is in host
 * memory. Free *made after a failure, too. */
pm_status pm_points_request_of(const pm_points_job *job, const pm_address *handles,
                               pm_points_request *request, pm_points_made *made, pm_error *error);
void pm_points_made_free(pm_points_made *made);

/* Refuses steps in ticks, and durations in seconds, of no change. */
pm_status pm_transition_check_times(int64_t step, float duration, pm_error *error);

/* Refuses an empty list of targets, and one of more than PM_CROWD_MAX_TARGETS. */
pm_status pm_pose_check_list(const void *outputs, size_t count, pm_error *error);

/* Resolves the strides of a request that is not empty, and checks it. Its addresses, numbers and targets are
 * those of a job. `device` is that of a caller's queue, whose targets are handles; NULL: all is in host memory. */
pm_status pm_pose_resolve(pm_pose_request *request, const pm_device *device, pm_error *error);
/* Creates a clip; with `buffers` (see pm_backend.build_clip), whose shape is checked, only where the device builds it:
 * else *clip stays. */
pm_status pm_clip_make(pm_engine *engine, const pm_clip_desc *desc, const void *buffers,
                       pm_clip **clip, pm_error *error);

/* Reads the keys of a clip that its device built, for the reference path. Thread-safe. */
pm_status pm_clip_fetch(const pm_clip *clip, pm_error *error);

#endif
