/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend in plain C, which is the reference path. It compiles the
 * kernels' headers as C. Its functions also take requests without a device.
 */
#ifndef PM_HOST_CPU_H
#define PM_HOST_CPU_H

#include "backend/backend.h"

/* A device of this backend, or NULL without memory. The caller owns it; free it with the backend's
 * close. */
pm_device *pm_cpu_device_open(const pm_device_options *options);

/* Computes a request for samples into host memory, in lanes where they serve. Thread-safe. */
pm_status pm_cpu_sample(const pm_sample_request *request, pm_error *error);

/* Likewise, in the lanes of an instruction set, which the processor must support. */
pm_status pm_cpu_sample_with(size_t instruction_set, const pm_sample_request *request,
                             pm_error *error);

/* The same track by track, in loops that no kernel has: the reference that other paths are compared
 * with. Thread-safe. */
pm_status pm_cpu_sample_by_track(const pm_sample_request *request, pm_error *error);

/* Computes a request with a low-pass in the lanes of an instruction set. Thread-safe. */
pm_status pm_cpu_lowpass(size_t instruction_set, const pm_sample_request *request, pm_error *error);

/* Streams of the tracks of a description, which jobs share: a later job goes on where an earlier one
 * ended. Of one thread at a time. */
typedef struct pm_cpu_streams {
    bool stay;             /* for a later job; else each is closed when its part is done */
    unsigned outputs;      /* bits: those that are asked for */
    size_t blocks, pieces; /* how a job is divided */
    pm_clip_stream *of;    /* of each part of a job: owned */
} pm_cpu_streams;

void pm_cpu_streams_close(pm_cpu_streams *streams);

/* Whether pm_cpu_resample can compute a request of a checked description, whose clip is laid out. */
bool pm_cpu_resamples(const pm_clip_desc *desc, const pm_sample_request *request);

/* Computes it without a clip: the segments of some tracks are built a window at a time, and sampled while
 * they are in the cache. *needs_clip: some track turned out to require all of its keys at once, and results
 * are undefined. */
pm_status pm_cpu_resample(const pm_clip_desc *desc, const pm_sample_request *request,
                          pm_cpu_streams *streams, bool *needs_clip, pm_error *error);

/* Moves the points of a checked request in the lanes of an instruction set. Allocates nothing but for threads.
 * Thread-safe. */
pm_status pm_cpu_move_points(size_t instruction_set, const pm_points_request *request,
                             pm_error *error);

/* Fails as it would for a stamp that is refused, and for a track that there is none of. Thread-safe. */
pm_status pm_cpu_check_points(const pm_points_request *request, pm_error *error);

/* Computes a request for poses into host memory. Thread-safe. */
pm_status pm_cpu_pose(const pm_pose_request *request, pm_error *error);

/* Bytes that a thread of it allocates at a time: of matrices, and with chains of local poses; beside rows of states of
 * bodies: a cache line for each number of their records. */
size_t pm_cpu_pose_bytes(const pm_crowd_data *crowd);
size_t pm_cpu_local_bytes(const pm_pose_request *request);

/* One instance with its layers, or local poses in its place; all borrowed. */
typedef struct pm_posed {
    const pm_host *host; /* of working memory */
    pm_view view;
    uint64_t flags; /* of pm_target_flag */
    const pm_crowd_instance *instance;
    const pm_crowd_layer *layers;
    size_t layer_count;          /* at most PM_MAX_LAYERS */
    const pm_chain_list *chains; /* NULL: none */
    const void *goals;           /* theirs */
    const void *transition;      /* its state; NULL: none */
    int64_t transition_time;
    void *plants;         /* the state of its planted feet, which is written; NULL: none */
    const float *heights; /* of the ground; NULL: none */
    pm_height_grid grid;
    const void *given;             /* the records of PM_CROWD_LOCAL; NULL: the instance is posed */
    const pm_placement *placement; /* of bodies; NULL: none */
    const float *speed;            /* likewise */
} pm_posed;

/* Writes the records of one instance, contiguously, on the calling thread. Fails with
 * PM_ERROR_MEMORY only. Thread-safe. */
pm_status pm_cpu_pose_one(const pm_crowd_data *crowd, const pm_posed *from, void *records,
                          pm_error *error);

/* Writes the states of a request with a capture, whose list, poses and states are in host memory. */
pm_status pm_cpu_capture_states(const pm_pose_request *request, pm_error *error);

/* Writes the states of a change; its fields are checked. `requests` pose what is before it and after it, as in
 * pm_crowd_transition, with a list of indices. */
pm_status pm_cpu_begin_transitions(const pm_pose_request requests[4],
                                   const pm_crowd_transition *change, pm_error *error);

/* The pm_root_pose_function of this backend. */
void pm_cpu_root_pose(const pm_crowd_data *crowd, const pm_input *input, float rotation[4],
                      float position[3]);

#endif
