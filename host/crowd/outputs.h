/* SPDX-License-Identifier: MIT
 *
 * The outputs of crowds on the host: the table of kernels/pm_crowd_outputs.h, and what outputs require.
 */
#ifndef PM_HOST_OUTPUTS_H
#define PM_HOST_OUTPUTS_H

#include <posemill/posemill_crowd.h>

#include "kernels/pm_crowd_outputs.h"
#include "kernels/pm_instance.h"

typedef struct pm_crowd_output_row {
    const char *name; /* in the public header */
    unsigned form;    /* PM_FORM_LOCAL and so on */
    unsigned numbers; /* per record */
    unsigned bits;    /* per number */
    bool bound;       /* relative to the bind pose */
    bool whole;       /* a record for each instance, not for each joint */
} pm_crowd_output_row;

extern const pm_crowd_output_row pm_crowd_outputs[PM_CROWD_OUTPUT_COUNT];

/* Whether an output is one of the states of bodies, which a job computes together. */
static inline bool pm_is_body_output(pm_crowd_output output) {
    return pm_crowd_outputs[output].form == PM_FORM_BODY;
}

/* Required alignment of an output in device memory, in bytes: kernels write four numbers at once, those
 * of bodies one by one. */
static inline size_t pm_crowd_output_alignment(pm_crowd_output output) {
    return (pm_is_body_output(output) ? 1u : 4u) * pm_crowd_outputs[output].bits / 8;
}

/* An output of a set of joints. */
typedef struct pm_view {
    pm_crowd_output output;
    uint32_t set; /* 0: all joints; otherwise one more than the subset's index */
} pm_view;

/* Whether a job computes two outputs together: states of bodies of the same joints. */
static inline bool pm_are_computed_together(pm_view a, pm_view b) {
    return a.set == b.set && pm_is_body_output(a.output) && pm_is_body_output(b.output);
}

/* Bytes of an instance's records. */
size_t pm_crowd_view_bytes(const pm_skeleton *skeleton, pm_view view);

/* PM_OK when the output and the set exist and the skeleton meets their requirements. */
pm_status pm_crowd_check_view(const pm_skeleton *skeleton, pm_view view, pm_error *error);

/* What a job poses, in memory or in buffers: whether each is given. */
typedef struct pm_job_parts {
    bool instances, layers, ranges, poses, placements, goals, transitions, plants, speeds;
    bool bodies; /* an output is a state of bodies */
    const pm_chain_list *chains;
    size_t layer_count;
} pm_job_parts;

/* Refuses what does not go together, whatever the outputs. */
pm_status pm_crowd_check_parts(const pm_job_parts *parts, pm_error *error);

/* The chains of a job, once they are checked. */
pm_status pm_crowd_find_chains(const pm_skeleton *skeleton, const pm_chain_use *uses, size_t count,
                               pm_chain_list *list, pm_error *error);

/* The most columns or rows of a height field: float32 has all numbers of nodes. */
enum { PM_MOST_NODES = 1 << 24 };

/* The ground of a job whose chains are checked; `given`: it has heights. */
pm_status pm_crowd_find_ground(const pm_height_field *field, bool given,
                               const pm_chain_list *chains, pm_height_grid *grid, pm_error *error);

/* Has the chains of a job plant feet, where states of them are given. */
pm_status pm_crowd_find_plants(const pm_skeleton *skeleton, bool given, pm_chain_list *chains,
                               pm_error *error);

/* Refuses what does not go together with the outputs: `bodies` must be known. */
pm_status pm_crowd_check_bodies(const pm_job_parts *parts, pm_error *error);

#endif
