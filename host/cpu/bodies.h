/* SPDX-License-Identifier: MIT
 *
 * States of bodies on the host: some instances, and where their states go. bodies.c poses them in lanes, an
 * instance each, as the kernel does; it is compiled once for each instruction set.
 */
#ifndef PM_HOST_BODIES_H
#define PM_HOST_BODIES_H

#include "crowd/crowd.h"
#include "kernels/pm_instance.h"

/* Instances of a batch: whole vectors of lanes, several of them, so that the keys of one are on their way while
 * another is posed. */
enum { PM_BODY_BATCH = 64 };

/* All pointers are borrowed. */
typedef struct pm_body_instance {
    pm_input input; /* of clip A */
    pm_u32 level, in_place;
    float speed;
    size_t record; /* the number of its records */
    const pm_placement *placement;
} pm_body_instance;

typedef struct pm_body_batch {
    const pm_crowd_data *crowd;
    uint32_t set;                           /* the number of the joints' set */
    bool placed;                            /* instances have placements */
    unsigned char *memory[PM_BODY_OUTPUTS]; /* of record 0; NULL: not computed */
    size_t stride[PM_BODY_OUTPUTS];         /* bytes from an instance's records to the next one's */
    uint64_t flags[PM_BODY_OUTPUTS];
    void *room; /* a cache line for each number of an instance's records of all outputs */
    size_t count;
    pm_body_instance of[PM_BODY_BATCH];
} pm_body_batch;

/* Numbers of an instance's records of an output. */
static inline size_t pm_body_numbers(const pm_body_batch *b, unsigned output) {
    return b->crowd->skeleton->sets[b->set].record_count *
           pm_crowd_outputs[PM_CROWD_BODY_POS + output].numbers;
}

/* Poses the instances of a batch, at least 1. Thread-safe. */
typedef void (*pm_bodies_function)(const pm_body_batch *batch);

/* Declares the function of bodies.c for an instruction set. */
#define PM_DECLARE_BODIES(set) void pm_bodies_##set(const pm_body_batch *);
PM_INSTRUCTION_SETS(PM_DECLARE_BODIES)

#endif
