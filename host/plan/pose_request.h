/* SPDX-License-Identifier: MIT
 *
 * A request for poses into host memory: a checked job for a crowd with its strides resolved.
 */
#ifndef PM_HOST_POSE_REQUEST_H
#define PM_HOST_POSE_REQUEST_H

#include "base/base.h"
#include "crowd/crowd.h"

/* The memory of a view. */
typedef struct pm_pose_target {
    pm_view view;
    uint64_t flags; /* of pm_target_flag */
    unsigned char *memory;
    unsigned char *previous; /* receives the old contents of `memory`; NULL: none */
    size_t stride;           /* bytes from an instance's records to the next one's */
    size_t bytes;            /* of an instance's records */
} pm_pose_target;

typedef struct pm_pose_request {
    const pm_host *host; /* that of the crowd, or of comparisons within another request. Borrowed */
    const pm_crowd_data *crowd;
    const pm_crowd_instance *instances; /* NULL: local poses are given */
    size_t instance_count;
    size_t first; /* number of instance 0 in the whole job, which decides when it is updated */
    uint64_t frame;
    const pm_crowd_layer *layers; /* NULL: none */
    size_t layer_count;
    const pm_crowd_range *ranges;
    const unsigned char *poses; /* local poses in place of instances */
    size_t pose_stride;
    const uint32_t *indices; /* NULL: all instances */
    size_t index_count;
    bool packed;                    /* records are those of entries of `indices` */
    const pm_placement *placements; /* of bodies; NULL: none */
    const float *speeds;
    size_t host_threads;
    size_t target_count;
    pm_pose_target targets[PM_CROWD_MAX_TARGETS];
} pm_pose_request;

/* The request of a checked job. `host_threads` applies where the job sets none. Borrows the job's
 * memory. */
pm_pose_request pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                                   size_t host_threads);

/* The number of entries: of the list, or of all instances. */
size_t pm_pose_entries(const pm_pose_request *request);

/* Whether a target is computed together with one before it. */
bool pm_pose_is_computed(const pm_pose_request *request, size_t target);

/* Whether a request computes instance `index` of an entry: it exists, and is updated in this frame. */
bool pm_pose_computes(const pm_pose_request *request, size_t index);

/* The number of instances' records in the memory of a target. */
size_t pm_pose_records(const pm_pose_request *request);

/* Bytes from the first record of a target to the end of the last one. */
size_t pm_pose_target_bytes(const pm_pose_request *request, const pm_pose_target *target);

/* A part of a request. With records in the order of the list, its entries [from, from + count); else
 * its instances [from, from + count), of a list those that it names, counted from the first:
 * `indices` has room for all of the list. */
pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece,
                                      uint32_t *indices);

/* Copies some of the present records of all targets to their `previous`, if they have one. */
void pm_pose_keep_previous(const pm_pose_request *request, const pm_piece *records);

#endif
