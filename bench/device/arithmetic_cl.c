/* SPDX-License-Identifier: MIT
 *
 * The arithmetic ceiling of an OpenCL device. Which vectors and how many chains hide the latency of a
 * multiply-add best depends on the device and its compiler, so it is tried.
 */
#include "device_cl.h"

#include <stdio.h>
#include <stdlib.h>

/* Work-items for a compute unit: as many as fill a GPU, and no more than a CPU starts in a moment. They
 * are in groups so small that each unit gets many: of one group for each, the last one to start, or the
 * one on a busy processor, would be the time of all. */
enum { ITEMS = 4096, GROUP = 64, TRIED_STEPS = 64, TRIES = 3, LANES_MAX = 16 };

struct arithmetic_cl {
    gate_queue on;
    unsigned lanes, chains;
    cl_program program;
    gate_kernel work;
    cl_mem ends; /* of every work-item; shared by all that are tried */
    size_t steps;
};

static void release_kernel(arithmetic_cl *a) {
    if (a->work.kernel)
        clReleaseKernel(a->work.kernel);
    if (a->program)
        clReleaseProgram(a->program);
    a->work.kernel = NULL;
    a->program = NULL;
}

static cli_exit build(arithmetic_cl *a, cl_device_id device) {
    const char *text = bench_arithmetic_text;
    char options[48];
    size_t most = 0;
    cl_int code = CL_SUCCESS;
    snprintf(options, sizeof options, "-DLANES=%u -DCHAINS=%u", a->lanes, a->chains);
    a->program = clCreateProgramWithSource(a->on.context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(a->program, 1, &device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        a->work.kernel = clCreateKernel(a->program, "arithmetic", &code);
    if (code == CL_SUCCESS)
        code = clGetKernelWorkGroupInfo(a->work.kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof most, &most, NULL);
    a->work.group = most >= GROUP ? GROUP : 1;
    return gate_result(code, "building a kernel");
}

static cli_exit run_steps(void *context, double *seconds) {
    const arithmetic_cl *a = context;
    const cl_uint steps = (cl_uint)a->steps;
    const struct {
        size_t size;
        const void *value;
    } arguments[] = {{sizeof(cl_mem), &a->ends},
                     {sizeof steps, &steps},
                     {sizeof(cl_float), &arithmetic_factor},
                     {sizeof(cl_float), &arithmetic_term}};
    cl_int set = CL_SUCCESS;
    for (cl_uint i = 0; i < sizeof arguments / sizeof arguments[0] && set == CL_SUCCESS; i++)
        set = clSetKernelArg(a->work.kernel, i, arguments[i].size, arguments[i].value);
    const cli_exit code = gate_result(set, "clSetKernelArg");
    return code == CLI_DONE ? gate_run(&a->on, gate_put_kernel, &a->work, 1, seconds) : code;
}

cli_exit arithmetic_cl_run(arithmetic_cl *a, double *seconds, double *operations) {
    *operations = 2.0 * (double)a->work.items * (double)a->steps * a->chains * a->lanes;
    return run_steps(a, seconds);
}

/* The best of a few runs; the first one is a warm-up. */
static cli_exit try_shape(arithmetic_cl *a, cl_device_id device, double *rate) {
    double seconds = 0.0, operations = 0.0;
    cli_exit code = build(a, device);
    *rate = 0.0;
    for (int i = 0; i < TRIES && code == CLI_DONE; i++) {
        code = arithmetic_cl_run(a, &seconds, &operations);
        if (i > 0 && code == CLI_DONE && operations > *rate * seconds)
            *rate = operations / seconds;
    }
    return code;
}

static cli_exit choose(arithmetic_cl *best, cl_device_id device) {
    double best_rate = -1.0, rate;
    cli_exit code = CLI_DONE;
    for (unsigned lanes = 1; lanes <= LANES_MAX; lanes = lanes == 1 ? 4 : 2 * lanes) {
        for (unsigned chains = 4; chains <= 8 && code == CLI_DONE; chains += 4) {
            arithmetic_cl tried = *best;
            tried.lanes = lanes;
            tried.chains = chains;
            tried.program = NULL;
            tried.work.kernel = NULL;
            code = try_shape(&tried, device, &rate);
            const bool is_better = code == CLI_DONE && rate > best_rate;
            release_kernel(is_better ? best : &tried);
            if (is_better) {
                *best = tried;
                best_rate = rate;
            }
        }
    }
    return code;
}

/* Each lane of a work-item has the sum of its chains, which begin at the number of the lane. */
static cli_exit check(const arithmetic_cl *a) {
    const size_t bytes = a->lanes * sizeof(float);
    const size_t places[] = {0, (a->work.items - 1) * bytes};
    float ends[LANES_MAX];
    for (size_t i = 0; i < 2; i++) {
        const cl_int code = clEnqueueReadBuffer(a->on.queue, a->ends, CL_TRUE, places[i], bytes,
                                                ends, 0, NULL, NULL);
        if (code != CL_SUCCESS)
            return gate_result(code, "clEnqueueReadBuffer");
        for (size_t lane = 0; lane < a->lanes; lane++)
            if (ends[lane] != (float)(a->chains * (lane + a->steps)))
                return arithmetic_wrong();
    }
    return CLI_DONE;
}

static cli_exit open_ends(arithmetic_cl *a, cl_device_id device) {
    cl_uint units = 0;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    a->work.items = (size_t)units * ITEMS;
    if (code == CL_SUCCESS)
        a->ends = clCreateBuffer(a->on.context, CL_MEM_WRITE_ONLY,
                                 a->work.items * LANES_MAX * sizeof(float), NULL, &code);
    return gate_result(code, "clCreateBuffer");
}

cli_exit arithmetic_cl_open(arithmetic_cl **opened, const gate_queue *on, cl_device_id device) {
    arithmetic_cl *a = *opened = calloc(1, sizeof *a);
    if (!a)
        return bench_out_of_memory();
    a->on = *on;
    a->steps = TRIED_STEPS;
    cli_exit code = open_ends(a, device);
    if (code == CLI_DONE)
        code = choose(a, device);
    if (code == CLI_DONE)
        code = arithmetic_lengthen(run_steps, a, &a->steps);
    if (code == CLI_DONE)
        code = check(a);
    if (code != CLI_DONE)
        arithmetic_cl_close(opened);
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
