/* SPDX-License-Identifier: MIT
 *
 * Timing on an OpenCL device. Work is queued behind a gate that the host opens when all of
 * it is there, so that kernel time holds no waiting for the host; it runs from the end of a
 * marker in front of the work to the end of the event behind it.
 */
#include "device_cl.h"

#include "kernels.h"
#include "progress.h"

#include <posemill/posemill_cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_cl {
    cl_context context; /* the engine's */
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel fill, stores, copy, obvious, chain;
    cl_mem output, source, keys;
    size_t bytes;
    size_t obvious_items;
    size_t fill_unit;  /* bytes that fill and copy store at once */
    cl_uint fill_each; /* how often a work-item does */
    bool event_times;  /* whether the driver's are believed */
};

static cli_exit failed(cl_int code, const char *call) {
    const char *cure = code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                               code == CL_INVALID_BUFFER_SIZE
                           ? "ask for less with --samples"
                           : NULL;
    return cli_fail(CLI_DEVICE_FAILED, "bench", cure, "%s gave OpenCL error %d", call, (int)code);
}

/* ---- opening ------------------------------------------------------------------- */

static cli_exit build_kernels(bench_cl *cl, unsigned width) {
    const char *text = bench_kernels_text;
    char options[32];
    cl_int code = CL_SUCCESS;
    snprintf(options, sizeof options, "-DWIDTH=%u", width);
    cl->program = clCreateProgramWithSource(cl->context, 1, &text, NULL, &code);
    if (code != CL_SUCCESS) {
        return failed(code, "clCreateProgramWithSource");
    }
    code = clBuildProgram(cl->program, 1, &cl->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        return failed(code, "clBuildProgram");
    }
    const struct {
        const char *name;
        cl_kernel *kernel;
    } kernels[] = {{"fill", &cl->fill},
                   {"stores", &cl->stores},
                   {"copy", &cl->copy},
                   {"obvious", &cl->obvious},
                   {"chain", &cl->chain}};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0] && code == CL_SUCCESS; i++) {
        *kernels[i].kernel = clCreateKernel(cl->program, kernels[i].name, &code);
    }
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "clCreateKernel");
}

static cli_exit open_queue(bench_cl *cl) {
    cl_int code = CL_SUCCESS;
    cl->queue = clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS) {
        return failed(code, "clCreateCommandQueue");
    }
    cl->output = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, cl->bytes, NULL, &code);
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "clCreateBuffer");
}

void bench_cl_close(bench_cl **opened) {
    bench_cl *cl = *opened;
    *opened = NULL;
    if (cl == NULL) {
        return;
    }
    const cl_mem buffers[] = {cl->output, cl->source, cl->keys};
    const cl_kernel kernels[] = {cl->fill, cl->stores, cl->copy, cl->obvious, cl->chain};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        if (buffers[i] != NULL) {
            clReleaseMemObject(buffers[i]);
        }
    }
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernels[i] != NULL) {
            clReleaseKernel(kernels[i]);
        }
    }
    if (cl->program != NULL) {
        clReleaseProgram(cl->program);
    }
    if (cl->queue != NULL) {
        clReleaseCommandQueue(cl->queue);
    }
    free(cl);
}

/* ---- the output ---------------------------------------------------------------- */

cli_exit bench_cl_poison(bench_cl *cl) {
    const cl_uint poison = 0xffffffffu;
    cl_int code = clEnqueueFillBuffer(cl->queue, cl->output, &poison, sizeof poison, 0, cl->bytes,
                                      0, NULL, NULL);
    if (code == CL_SUCCESS) {
        code = clFinish(cl->queue);
    }
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "clEnqueueFillBuffer");
}

cli_exit bench_cl_read(bench_cl *cl, size_t offset, size_t bytes, float *to) {
    cl_int code =
        clEnqueueReadBuffer(cl->queue, cl->output, CL_TRUE, offset, bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "clEnqueueReadBuffer");
}

/* ---- timing -------------------------------------------------------------------- */

typedef struct gate {
    cl_event opened; /* by the host */
    cl_event before; /* the marker behind it */
    double begun;    /* wall clock, where there is no gate because events are not believed */
} gate;

static cl_int gate_close(const bench_cl *cl, gate *g) {
    cl_int code = CL_SUCCESS;
    memset(g, 0, sizeof *g);
    if (cl->event_times) {
        g->opened = clCreateUserEvent(cl->context, &code);
        if (code == CL_SUCCESS) {
            code = clEnqueueMarkerWithWaitList(cl->queue, 1, &g->opened, &g->before);
        }
    }
    g->begun = progress_clock();
    return code;
}

static void gate_release(gate *g) {
    if (g->opened != NULL) {
        clReleaseEvent(g->opened);
    }
    if (g->before != NULL) {
        clReleaseEvent(g->before);
    }
}

/* Drivers need not time markers; then the wall clock from gate to end must do. */
static double kernel_seconds(cl_event before, cl_event done, double wall) {
    cl_ulong from = 0;
    cl_ulong to = 0;
    cl_int code =
        clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof from, &from, NULL);
    if (code == CL_SUCCESS) {
        code = clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    }
    double seconds = to > from ? 1e-9 * (double)(to - from) : wall;
    return code == CL_SUCCESS && from > 0 && seconds <= wall ? seconds : wall;
}

static cli_exit gate_open(const bench_cl *cl, gate *g, cl_event done, double *seconds) {
    cl_int code = clFlush(cl->queue);
    if (g->opened != NULL) {
        g->begun = progress_clock();
        cl_int opening = clSetUserEventStatus(g->opened, CL_COMPLETE);
        code = code == CL_SUCCESS ? opening : code;
    }
    if (code == CL_SUCCESS) {
        code = clFinish(cl->queue);
    }
    double wall = progress_clock() - g->begun;
    if (code == CL_SUCCESS) {
        *seconds = g->opened != NULL ? kernel_seconds(g->before, done, wall) : wall;
    }
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "running a kernel");
}

/* A queue that waits for a gate would wait for ever. */
static void gate_abandon(gate *g) {
    if (g->opened != NULL) {
        clSetUserEventStatus(g->opened, CL_COMPLETE);
    }
}

static cli_exit run_kernel(bench_cl *cl, cl_kernel kernel, size_t items, double *seconds) {
    gate g;
    cl_event done = NULL;
    cl_int code = gate_close(cl, &g);
    cli_exit result = CLI_DONE;
    if (code == CL_SUCCESS) {
        code = clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &items, NULL, 0, NULL, &done);
    }
    if (code == CL_SUCCESS) {
        result = gate_open(cl, &g, done, seconds);
    } else {
        gate_abandon(&g);
        result = failed(code, "enqueueing a kernel");
    }
    if (done != NULL) {
        clReleaseEvent(done);
    }
    gate_release(&g);
    return result;
}

/* The best of three runs of the chain, by events or by wall clock. */
static cli_exit time_chain(bench_cl *cl, bool event_times, double *least) {
    cli_exit code = CLI_DONE;
    *least = 1e9;
    cl->event_times = event_times;
    for (int i = 0; i < 3 && code == CLI_DONE; i++) {
        double seconds = 0.0;
        code = run_kernel(cl, cl->chain, 1, &seconds);
        *least = seconds < *least ? seconds : *least;
    }
    return code;
}

/* Some drivers stamp events when they are queued, or run what is behind a gate before it is
 * open: events that know less than half of a long kernel are not believed. */
static cli_exit probe_events(bench_cl *cl) {
    const cl_uint steps = 1u << 20;
    double by_events;
    double by_wall;
    cl_int set = clSetKernelArg(cl->chain, 0, sizeof(cl_mem), &cl->output);
    if (set == CL_SUCCESS) {
        set = clSetKernelArg(cl->chain, 1, sizeof steps, &steps);
    }
    if (set != CL_SUCCESS) {
        return failed(set, "clSetKernelArg");
    }
    cli_exit code = time_chain(cl, false, &by_wall);
    if (code == CLI_DONE) {
        code = time_chain(cl, true, &by_events);
    }
    cl->event_times = code == CLI_DONE && by_events > 0.5 * by_wall;
    return code;
}

bool bench_cl_event_times(const bench_cl *cl) {
    return cl->event_times;
}

/* ---- what is run --------------------------------------------------------------- */

/* The whole of so many bytes that each work-item stores as often as another. */
static size_t fill_items(const bench_cl *cl, size_t bytes) {
    return bytes / (cl->fill_unit * cl->fill_each);
}

static cl_int set_fill(const bench_cl *cl, cl_kernel fill) {
    const cl_float value = 0.5f;
    cl_int code = clSetKernelArg(fill, 0, sizeof(cl_mem), &cl->output);
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(fill, 1, sizeof cl->fill_each, &cl->fill_each);
    }
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(fill, 2, sizeof value, &value);
    }
    return code;
}

static cli_exit run_fill(bench_cl *cl, cl_kernel fill, size_t bytes, double *seconds) {
    cl_int code = set_fill(cl, fill);
    return code == CL_SUCCESS ? run_kernel(cl, fill, fill_items(cl, bytes), seconds)
                              : failed(code, "clSetKernelArg");
}

cli_exit bench_cl_fill(bench_cl *cl, size_t bytes, double *seconds) {
    return run_fill(cl, cl->fill, bytes, seconds);
}

cli_exit bench_cl_stores(bench_cl *cl, size_t bytes, double *seconds) {
    return run_fill(cl, cl->stores, bytes, seconds);
}

/* Waits for what was queued since `begun`; the wall clock's seconds for each of `count`. */
static cli_exit finish(const bench_cl *cl, double begun, size_t count, double *seconds) {
    cl_int code = clFinish(cl->queue);
    *seconds = (progress_clock() - begun) / (double)count;
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "clFinish");
}

cli_exit bench_cl_fills(bench_cl *cl, size_t bytes, size_t count, double *seconds) {
    const size_t items = fill_items(cl, bytes);
    double begun = progress_clock();
    cl_int code = set_fill(cl, cl->fill);
    for (size_t i = 0; i < count && code == CL_SUCCESS; i++) {
        code = clEnqueueNDRangeKernel(cl->queue, cl->fill, 1, NULL, &items, NULL, 0, NULL, NULL);
    }
    return code == CL_SUCCESS ? finish(cl, begun, count, seconds)
                              : failed(code, "enqueueing a kernel");
}

/* A ceiling is the best there is: stores from neighbouring work-items, or one after another
 * from each, whichever this driver does faster. */
cli_exit bench_cl_choose_fill(bench_cl *cl, size_t bytes) {
    static const cl_uint choices[] = {1, 32};
    double best = 1e9;
    cl_uint chosen = 1;
    cli_exit code = CLI_DONE;
    for (int i = 0; i < 6 && code == CLI_DONE; i++) {
        double seconds = 0.0;
        cl->fill_each = choices[i % 2];
        if (fill_items(cl, bytes) == 0) {
            continue; /* too little for a work-item */
        }
        code = bench_cl_fill(cl, bytes, &seconds);
        if (i > 1 && seconds < best) { /* the first of each warms up */
            best = seconds;
            chosen = cl->fill_each;
        }
    }
    cl->fill_each = chosen;
    return code;
}

cli_exit bench_cl_open(bench_cl **opened, pm_engine *engine, const pm_device_info *info,
                       size_t bytes) {
    bench_cl *cl = calloc(1, sizeof *cl);
    unsigned width = info->lanes >= 8 ? info->lanes : 4;
    if (cl == NULL) {
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    }
    cl->context = pm_cl_context(engine);
    cl->device = pm_cl_device(engine);
    cl->bytes = bytes;
    cl->fill_unit = width * sizeof(float);
    cli_exit code = open_queue(cl);
    if (code == CLI_DONE) {
        code = build_kernels(cl, width);
    }
    if (code == CLI_DONE) {
        code = probe_events(cl);
    }
    if (code == CLI_DONE) {
        code = bench_cl_choose_fill(cl, bytes);
    }
    if (code != CLI_DONE) {
        bench_cl_close(&cl);
    }
    *opened = cl;
    return code;
}

cli_exit bench_cl_copy(bench_cl *cl, size_t bytes, double *seconds) {
    cl_int code = CL_SUCCESS;
    if (cl->source == NULL) {
        const cl_uint zero = 0;
        cl->source = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, cl->bytes, NULL, &code);
        if (code == CL_SUCCESS) {
            code = clEnqueueFillBuffer(cl->queue, cl->source, &zero, sizeof zero, 0, cl->bytes, 0,
                                       NULL, NULL);
        }
    }
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(cl->copy, 0, sizeof(cl_mem), &cl->output);
    }
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(cl->copy, 1, sizeof cl->fill_each, &cl->fill_each);
    }
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(cl->copy, 2, sizeof(cl_mem), &cl->source);
    }
    return code == CL_SUCCESS ? run_kernel(cl, cl->copy, fill_items(cl, bytes), seconds)
                              : failed(code, "preparing the copy");
}

cli_exit bench_cl_set_keys(bench_cl *cl, const float *keys, size_t key_count, size_t tracks) {
    const cl_uint track_count = (cl_uint)tracks;
    cl_int code = CL_SUCCESS;
    if (cl->keys != NULL) {
        clReleaseMemObject(cl->keys);
    }
    cl->obvious_items = 4 * (key_count - 1) * tracks;
    cl->keys =
        clCreateBuffer(cl->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                       key_count * tracks * 4 * sizeof(float), (void *)(uintptr_t)keys, &code);
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(cl->obvious, 0, sizeof(cl_mem), &cl->output);
    }
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(cl->obvious, 1, sizeof(cl_mem), &cl->keys);
    }
    if (code == CL_SUCCESS) {
        code = clSetKernelArg(cl->obvious, 2, sizeof track_count, &track_count);
    }
    return code == CL_SUCCESS ? CLI_DONE : failed(code, "preparing the obvious kernel");
}

cli_exit bench_cl_obvious(bench_cl *cl, double *seconds) {
    return run_kernel(cl, cl->obvious, cl->obvious_items, seconds);
}

cli_exit bench_cl_jobs(bench_cl *cl, const pm_clip *clip, const pm_sample_job *job, size_t count,
                       double *seconds) {
    const pm_cl_outputs outputs = {.rotations = cl->output};
    pm_error error = {0};
    double begun = progress_clock();
    for (size_t i = 0; i < count; i++) {
        if (pm_cl_sample(clip, job, &outputs, cl->queue, 0, NULL, NULL, &error) != PM_OK) {
            return cli_fail_error("bench", &error);
        }
    }
    return finish(cl, begun, count, seconds);
}

cli_exit bench_cl_job(bench_cl *cl, const pm_clip *clip, const pm_sample_job *job,
                      double *seconds) {
    const pm_cl_outputs outputs = {.rotations = cl->output};
    gate g;
    cl_event done = NULL;
    pm_error error = {0};
    cl_int code = gate_close(cl, &g);
    cli_exit result = CLI_DONE;
    if (code != CL_SUCCESS) {
        result = failed(code, "clEnqueueMarkerWithWaitList");
    } else if (pm_cl_sample(clip, job, &outputs, cl->queue, 0, NULL, &done, &error) != PM_OK) {
        result = cli_fail_error("bench", &error);
    }
    if (result == CLI_DONE) {
        result = gate_open(cl, &g, done, seconds);
    } else {
        gate_abandon(&g);
    }
    if (done != NULL) {
        clReleaseEvent(done);
    }
    gate_release(&g);
    return result;
}
