/* SPDX-License-Identifier: MIT
 *
 * The outputs of crowds on the host: the rows of kernels/pm_crowd_outputs.h, and where records go.
 */
#ifndef PM_HOST_OUTPUTS_H
#define PM_HOST_OUTPUTS_H

#include <posemill/posemill_crowd.h>

#include "kernels/pm_crowd_outputs.h"
#include "kernels/pm_instance.h"

typedef struct pm_crowd_output_row {
    const char *name; /* in the public header */
    unsigned form;    /* PM_FORM_LOCAL and so on */
    unsigned numbers; /* of a record */
    unsigned bits;    /* of a number */
    bool bound;       /* relative to the bind pose */
} pm_crowd_output_row;

extern const pm_crowd_output_row pm_crowd_outputs[PM_CROWD_OUTPUT_COUNT];

/* Device records are written four numbers at a time. */
static inline size_t pm_crowd_output_alignment(pm_crowd_output output) {
    return 4 * pm_crowd_outputs[output].bits / 8;
}

/* Bytes from an instance's records to the next one's: the stride itself, or for 0 those of the
 * records. */
size_t pm_crowd_stride(const pm_skeleton *skeleton, pm_crowd_output output, size_t stride);

/* PM_OK when there is such an output and the skeleton has what it requires. */
pm_status pm_crowd_check_output(const pm_skeleton *skeleton, pm_crowd_output output,
                                pm_error *error);

/* Checks an output and its stride, a multiple of the alignment, for at least one instance; *bytes is
 * how many there are from the first record's begin to the last one's end. */
pm_status pm_crowd_check_stride(const pm_skeleton *skeleton, pm_crowd_output output, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes, pm_error *error);

/* The alignment of what records of any output are copied to. */
enum { PM_PREVIOUS_ALIGNMENT = 4 };

/* Checks that what an output held is not to be copied to itself: to the same memory or buffer. */
pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error);

#endif
