/* SPDX-License-Identifier: MIT
 *
 * Which vectors and how many chains hide the latency of a multiply-add best depends on the device and
 * its compiler, so it is tried.
 */
#include "arithmetic_cl.h"

#include "arithmetic.h"
#include "cases/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work-items for a compute unit: as many as fill a GPU, and no more than a CPU starts in a moment. They
 * are in groups so small that each unit gets many: of one group for each, the last one to start, or the
 * one on a busy processor, would be the time of all. */
enum { ITEMS = 4096, GROUP = 64, TRIED_STEPS = 64, TRIES = 3 };

typedef struct shape {
    unsigned lanes, chains;
} shape;

static const shape shapes[] = {{1, 4}, {1, 8}, {4, 4}, {4, 8}, {8, 4}, {8, 8}, {16, 4}, {16, 8}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], LANES_MAX = 16 };

struct arithmetic_cl {
    shape of;
    cl_program program;
    cl_kernel kernel;
    cl_mem ends; /* of every work-item; shared by all that are tried */
    size_t items, group;
    size_t steps;
};

/* ---- one kernel ---------------------------------------------------------------- */

static void release_kernel(arithmetic_cl *a) {
    if (a->kernel)
        clReleaseKernel(a->kernel);
    if (a->program)
        clReleaseProgram(a->program);
    a->kernel = NULL;
    a->program = NULL;
}

static cli_exit build(arithmetic_cl *a, const gate_queue *on, cl_device_id device) {
    const char *text = bench_arithmetic_text;
    char options[48];
    cl_int code = CL_SUCCESS;
    snprintf(options, sizeof options, "-DLANES=%u -DCHAINS=%u", a->of.lanes, a->of.chains);
    a->program = clCreateProgramWithSource(on->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(a->program, 1, &device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        a->kernel = clCreateKernel(a->program, "arithmetic", &code);
    if (code == CL_SUCCESS)
        code = clGetKernelWorkGroupInfo(a->kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof a->group, &a->group, NULL);
    a->group = a->group >= GROUP ? GROUP : 1;
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "building a kernel");
}

static cli_exit set_arguments(const arithmetic_cl *a) {
    const cl_uint steps = (cl_uint)a->steps;
    const struct {
        size_t size;
        const void *value;
    } arguments[] = {{sizeof(cl_mem), &a->ends},
                     {sizeof steps, &steps},
                     {sizeof(cl_float), &arithmetic_factor},
                     {sizeof(cl_float), &arithmetic_term}};
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < sizeof arguments / sizeof arguments[0] && code == CL_SUCCESS; i++)
        code = clSetKernelArg(a->kernel, i, arguments[i].size, arguments[i].value);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clSetKernelArg");
}

static cli_exit put(cl_command_queue queue, const void *work, cl_event *done) {
    const arithmetic_cl *a = work;
    cl_int code =
        clEnqueueNDRangeKernel(queue, a->kernel, 1, NULL, &a->items, &a->group, 0, NULL, done);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "enqueueing a kernel");
}

cli_exit arithmetic_cl_run(const arithmetic_cl *a, const gate_queue *on, double *seconds,
                           double *operations) {
    *operations = 2.0 * (double)a->items * (double)a->steps * a->of.chains * a->of.lanes;
    return gate_run(on, put, a, 1, seconds);
}

/* ---- choosing ------------------------------------------------------------------ */

/* The operations per second of the best of a few runs; the first one is a warm-up. */
static cli_exit try_shape(arithmetic_cl *a, const gate_queue *on, cl_device_id device,
                          double *rate) {
    double operations = 0.0;
    cli_exit code = build(a, on, device);
    a->steps = TRIED_STEPS;
    *rate = 0.0;
    if (code == CLI_DONE)
        code = set_arguments(a);
    for (int i = 0; i < TRIES && code == CLI_DONE; i++) {
        double seconds = 0.0;
        code = arithmetic_cl_run(a, on, &seconds, &operations);
        if (i > 0 && code == CLI_DONE && operations > *rate * seconds)
            *rate = operations / seconds;
    }
    return code;
}

static cli_exit choose(arithmetic_cl *best, const gate_queue *on, cl_device_id device) {
    double best_rate = -1.0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < SHAPES && code == CLI_DONE; i++) {
        arithmetic_cl tried = *best;
        double rate;
        tried.of = shapes[i];
        tried.program = NULL;
        tried.kernel = NULL;
        code = try_shape(&tried, on, device, &rate);
        if (code == CLI_DONE && rate > best_rate) {
            release_kernel(best);
            *best = tried;
            best_rate = rate;
        } else {
            release_kernel(&tried);
        }
    }
    return code;
}

/* As many steps as a measurement needs. */
static cli_exit lengthen(arithmetic_cl *a, const gate_queue *on) {
    double seconds, operations;
    cli_exit code = CLI_DONE;
    for (size_t before = 0; before != a->steps && code == CLI_DONE;) {
        code = set_arguments(a);
        if (code == CLI_DONE)
            code = arithmetic_cl_run(a, on, &seconds, &operations);
        before = a->steps;
        if (code == CLI_DONE)
            a->steps = arithmetic_more_steps(a->steps, seconds);
    }
    return code;
}

/* Each lane of a work-item has the sum of its chains, which begin at the number of the lane. */
static cli_exit check(const arithmetic_cl *a, const gate_queue *on) {
    const size_t bytes = a->of.lanes * sizeof(float);
    const size_t places[] = {0, (a->items - 1) * bytes};
    for (size_t i = 0; i < 2; i++) {
        float ends[LANES_MAX];
        const cl_int code =
            clEnqueueReadBuffer(on->queue, a->ends, CL_TRUE, places[i], bytes, ends, 0, NULL, NULL);
        if (code != CL_SUCCESS)
            return gate_failed(code, "clEnqueueReadBuffer");
        for (size_t lane = 0; lane < a->of.lanes; lane++)
            if (ends[lane] != (float)(a->of.chains * (lane + a->steps)))
                return arithmetic_wrong();
    }
    return CLI_DONE;
}

static cli_exit open_ends(arithmetic_cl *a, const gate_queue *on, cl_device_id device) {
    cl_uint units = 0;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    if (code != CL_SUCCESS)
        return gate_failed(code, "clGetDeviceInfo");
    a->items = (size_t)units * ITEMS;
    a->ends = clCreateBuffer(on->context, CL_MEM_WRITE_ONLY, a->items * LANES_MAX * sizeof(float),
                             NULL, &code);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clCreateBuffer");
}

cli_exit arithmetic_cl_open(arithmetic_cl **opened, const gate_queue *on, cl_device_id device) {
    arithmetic_cl *a = calloc(1, sizeof *a);
    if (!a)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    cli_exit code = open_ends(a, on, device);
    if (code == CLI_DONE)
        code = choose(a, on, device);
    if (code == CLI_DONE)
        code = lengthen(a, on);
    if (code == CLI_DONE)
        code = check(a, on);
    if (code != CLI_DONE)
        arithmetic_cl_close(&a);
    *opened = a;
    return code;
}

void arithmetic_cl_close(arithmetic_cl **opened) {
    arithmetic_cl *a = *opened;
    *opened = NULL;
    if (a) {
        release_kernel(a);
        if (a->ends)
            clReleaseMemObject(a->ends);
        free(a);
    }
}
