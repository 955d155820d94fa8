/* SPDX-License-Identifier: MIT
 *
 * The gate of device_cl.h: a user event, and a marker after it as the start of the time measurement.
 */
#include "device_cl.h"

#include "files/progress.h"

#include <string.h>

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

typedef struct gate {
    cl_event opened; /* user event, completed by the host */
    cl_event before; /* marker after the user event */
    double begun;    /* wall-clock start time */
} gate;

static cl_int gate_close(const gate_queue *on, gate *g) {
    cl_int code = CL_SUCCESS;
    memset(g, 0, sizeof *g);
    if (on->event_times) {
        g->opened = clCreateUserEvent(on->context, &code);
        if (code == CL_SUCCESS)
            code = clEnqueueMarkerWithWaitList(on->queue, 1, &g->opened, &g->before);
    }
    g->begun = progress_clock();
    return code;
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

static cli_exit gate_open(const gate_queue *on, gate *g, cl_event done, double *seconds) {
    cl_int code = clFlush(on->queue);
    if (g->opened) {
        g->begun = progress_clock();
        cl_int opening = clSetUserEventStatus(g->opened, CL_COMPLETE);
        code = code == CL_SUCCESS ? opening : code;
    }
    if (code == CL_SUCCESS)
        code = clFinish(on->queue);
    double wall = progress_clock() - g->begun;
    if (code == CL_SUCCESS)
        *seconds = g->opened ? kernel_seconds(g->before, done, wall) : wall;
    return gate_result(code, "running a kernel");
}

cli_exit gate_run(const gate_queue *on, gate_put put, const void *work, size_t count,
                  double *seconds) {
    gate g;
    cl_event done = NULL;
    cli_exit result = gate_result(gate_close(on, &g), "clEnqueueMarkerWithWaitList");
    for (size_t i = 0; i < count && result == CLI_DONE; i++)
        result = put(on->queue, work, i + 1 == count ? &done : NULL);
    if (result == CLI_DONE) {
        result = gate_open(on, &g, done, seconds);
        *seconds /= (double)count;
    } else if (g.opened) {
        clSetUserEventStatus(g.opened,
                             CL_COMPLETE); /* a queue that waits for it would block forever */
    }
    const cl_event events[] = {done, g.opened, g.before};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            clReleaseEvent(events[i]);
    return result;
}
