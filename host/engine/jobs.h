/* SPDX-License-Identifier: MIT
 *
 * Kinds of job. What depends on the kind of a job is a row of pm_job_kinds: who computes a job (compute.c), jobs
 * while programs are built (background.c), pieces for several devices and the self-check walk the rows, and know no
 * kind. Rows are functions of plan/, cpu/ and the backends.
 */
#ifndef PM_HOST_JOBS_H
#define PM_HOST_JOBS_H

#include "backend/backend.h"

typedef struct pm_job_kind pm_job_kind;
typedef struct pm_check pm_check; /* check_material.h */

/* A checked job with everything resolved. Borrows all but `list`. */
typedef struct pm_job {
    const pm_job_kind *kind;
    pm_device *device;
    size_t host_threads; /* of plain C, at least 1 */
    const struct pm_clip
        *source; /* whose keys plain C may have to read from the device; NULL: none */
    union {
        const pm_device_clip *clip;
        pm_device_crowd *crowd;
    } on;
    union {
        const pm_host *host; /* the first field of all */
        pm_sample_request samples;
        pm_pose_request poses;
        pm_points_request points;
    } request;
    uint32_t *list; /* of a part: owned, for pm_release */
} pm_job;

/* The most programs of a job. */
enum { PM_JOB_PROGRAMS = PM_POSE_VARIANTS };

/* A row. Jobs consist of elements: samples, the records of instances, or points. Results have no bits that depend on how
 * a job is cut, on threads, or on who computes it. All functions are thread-safe. */
struct pm_job_kind {
    const char *name;
    size_t outputs; /* numbers of outputs are below */

    size_t (*elements)(const pm_job *job);
    size_t (*width)(const pm_job *job); /* values of an element, about; at least 1 */

    /* Makes the job a part of itself, with a `list` of its own or NULL. */
    pm_status (*cut)(pm_job *job, const pm_piece *piece, pm_error *error);

    /* The first element that is computed; the number of elements: none is. */
    size_t (*first)(const pm_job *job);

    /* The bytes of an output without gaps; 0: it is not asked for. */
    size_t (*bytes)(const pm_job *job, size_t output);

    /* Leaves a job with one output, to so many bytes. */
    void (*aim)(pm_job *job, size_t output, pm_address to);

    /* The programs of a job on a device. Returns their number. */
    size_t (*programs)(const pm_job *job, const pm_plan_device *device,
                       pm_variant programs[PM_JOB_PROGRAMS]);

    pm_status (*in_plain_c)(const pm_job *job, size_t threads, pm_error *error);
    pm_status (*by_reference)(const pm_job *job, pm_error *error); /* on the calling thread */
    pm_status (*on_device)(const pm_job *job, size_t member, pm_error *error);
    /* On a caller's queue of a member. */
    pm_status (*enqueue)(const pm_job *job, size_t member, const pm_queue *queue, void **done,
                         pm_error *error);

    /* The self-check, for some of these paths (pm_check_path). NULL: that of another row has jobs of this one. */
    uint32_t checked_paths;
    pm_status (*self_check)(pm_device *device, pm_check *check, pm_error *error);
};

typedef enum pm_job_row {
    PM_JOB_SAMPLES,
    PM_JOB_PAIRS, /* of track and time */
    PM_JOB_LOWPASS,
    PM_JOB_POSES,
    PM_JOB_STATES, /* of bodies, and poses beside them */
    PM_JOB_POINTS, /* that trajectories move */
    PM_JOB_KIND_COUNT
} pm_job_row;

extern const pm_job_kind *const pm_job_kinds[PM_JOB_KIND_COUNT];

/* The jobs of resolved requests. `threads` are those of plain C. */
pm_job pm_job_of_samples(const pm_device_clip *clip, const pm_sample_request *request,
                         size_t threads);
pm_job pm_job_of_poses(pm_device_crowd *crowd, const pm_pose_request *request);
pm_job pm_job_of_points(pm_device *device, const pm_points_request *request);

/* The functions `enqueue` of the rows where the queue of `device` runs plain C: on the threads that the device may use,
 * with copies of all that the job borrows. */
pm_status pm_enqueue_samples_call(const pm_job *job, const pm_device *device, const pm_queue *queue,
                                  void **done, pm_error *error);
pm_status pm_enqueue_poses_call(const pm_job *job, const pm_device *device, const pm_queue *queue,
                                void **done, pm_error *error);
pm_status pm_enqueue_points_call(const pm_job *job, const pm_device *device, const pm_queue *queue,
                                 void **done, pm_error *error);

/* Computes a job: by plain C where `on_reference` or the device says so, else on its device. Programs are
 * built in the background if `in_background`. Thread-safe, as all below. */
pm_status pm_job_compute(const pm_job *job, bool on_reference, bool in_background, pm_error *error);

/* Computes a job on its device, or on the members of several, of which some may leave it to plain C. */
pm_status pm_job_on_device(const pm_job *job, pm_error *error);

/* Computes each output of a job on a member of its device and on the reference path, in memory of its own. Clears
 * *same where the bits differ. With `all`, what neither of them writes differs, and a queue of the member is compared,
 * too. */
pm_status pm_job_compare(const pm_job *job, size_t member, bool all, bool *same, pm_error *error);

/* Computes a job. While its programs are built in the background, plain C computes it, unless it is large. */
pm_status pm_job_in_background(const pm_job *job, pm_error *error);

/* The worst state of the programs of a job, on all members of its device. Missing programs are requested without
 * waiting. A failed build is reported once, with its error. */
pm_readiness pm_job_readiness(const pm_job *job, pm_error *error);

#endif
