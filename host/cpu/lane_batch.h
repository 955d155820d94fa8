/* SPDX-License-Identifier: MIT
 *
 * Instances that are posed in lanes on the host, an instance each, and where their records go. lane_poses.c
 * and bodies.c pose them as the kernels do; both are compiled once for each instruction set.
 */
#ifndef PM_HOST_LANE_BATCH_H
#define PM_HOST_LANE_BATCH_H

#include "backend/backend.h"
#include "kernels/pm_instance.h"
#include "kernels/pm_transition.h"

/* Instances of a batch: whole vectors of lanes, several of them, so that the keys of one are on their way while
 * another is posed. */
enum { PM_LANE_BATCH = 128 };

/* Lanes of the widest instruction set. */
enum { PM_MOST_LANES = 16 };

/* Instances of a request, which is borrowed. */
typedef struct pm_lane_batch {
    const pm_pose_request *request;
    void *rows; /* for states of bodies: a cache line for each number of an instance's records */
    /* With chains: the local poses of PM_MOST_LANES instances in lanes, then as records of PM_CROWD_LOCAL, then a
     * byte for each joint. */
    void *local;
    size_t count;
    size_t index[PM_LANE_BATCH];  /* of the instance */
    size_t record[PM_LANE_BATCH]; /* the number of its records */
} pm_lane_batch;

/* The records of the instance in a place of a batch. */
static inline unsigned char *pm_lane_records(const pm_lane_batch *batch, size_t place,
                                             const pm_pose_target *target) {
    return (unsigned char *)target->to.memory + batch->record[place] * target->stride;
}

/* With chains: room for records of PM_CROWD_LOCAL. */
static inline float *pm_lane_local_records(const pm_lane_batch *batch) {
    return (float *)batch->local + 12 * PM_MOST_LANES * batch->request->crowd->padded_joints;
}

/* States of transitions that are captured from local poses. */
typedef struct pm_capture {
    const pm_crowd_data *crowd;
    /* (count) records of PM_CROWD_LOCAL, those of an instance `pose` floats apart. */
    const float *before[2], *after[2];
    size_t pose;
    unsigned char *states; /* of instance 0 */
    size_t stride;
    pm_transition_head head;
    float rate; /* one over the seconds of the step */
    const uint32_t *
        index; /* (count) of the instances; those from instance_count on do not exist. NULL: from `first` on */
    size_t first, instance_count, count;
} pm_capture;
typedef void (*pm_capture_function)(const pm_capture *capture);

/* Targets of a batch for states of bodies, which are computed together. */
typedef struct pm_lane_bodies {
    uint32_t set;                              /* the number of the joints' set */
    const pm_pose_target *of[PM_BODY_OUTPUTS]; /* NULL: not computed */
} pm_lane_bodies;

/* The functions of an instruction set. They pose the instances of a batch, at least 1, and are thread-safe. */
typedef struct pm_lane_functions {
    const size_t *lanes; /* of a vector */
    /* Targets but those of bodies, for the first `count` instances. With chains all targets of the request. */
    void (*poses)(const pm_lane_batch *batch, size_t count, const pm_pose_target *targets,
                  size_t target_count);
    void (*bodies)(const pm_lane_batch *batch, const pm_lane_bodies *targets);
    /* All chains of the request change the local poses of the batch's places from `from` on, `pose` floats each. */
    void (*reach)(const pm_lane_batch *batch, size_t from, float *poses, size_t pose);
    pm_capture_function capture;
} pm_lane_functions;

#define PM_DECLARE_LANES(set)                                                                      \
    extern const size_t pm_lane_count_##set;                                                       \
    void pm_lane_poses_##set(const pm_lane_batch *, size_t, const pm_pose_target *, size_t);       \
    void pm_bodies_##set(const pm_lane_batch *, const pm_lane_bodies *);                           \
    void pm_lane_reach_##set(const pm_lane_batch *, size_t, float *, size_t);                      \
    void pm_lane_capture_##set(const pm_capture *);
PM_INSTRUCTION_SETS(PM_DECLARE_LANES)

/* By the instruction set of the crowd. Thread-safe. */
void pm_cpu_capture(const pm_capture *capture);

#endif
