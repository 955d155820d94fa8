/* SPDX-License-Identifier: MIT
 *
 * The gate of device_cl.h: a user event, and a marker after it as the start of the time measurement.
 */
#include "device_cl.h"

#include "files/progress.h"

cli_exit gate_result(cl_int code, const char *call) {
    const char *hint = code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                               code == CL_INVALID_BUFFER_SIZE
                           ? "use a smaller --samples"
                           : NULL;
    return code == CL_SUCCESS
               ? CLI_DONE
               : cli_fail(CLI_DEVICE_FAILED, "bench", hint, "%s: OpenCL error %d", call, (int)code);
}

cli_exit gate_put_kernel(cl_command_queue queue, const void *work, cl_event *done) {
    const gate_kernel *w = work;
    return gate_result(clEnqueueNDRangeKernel(queue, w->kernel, 1, NULL, &w->items,
                                              w->group > 0 ? &w->group : NULL, 0, NULL, done),
                       "enqueueing a kernel");
}

/* Drivers need not provide times of markers. In that case the wall-clock time from the gate to the
 * end is used. */
static double kernel_seconds(cl_event before, cl_event done, double wall) {
    cl_ulong from = 0;
    cl_ulong to = 0;
    cl_int code =
        clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof from, &from, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    double seconds = to > from ? 1e-9 * (double)(to - from) : wall;
    return code == CL_SUCCESS && from > 0 && seconds <= wall ? seconds : wall;
}

/* Work that waits for a gate that is never opened would block its queue forever, so it is opened after a
 * failure too. */
cli_exit gate_run(const gate_queue *on, gate_put put, const void *work, size_t count,
                  double *seconds) {
    cl_event opened = NULL, before = NULL, done = NULL;
    cl_int code = CL_SUCCESS;
    if (on->event_times) {
        opened = clCreateUserEvent(on->context, &code);
        if (code == CL_SUCCESS)
            code = clEnqueueMarkerWithWaitList(on->queue, 1, &opened, &before);
    }
    double begun = progress_clock();
    cli_exit result = gate_result(code, "clEnqueueMarkerWithWaitList");
    for (size_t i = 0; i < count && result == CLI_DONE; i++)
        result = put(on->queue, work, i + 1 == count ? &done : NULL);
    code = clFlush(on->queue);
    if (opened) {
        begun = progress_clock();
        const cl_int opening = clSetUserEventStatus(opened, CL_COMPLETE);
        code = code == CL_SUCCESS ? opening : code;
    }
    if (code == CL_SUCCESS)
        code = clFinish(on->queue);
    const double wall = progress_clock() - begun;
    if (result == CLI_DONE)
        result = gate_result(code, "running a kernel");
    if (result == CLI_DONE)
        *seconds = (opened ? kernel_seconds(before, done, wall) : wall) / (double)count;
    const cl_event events[] = {done, opened, before};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            clReleaseEvent(events[i]);
    return result;
}
