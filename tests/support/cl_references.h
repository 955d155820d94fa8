/* SPDX-License-Identifier: MIT
 *
 * Reference counts of OpenCL objects, to detect references that are not released. The including
 * file defines the POSIX feature macro first.
 *
 * A driver may hold a reference for a short time after a command is complete: rusticl's worker
 * thread signals completion before it releases. A reference count that should fall is therefore
 * polled, for two minutes at most.
 */
#ifndef POSEMILL_TESTS_CL_REFERENCES_H
#define POSEMILL_TESTS_CL_REFERENCES_H

#include <posemill/posemill_cl.h>
#include <time.h>

#include "check.h"

enum { REFERENCES_TURNS = 12000, REFERENCES_TURN_NS = 10000000 };

/* for a cl_context, and for a cl_mem */
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

/* The reference count once it is at most `expected`, or after two minutes. */
static inline cl_uint references_at_last(cl_uint (*count)(void *), void *object, cl_uint expected) {
    for (size_t turn = 0; turn < REFERENCES_TURNS && count(object) > expected; turn++)
        nanosleep(&(struct timespec){.tv_nsec = REFERENCES_TURN_NS}, NULL);
    return count(object);
}

#endif
