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
} pm_crowd_output_row;

extern const pm_crowd_output_row pm_crowd_outputs[PM_CROWD_OUTPUT_COUNT];

/* Required alignment of an output in device memory, in bytes: kernels write four numbers at
 * once. */
static inline size_t pm_crowd_output_alignment(pm_crowd_output output) {
    return 4 * pm_crowd_outputs[output].bits / 8;
}

/* Bytes from an instance's records to the next instance's: the given stride, or the size of an
 * instance's records where it is 0. */
size_t pm_crowd_stride(const pm_skeleton *skeleton, pm_crowd_output output, size_t stride);

/* PM_OK when the output exists and the skeleton meets its requirements. */
pm_status pm_crowd_check_output(const pm_skeleton *skeleton, pm_crowd_output output,
                                pm_error *error);

/* Refuses an empty list of outputs. */
pm_status pm_crowd_check_list(const void *outputs, size_t count, pm_error *error);

/* PM_OK when entry `index` of a job's list names an output, and one that is not in *seen, the bits of
 * the entries before it. */
pm_status pm_crowd_check_listed(pm_crowd_output output, size_t index, unsigned *seen,
                                pm_error *error);

/* Checks an output, and that its stride is a multiple of the alignment and holds an instance's
 * records. *bytes is the distance from the begin of the first record to the end of the last one,
 * for `instances` instances, at least 1. */
pm_status pm_crowd_check_stride(const pm_skeleton *skeleton, pm_crowd_output output, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes, pm_error *error);

/* Required alignment of the `previous` memory of any output, in bytes. */
enum { PM_PREVIOUS_ALIGNMENT = 4 };

/* Refuses a `previous` that is the output's own memory or buffer. */
pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error);

#endif
