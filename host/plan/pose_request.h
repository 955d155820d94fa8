/* SPDX-License-Identifier: MIT
 *
 * A request for poses into host memory: a checked job for a crowd with its strides resolved.
 */
#ifndef PM_HOST_POSE_REQUEST_H
#define PM_HOST_POSE_REQUEST_H

#include "base/base.h"
#include "crowd/crowd.h"

/* The memory of an output. */
typedef struct pm_pose_target {
    unsigned char *memory;   /* NULL: not requested */
    unsigned char *previous; /* receives the old contents of `memory`; NULL: none */
    size_t stride;           /* bytes from an instance's records to the next one's */
    size_t bytes;            /* of an instance's records */
} pm_pose_target;

typedef struct pm_pose_request {
    const pm_crowd_data *crowd;
    const pm_crowd_instance *instances;
    size_t instance_count;
    size_t first; /* number of instance 0 in the whole job, which decides when it is updated */
    uint64_t frame;
    size_t host_threads;
    pm_pose_target targets[PM_CROWD_OUTPUT_COUNT];
} pm_pose_request;

/* The request of a checked job. `host_threads` applies where the job sets none. Borrows the job's
 * memory. */
pm_pose_request pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                                   size_t host_threads);

/* A request for instances [from, from + count) of a request. */
pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece);

/* Copies the present records of an instance to the output's `previous`, if it has one. */
void pm_pose_keep_previous(const pm_pose_request *request, unsigned output, size_t instance);

#endif
