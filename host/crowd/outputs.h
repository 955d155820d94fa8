/* SPDX-License-Identifier: MIT
 *
 * The outputs of crowds on the host: the table of kernels/pm_crowd_outputs.h, and checks of output
 * memory.
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

/* Bytes from an instance's records to the next instance's: the given stride, or the size of an
 * instance's records where it is 0. */
size_t pm_crowd_stride(const pm_skeleton *skeleton, pm_view view, size_t stride);

/* PM_OK when the output and the set exist and the skeleton meets their requirements. */
pm_status pm_crowd_check_view(const pm_skeleton *skeleton, pm_view view, pm_error *error);

/* Refuses an empty list of targets, and one of more than PM_CROWD_MAX_TARGETS. */
pm_status pm_crowd_check_list(const void *outputs, size_t count, pm_error *error);

/* PM_OK when entry `index` of a job's list is a view that exists, and none of those before it. */
pm_status pm_crowd_check_listed(const pm_skeleton *skeleton, const pm_view *views, size_t index,
                                pm_error *error);

/* What a job poses, in memory or in buffers: whether each is given. */
typedef struct pm_job_parts {
    bool instances, layers, ranges, poses, placements, speeds;
    bool bodies; /* an output is a state of bodies */
    size_t layer_count;
} pm_job_parts;

/* PM_OK when the flags of a target are of pm_target_flag, and apply to its output. */
pm_status pm_crowd_check_flags(const pm_skeleton *skeleton, pm_crowd_output output, uint64_t flags,
                               pm_error *error);

/* Refuses what does not go together, whatever the outputs. */
pm_status pm_crowd_check_parts(const pm_job_parts *parts, pm_error *error);

/* Refuses what does not go together with the outputs: `bodies` must be known. */
pm_status pm_crowd_check_bodies(const pm_job_parts *parts, pm_error *error);

/* Checks the stride of local poses in place of instances. *bytes is the distance from the begin of the
 * first to the end of the last of `instances` poses, at least 1. */
pm_status pm_crowd_check_poses(const pm_skeleton *skeleton, size_t stride, size_t alignment,
                               size_t instances, size_t *bytes, pm_error *error);

/* Checks that the stride of a view is a multiple of the alignment and holds an instance's records.
 * *bytes is the distance from the begin of the first record to the end of the last one, for
 * `instances` instances, at least 1. */
pm_status pm_crowd_check_stride(const pm_skeleton *skeleton, pm_view view, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes, pm_error *error);

/* Required alignment of the `previous` memory of any output, in bytes. */
enum { PM_PREVIOUS_ALIGNMENT = 4 };

/* Refuses a `previous` that is the output's own memory or buffer. */
pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error);

#endif
