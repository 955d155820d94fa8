/* SPDX-License-Identifier: MIT
 *
 * A request for poses into host memory: a checked job of a crowd with its strides resolved.
 */
#ifndef PM_HOST_POSE_REQUEST_H
#define PM_HOST_POSE_REQUEST_H

#include "base/base.h"
#include "crowd/crowd.h"

/* Where an output goes. */
typedef struct pm_pose_target {
    unsigned char *memory; /* NULL: not wanted */
    unsigned char *previous;
    size_t stride; /* bytes from an instance's records to the next one's */
    size_t bytes;  /* of an instance's records */
} pm_pose_target;

typedef struct pm_pose_request {
    const pm_crowd_data *crowd;
    const pm_crowd_instance *instances;
    size_t instance_count;
    size_t first; /* number of instance 0 among all: they take turns by that */
    uint64_t frame;
    size_t host_threads;
    pm_pose_target targets[PM_CROWD_OUTPUT_COUNT];
} pm_pose_request;

/* Of a checked job; host_threads where the job leaves them open. */
pm_pose_request pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                                   size_t host_threads);

/* Instances [from, from + count) of a request, as a request. */
pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece);

/* Copies what an output holds of an instance of the request to its `previous`, if it has one. */
void pm_pose_keep_previous(const pm_pose_request *request, unsigned output, size_t instance);

#endif
