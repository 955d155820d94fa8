/* SPDX-License-Identifier: MIT
 *
 * How many hold an OpenCL object, to see that none is kept that should be let go. Who includes
 * this asks for POSIX first.
 *
 * A driver may hold what a command used for a moment after it says that the command is over:
 * rusticl's worker thread signals first and lets go then. So what should have fallen is given ten
 * seconds to fall.
 */
#ifndef POSEMILL_TESTS_CL_REFERENCES_H
#define POSEMILL_TESTS_CL_REFERENCES_H

#include <posemill/posemill_cl.h>
#include <time.h>

#include "check.h"

enum { REFERENCES_TURNS = 1000, REFERENCES_TURN_NS = 10000000 };

/* Of a cl_context, and of a cl_mem */
static inline cl_uint references(void *context) {
    cl_uint count = 0;
    assert_int_equal(
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL),
        CL_SUCCESS);
    return count;
}

static inline cl_uint buffer_references(void *buffer) {
    cl_uint count = 0;
    assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL),
                     CL_SUCCESS);
    return count;
}

/* What one of these counts once it is at most `expected`, or after ten seconds. */
static inline cl_uint references_at_last(cl_uint (*count)(void *), void *object, cl_uint expected) {
    for (size_t turn = 0; turn < REFERENCES_TURNS && count(object) > expected; turn++)
        nanosleep(&(struct timespec){.tv_nsec = REFERENCES_TURN_NS}, NULL);
    return count(object);
}

#endif
