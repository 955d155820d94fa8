/* SPDX-License-Identifier: MIT
 *
 * A request for poses: a checked job for a crowd with everything resolved. What it reads and writes is in
 * host memory, or in memory that its backend knows by handles.
 */
#ifndef PM_HOST_POSE_REQUEST_H
#define PM_HOST_POSE_REQUEST_H

#include "address.h"
#include "base/base.h"
#include "crowd/crowd.h"
#include "step.h"

typedef struct pm_pose_target {
    pm_view view;
    uint64_t flags;      /* of pm_target_flag */
    pm_address to;       /* of record 0 */
    pm_address previous; /* receives the old contents of `to`, at the same stride */
    size_t stride;       /* bytes from an instance's records to the next one's */
    size_t bytes;        /* of an instance's records */
} pm_pose_target;

enum { PM_POSE_INPUTS = PM_MEMORY_SPEEDS - PM_MEMORY_INSTANCES + 1 };

/* Begins transitions: `poses` of entries are those before a change and after it, each a step before it and at it, and
 * `transitions` are written, as of transition_time. */
typedef struct pm_capture_rule {
    float duration; /* 0: none */
    float rate;     /* one over the seconds of the step */
    size_t apart;   /* bytes between the four arrays of poses */
} pm_capture_rule;

/* `step` in ticks. */
static inline pm_capture_rule pm_capture_rule_of(int64_t step, float duration) {
    return (pm_capture_rule){duration, (float)(PM_TICKS_PER_SECOND / (double)step), 0};
}

typedef struct pm_pose_request {
    const pm_host *host; /* that of the crowd, or of comparisons within another request. Borrowed */
    const pm_crowd_data *crowd;
    /* What it reads, in the order of pm_memory; `plants` are also written. */
    union {
        struct {
            pm_address instances; /* or `poses`: local poses in their place */
            pm_address layers, ranges;
            pm_address indices; /* none: all instances */
            pm_address counted; /* the number of indices; none: index_count */
            pm_address poses;
            pm_address placements; /* of bodies, and of goals in the world */
            pm_address goals;
            pm_address transitions;
            pm_address plants;  /* states of planted feet */
            pm_address heights; /* of the ground */
            pm_address speeds;  /* of bodies */
        };
        pm_address inputs[PM_POSE_INPUTS];
    };
    size_t instance_count;
    size_t layer_count;
    size_t index_count; /* at most, where they are counted */
    size_t pose_stride, goal_stride, transition_stride, plant_stride;
    int64_t transition_time; /* also of planted feet */
    pm_chain_list chains;    /* their goals are in the same order */
    pm_height_grid grid;     /* of `heights` */
    pm_u32 staged;           /* PM_STAGED_...: what `poses` are */
    size_t first; /* number of instance 0 in the whole job, which decides when it is updated */
    uint64_t frame;
    bool packed;             /* records are those of entries of `indices` */
    bool poses_all;          /* levels that skip frames are posed */
    pm_capture_rule capture; /* in place of targets */
    size_t host_threads;
    size_t target_count;
    pm_pose_target targets[PM_CROWD_MAX_TARGETS];
} pm_pose_request;

/* The rows of an input. */
typedef struct pm_pose_rows {
    const char *name; /* of the field in public headers */
    size_t count, bytes;
    size_t stride;     /* bytes from a row to the next one */
    size_t alignment;  /* of an offset in device memory */
    bool of_instances; /* a row for each instance */
} pm_pose_rows;

/* Those of an input from PM_MEMORY_INSTANCES to PM_MEMORY_SPEEDS. */
pm_pose_rows pm_pose_rows_of(const pm_pose_request *request, pm_memory input);

/* Copies rows without gaps. */
void pm_pose_copy_rows(const pm_pose_rows *rows, const void *from, void *to);

/* The stride of an input whose rows may have gaps; NULL: they have none. */
static inline size_t *pm_pose_stride(pm_pose_request *request, pm_memory input) {
    return input == PM_MEMORY_POSES         ? &request->pose_stride
           : input == PM_MEMORY_GOALS       ? &request->goal_stride
           : input == PM_MEMORY_TRANSITIONS ? &request->transition_stride
           : input == PM_MEMORY_PLANTS      ? &request->plant_stride
                                            : NULL;
}

static inline pm_address *pm_pose_input(pm_pose_request *request, pm_memory input) {
    return &request->inputs[input - PM_MEMORY_INSTANCES];
}

/* Whether pieces of a request have rows of an input of their own. Pieces of the entries of a list read
 * instances in any order. */
bool pm_pose_is_divided(const pm_pose_rows *rows, pm_memory input, bool by_entries);

/* The number of entries: of the list, or of all instances. */
size_t pm_pose_entries(const pm_pose_request *request);

/* Bytes of the local poses of all joints of an instance. */
static inline size_t pm_pose_local_bytes(const pm_pose_request *request) {
    return request->crowd->skeleton->joint_count * pm_crowd_record_bytes(PM_CROWD_LOCAL);
}

/* A request with chains takes two others: one that writes the local poses of its entries, one behind another, and
 * one that writes its targets from them. Between both the chains change the poses. */
pm_pose_request pm_pose_before_chains(const pm_pose_request *request, pm_address local);
pm_pose_request pm_pose_after_chains(const pm_pose_request *request, pm_address local);

/* Whether there is nothing to pose. */
bool pm_pose_is_empty(const pm_pose_request *request);

/* Whether a target is computed together with one before it. */
bool pm_pose_is_computed(const pm_pose_request *request, size_t target);

/* Whether a request in host memory computes instance `index` of an entry: it exists, and is updated in
 * this frame. */
bool pm_pose_computes(const pm_pose_request *request, size_t index);

/* The number of instances' records in the memory of a target. */
size_t pm_pose_records(const pm_pose_request *request);

/* Bytes from the first record of a target to the end of the last one. */
size_t pm_pose_target_bytes(const pm_pose_request *request, const pm_pose_target *target);

/* A part of a request whose indices are in host memory. With records in the order of the list, its entries
 * [from, from + count); else its instances [from, from + count), of a list those that it names, counted
 * from the first: `indices` has room for all of the list. */
pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece,
                                      uint32_t *indices);

/* Copies some of the present records of all targets, in host memory, to their `previous`, if they have
 * one. */
void pm_pose_keep_previous(const pm_pose_request *request, const pm_piece *records);

#endif
