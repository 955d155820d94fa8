/* SPDX-License-Identifier: MIT
 *
 * A queue, a kernel and buffers in the calls of OpenCL 1.2.
 */
#include "queue.h"

#include "body.h"

#include <stdio.h>

cl_int queue_open(queue *q, const pm_engine *engine, const char *source, const char *name) {
    *q = (queue){.context = pm_cl_context(engine)};
    if (!q->context)
        return q->status = CL_DEVICE_NOT_FOUND;
    q->commands = clCreateCommandQueue(q->context, pm_cl_device(engine), 0, &q->status);
    if (q->status == CL_SUCCESS)
        q->program = clCreateProgramWithSource(q->context, 1, &source, NULL, &q->status);
    if (q->status == CL_SUCCESS)
        q->status = clBuildProgram(q->program, 0, NULL, "", NULL, NULL);
    if (q->status == CL_SUCCESS)
        q->kernel = clCreateKernel(q->program, name, &q->status);
    return q->status;
}

bool queue_report(const queue *q, const char *program, pm_status status, const pm_error *error) {
    if (!body_succeeded(program, status, error))
        return false;
    if (q->status == CL_DEVICE_NOT_FOUND)
        fprintf(stderr, "%s: no OpenCL device\n", program);
    else if (q->status != CL_SUCCESS)
        fprintf(stderr, "%s: OpenCL error %d\n", program, (int)q->status);
    return q->status == CL_SUCCESS;
}

void queue_close(queue *q) {
    if (q->commands)
        clFinish(q->commands);
    for (unsigned i = 0; i < q->buffer_count; i++)
        clReleaseMemObject(q->buffers[i]);
    if (q->kernel)
        clReleaseKernel(q->kernel);
    if (q->program)
        clReleaseProgram(q->program);
    if (q->commands)
        clReleaseCommandQueue(q->commands);
}

cl_mem queue_buffer(queue *q, size_t bytes, const void *from) {
    const cl_uint zero = 0;
    if (q->status == CL_SUCCESS && q->buffer_count == QUEUE_MOST_BUFFERS)
        q->status = CL_OUT_OF_HOST_MEMORY;
    if (q->status != CL_SUCCESS)
        return NULL;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(q->context, flags, bytes, (void *)(uintptr_t)from, &q->status);
    if (q->status != CL_SUCCESS)
        return NULL;
    q->buffers[q->buffer_count++] = buffer;
    if (!from)
        q->status =
            clEnqueueFillBuffer(q->commands, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    return buffer;
}

void queue_argument(queue *q, cl_uint index, size_t bytes, const void *value) {
    if (q->status == CL_SUCCESS)
        q->status = clSetKernelArg(q->kernel, index, bytes, value);
}

void queue_run(queue *q, size_t count) {
    if (q->status == CL_SUCCESS)
        q->status =
            clEnqueueNDRangeKernel(q->commands, q->kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
}

void queue_read(queue *q, cl_mem buffer, size_t bytes, void *to) {
    if (q->status == CL_SUCCESS)
        q->status = clEnqueueReadBuffer(q->commands, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
}
