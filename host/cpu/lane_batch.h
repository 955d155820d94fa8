/* SPDX-License-Identifier: MIT
 *
 * Instances that are posed in lanes on the host, an instance each, and where their records go. lane_poses.c
 * and bodies.c pose them as the kernels do; both are compiled once for each instruction set.
 */
#ifndef PM_HOST_LANE_BATCH_H
#define PM_HOST_LANE_BATCH_H

#include "backend/backend.h"
#include "kernels/pm_instance.h"

/* Instances of a batch: whole vectors of lanes, several of them, so that the keys of one are on their way while
 * another is posed. */
enum { PM_LANE_BATCH = 64 };

/* Instances of a request, which is borrowed. */
typedef struct pm_lane_batch {
    const pm_pose_request *request;
    size_t count;
    size_t index[PM_LANE_BATCH];  /* of the instance */
    size_t record[PM_LANE_BATCH]; /* the number of its records */
} pm_lane_batch;

/* Where a batch's states of bodies go, which are computed together. */
typedef struct pm_body_memory {
    uint32_t set;                       /* the number of the joints' set */
    unsigned char *of[PM_BODY_OUTPUTS]; /* of record 0; NULL: not computed */
    size_t stride[PM_BODY_OUTPUTS];     /* bytes from an instance's records to the next one's */
    uint64_t flags[PM_BODY_OUTPUTS];
} pm_body_memory;

/* The functions of an instruction set. They pose the instances of a batch, at least 1, and are thread-safe. */
typedef struct pm_lane_functions {
    const size_t *lanes; /* of a vector */
    /* A view but those of bodies, of the first `count` instances: to `memory`, of record 0, with `stride` bytes
     * between instances' records. */
    void (*poses)(const pm_lane_batch *batch, size_t count, pm_view view, unsigned char *memory,
                  size_t stride);
    void (*bodies)(const pm_lane_batch *batch, const pm_body_memory *memory);
} pm_lane_functions;

#define PM_DECLARE_LANES(set)                                                                      \
    extern const size_t pm_lane_count_##set;                                                       \
    void pm_lane_poses_##set(const pm_lane_batch *, size_t, pm_view, unsigned char *, size_t);     \
    void pm_bodies_##set(const pm_lane_batch *, const pm_body_memory *);
PM_INSTRUCTION_SETS(PM_DECLARE_LANES)

#endif
