/* SPDX-License-Identifier: MIT
 *
 * How many hold an OpenCL context, to see that none is kept that should be let go.
 */
#ifndef POSEMILL_TESTS_CL_REFERENCES_H
#define POSEMILL_TESTS_CL_REFERENCES_H

#include <posemill/posemill_cl.h>

#include "check.h"

static inline cl_uint references(cl_context context) {
    cl_uint count = 0;
    assert_int_equal(
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL),
        CL_SUCCESS);
    return count;
}

#endif
