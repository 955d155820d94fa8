/* SPDX-License-Identifier: MIT
 *
 * OpenCL objects for tests, whose failures fail the test.
 */
#ifndef POSEMILL_TESTS_CL_OBJECTS_H
#define POSEMILL_TESTS_CL_OBJECTS_H

#include <posemill/posemill_cl.h>

#include <string.h>

#include "check.h"

static inline cl_command_queue queue_of(cl_context context, cl_device_id device) {
    cl_int status = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    assert_int_equal(status, CL_SUCCESS);
    return queue;
}

/* With these bytes, or poison, after `offset` bytes of poison. */
static inline cl_mem buffer_of(cl_context context, size_t offset, size_t bytes, const void *data) {
    SCOPED(free_at) unsigned char *all = test_array(offset + bytes, 1);
    cl_int status = CL_SUCCESS;
    memset(all, 0xFF, offset + bytes);
    if (data)
        memcpy(all + offset, data, bytes);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   offset + bytes, all, &status);
    assert_int_equal(status, CL_SUCCESS);
    return buffer;
}

/* After all commands of an in-order queue. */
static inline void read_buffer(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes,
                               void *to) {
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL),
                     CL_SUCCESS);
}

#endif
