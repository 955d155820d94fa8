/* SPDX-License-Identifier: MIT
 *
 * Buffers, kernels and jobs on an OpenCL device. gate.h defines kernel time.
 */
#include "device_cl.h"

#include "arithmetic_cl.h"
#include "cases/kernels.h"
#include "gate.h"

#include <posemill/posemill_cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_BYTES = 256 << 20 };

struct bench_cl {
    cl_context context; /* owned by the engine */
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel fill, stores, copy, obvious, chain;
    cl_mem output, source, keys, posed;
    arithmetic_cl *arithmetic; /* NULL: not opened yet */
    size_t bytes, source_bytes;
    pm_cl_crowd_job crowd_job; /* whose data is in `posed` */
    size_t obvious_items;
    size_t fill_unit;  /* bytes per store of fill and copy */
    cl_uint fill_each; /* stores per work-item */
    bool event_times;  /* whether the event times of the driver are plausible */
};

/* ---- opening ------------------------------------------------------------------- */

static cli_exit build_kernels(bench_cl *cl, unsigned width) {
    const char *text = bench_kernels_text;
    char options[32];
    cl_int code = CL_SUCCESS;
    snprintf(options, sizeof options, "-DWIDTH=%u", width);
    cl->program = clCreateProgramWithSource(cl->context, 1, &text, NULL, &code);
    if (code != CL_SUCCESS)
        return gate_failed(code, "clCreateProgramWithSource");
    code = clBuildProgram(cl->program, 1, &cl->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        return gate_failed(code, "clBuildProgram");
    const struct {
        const char *name;
        cl_kernel *kernel;
    } kernels[] = {{"fill", &cl->fill},
                   {"stores", &cl->stores},
                   {"copy", &cl->copy},
                   {"obvious", &cl->obvious},
                   {"chain", &cl->chain}};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0] && code == CL_SUCCESS; i++)
        *kernels[i].kernel = clCreateKernel(cl->program, kernels[i].name, &code);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clCreateKernel");
}

static cli_exit open_queue(bench_cl *cl) {
    cl_int code = CL_SUCCESS;
    cl->queue = clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS)
        return gate_failed(code, "clCreateCommandQueue");
    cl->output = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, cl->bytes, NULL, &code);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clCreateBuffer");
}

void bench_cl_close(bench_cl **opened) {
    bench_cl *cl = *opened;
    *opened = NULL;
    if (!cl)
        return;
    const cl_mem buffers[] = {cl->output, cl->source, cl->keys, cl->posed};
    const cl_kernel kernels[] = {cl->fill, cl->stores, cl->copy, cl->obvious, cl->chain};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    arithmetic_cl_close(&cl->arithmetic);
    if (cl->program)
        clReleaseProgram(cl->program);
    if (cl->queue)
        clReleaseCommandQueue(cl->queue);
    free(cl);
}

/* ---- the output ---------------------------------------------------------------- */

cli_exit bench_cl_poison(bench_cl *cl) {
    const cl_uint poison = 0xffffffffu;
    cl_int code = clEnqueueFillBuffer(cl->queue, cl->output, &poison, sizeof poison, 0, cl->bytes,
                                      0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(cl->queue);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clEnqueueFillBuffer");
}

cli_exit bench_cl_read(bench_cl *cl, size_t offset, size_t bytes, float *to) {
    cl_int code =
        clEnqueueReadBuffer(cl->queue, cl->output, CL_TRUE, offset, bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clEnqueueReadBuffer");
}

/* ---- timing -------------------------------------------------------------------- */

typedef struct kernel_work {
    cl_kernel kernel;
    size_t items;
} kernel_work;

static cli_exit put_kernel(cl_command_queue queue, const void *work, cl_event *done) {
    const kernel_work *w = work;
    cl_int code = clEnqueueNDRangeKernel(queue, w->kernel, 1, NULL, &w->items, NULL, 0, NULL, done);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "enqueueing a kernel");
}

static gate_queue queue_timed_by(const bench_cl *cl, bench_clock clock) {
    return (gate_queue){cl->context, cl->queue, cl->event_times && clock == CLOCK_KERNEL};
}

static cli_exit run_kernel(bench_cl *cl, cl_kernel kernel, size_t items, bench_clock clock,
                           size_t count, double *seconds) {
    const kernel_work work = {kernel, items};
    const gate_queue timed = queue_timed_by(cl, clock);
    return gate_run(&timed, put_kernel, &work, count, seconds);
}

/* The best of three runs of the chain kernel, by events or by wall clock. */
static cli_exit time_chain(bench_cl *cl, bool event_times, double *min) {
    cli_exit code = CLI_DONE;
    *min = 1e9;
    cl->event_times = event_times;
    for (int i = 0; i < 3 && code == CLI_DONE; i++) {
        double seconds = 0.0;
        code = run_kernel(cl, cl->chain, 1, CLOCK_KERNEL, 1, &seconds);
        *min = seconds < *min ? seconds : *min;
    }
    return code;
}

/* Some drivers timestamp events when they are queued, or start work before its gate is open. Events
 * that report less than half of the time of a long kernel are not used. */
static cli_exit probe_events(bench_cl *cl) {
    const cl_uint steps = 1u << 20;
    double by_events;
    double by_wall;
    cl_int set = clSetKernelArg(cl->chain, 0, sizeof(cl_mem), &cl->output);
    if (set == CL_SUCCESS)
        set = clSetKernelArg(cl->chain, 1, sizeof steps, &steps);
    if (set != CL_SUCCESS)
        return gate_failed(set, "clSetKernelArg");
    cli_exit code = time_chain(cl, false, &by_wall);
    if (code == CLI_DONE)
        code = time_chain(cl, true, &by_events);
    cl->event_times = code == CLI_DONE && by_events > 0.5 * by_wall;
    return code;
}

bool bench_cl_event_times(const bench_cl *cl) {
    return cl->event_times;
}

/* ---- what is run --------------------------------------------------------------- */

/* Number of work-items for `bytes`, rounded down so that all store equally often. */
static size_t fill_items(const bench_cl *cl, size_t bytes) {
    return bytes / (cl->fill_unit * cl->fill_each);
}

static cl_int set_fill(const bench_cl *cl, cl_kernel fill) {
    const cl_float value = 0.5f;
    cl_int code = clSetKernelArg(fill, 0, sizeof(cl_mem), &cl->output);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(fill, 1, sizeof cl->fill_each, &cl->fill_each);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(fill, 2, sizeof value, &value);
    return code;
}

static cli_exit run_fill(bench_cl *cl, cl_kernel fill, size_t bytes, bench_clock clock,
                         size_t count, double *seconds) {
    cl_int code = set_fill(cl, fill);
    return code == CL_SUCCESS ? run_kernel(cl, fill, fill_items(cl, bytes), clock, count, seconds)
                              : gate_failed(code, "clSetKernelArg");
}

cli_exit bench_cl_fill(bench_cl *cl, size_t bytes, bench_clock clock, size_t count,
                       double *seconds) {
    return run_fill(cl, cl->fill, bytes, clock, count, seconds);
}

cli_exit bench_cl_stores(bench_cl *cl, size_t bytes, double *seconds) {
    return run_fill(cl, cl->stores, bytes, CLOCK_KERNEL, 1, seconds);
}

/* The ceiling is the fastest fill of the driver: neighbouring work-items store neighbouring data,
 * or each work-item stores a contiguous range. */
cli_exit bench_cl_choose_fill(bench_cl *cl, size_t bytes) {
    static const cl_uint choices[] = {1, 32};
    double best = 1e9;
    cl_uint chosen = 1;
    cli_exit code = CLI_DONE;
    for (int i = 0; i < 6 && code == CLI_DONE; i++) {
        double seconds = 0.0;
        cl->fill_each = choices[i % 2];
        if (bytes % (cl->fill_unit * cl->fill_each) > bytes / 64)
            continue; /* the remainder would be too large */
        code = bench_cl_fill(cl, bytes, CLOCK_KERNEL, 1, &seconds);
        if (i > 1 && seconds < best) { /* the first run of each choice is a warm-up */
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
    if (!cl)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    cl->context = pm_cl_context(engine);
    cl->device = pm_cl_device(engine);
    cl->bytes = bytes;
    cl->fill_unit = width * sizeof(float);
    cli_exit code = open_queue(cl);
    if (code == CLI_DONE)
        code = build_kernels(cl, width);
    if (code == CLI_DONE)
        code = probe_events(cl);
    if (code == CLI_DONE)
        code = bench_cl_choose_fill(cl, bytes);
    if (code != CLI_DONE)
        bench_cl_close(&cl);
    *opened = cl;
    return code;
}

/* A source of at least as many bytes, which most copies of the device fit into. */
static cl_int open_source(bench_cl *cl, size_t wanted) {
    const cl_uint zero = 0;
    const size_t usual = cl->bytes < SOURCE_BYTES ? cl->bytes : SOURCE_BYTES;
    const size_t bytes = wanted > usual ? wanted : usual;
    cl_int code = CL_SUCCESS;
    if (cl->source_bytes >= wanted)
        return CL_SUCCESS;
    if (cl->source)
        clReleaseMemObject(cl->source);
    cl->source = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    cl->source_bytes = code == CL_SUCCESS ? bytes : 0;
    return code == CL_SUCCESS ? clEnqueueFillBuffer(cl->queue, cl->source, &zero, sizeof zero, 0,
                                                    bytes, 0, NULL, NULL)
                              : code;
}

cli_exit bench_cl_copy(bench_cl *cl, size_t bytes, bench_clock clock, size_t count,
                       double *seconds) {
    cl_int code = open_source(cl, bytes);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(cl->copy, 0, sizeof(cl_mem), &cl->output);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(cl->copy, 1, sizeof cl->fill_each, &cl->fill_each);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(cl->copy, 2, sizeof(cl_mem), &cl->source);
    return code == CL_SUCCESS
               ? run_kernel(cl, cl->copy, fill_items(cl, bytes), clock, count, seconds)
               : gate_failed(code, "preparing the copy");
}

cli_exit bench_cl_arithmetic(bench_cl *cl, double *seconds, double *operations) {
    const gate_queue timed = queue_timed_by(cl, CLOCK_KERNEL);
    cli_exit code = CLI_DONE;
    if (!cl->arithmetic)
        code = arithmetic_cl_open(&cl->arithmetic, &timed, cl->device);
    return code == CLI_DONE ? arithmetic_cl_run(cl->arithmetic, &timed, seconds, operations) : code;
}

cli_exit bench_cl_set_keys(bench_cl *cl, const float *keys, size_t key_count, size_t tracks) {
    const cl_uint track_count = (cl_uint)tracks;
    cl_int code = CL_SUCCESS;
    if (cl->keys)
        clReleaseMemObject(cl->keys);
    cl->obvious_items = 4 * (key_count - 1) * tracks;
    cl->keys =
        clCreateBuffer(cl->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                       key_count * tracks * 4 * sizeof(float), (void *)(uintptr_t)keys, &code);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(cl->obvious, 0, sizeof(cl_mem), &cl->output);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(cl->obvious, 1, sizeof(cl_mem), &cl->keys);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(cl->obvious, 2, sizeof track_count, &track_count);
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "preparing the obvious kernel");
}

cli_exit bench_cl_obvious(bench_cl *cl, double *seconds) {
    return run_kernel(cl, cl->obvious, cl->obvious_items, CLOCK_KERNEL, 1, seconds);
}

typedef struct sample_work {
    const pm_clip *clip;
    const pm_sample_job *job;
    cl_mem output;
} sample_work;

static cli_exit put_sample(cl_command_queue queue, const void *work, cl_event *done) {
    const sample_work *w = work;
    const pm_cl_outputs outputs = {.rotations = w->output};
    pm_error error = {0};
    pm_status status = pm_cl_sample(w->clip, w->job, &outputs, queue, 0, NULL, done, &error);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

cli_exit bench_cl_job(bench_cl *cl, const pm_clip *clip, const pm_sample_job *job,
                      bench_clock clock, size_t count, double *seconds) {
    const sample_work work = {clip, job, cl->output};
    const gate_queue timed = queue_timed_by(cl, clock);
    return gate_run(&timed, put_sample, &work, count, seconds);
}

/* ---- crowds -------------------------------------------------------------------- */

enum { PART_ALIGNMENT = 64 };

/* Data of a crowd's job, in one buffer with the others. */
typedef struct crowd_part {
    const void *memory; /* NULL: none */
    size_t bytes;
    pm_cl_input *input;
} crowd_part;

static cli_exit write_part(bench_cl *cl, const crowd_part *part, size_t at) {
    cl_int code = clEnqueueWriteBuffer(cl->queue, cl->posed, CL_TRUE, at, part->bytes, part->memory,
                                       0, NULL, NULL);
    *part->input = (pm_cl_input){.buffer = cl->posed, .offset = at};
    return code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clEnqueueWriteBuffer");
}

static size_t rounded(size_t bytes) {
    return (bytes + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
}

cli_exit bench_cl_set_crowd(bench_cl *cl, const pm_crowd_job *job, const pm_crowd_info *info) {
    pm_cl_crowd_job *to = &cl->crowd_job;
    pm_cl_input instances = {0};
    *to = (pm_cl_crowd_job){.instance_count = job->instance_count,
                            .layer_count = job->layer_count,
                            .index_count = job->index_count,
                            .packed = job->packed};
    const size_t n = job->instance_count, pose = info->joint_count * 12 * sizeof(float);
    const crowd_part parts[] = {
        {job->instances, n * sizeof *job->instances, &instances},
        {job->layers, job->layer_count * sizeof *job->layers, &to->layers},
        {job->ranges, n * sizeof *job->ranges, &to->ranges},
        {job->poses, n * pose, &to->poses},
        {job->indices, job->index_count * sizeof *job->indices, &to->indices}};
    const size_t count = sizeof parts / sizeof *parts;
    size_t bytes = PART_ALIGNMENT, at = 0;
    for (size_t i = 0; i < count; i++)
        bytes += parts[i].memory ? rounded(parts[i].bytes) : 0;
    cl_int code = CL_SUCCESS;
    if (cl->posed)
        clReleaseMemObject(cl->posed);
    cl->posed = clCreateBuffer(cl->context, CL_MEM_READ_ONLY, bytes, NULL, &code);
    cli_exit done = code == CL_SUCCESS ? CLI_DONE : gate_failed(code, "clCreateBuffer");
    for (size_t i = 0; done == CLI_DONE && i < count; i++)
        if (parts[i].memory) {
            done = write_part(cl, &parts[i], at);
            at += rounded(parts[i].bytes);
        }
    to->instance_buffer = instances.buffer;
    to->instances_offset = instances.offset;
    return done;
}

typedef struct crowd_work {
    pm_crowd *crowd;
    pm_cl_crowd_job job;
} crowd_work;

static cli_exit put_crowd(cl_command_queue queue, const void *work, cl_event *done) {
    const crowd_work *w = work;
    pm_error error = {0};
    pm_status status = pm_cl_crowd_pose(w->crowd, &w->job, queue, 0, NULL, done, &error);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

cli_exit bench_cl_crowd(bench_cl *cl, pm_crowd *crowd, const device_target *targets,
                        size_t target_count, size_t count, double *seconds) {
    pm_cl_crowd_target into[PM_CROWD_MAX_TARGETS];
    for (size_t t = 0; t < target_count; t++)
        into[t] = (pm_cl_crowd_target){.output = targets[t].output,
                                       .subset = targets[t].subset,
                                       .buffer = cl->output,
                                       .offset = targets[t].offset};
    crowd_work work = {crowd, cl->crowd_job};
    work.job.outputs = into;
    work.job.output_count = target_count;
    const gate_queue timed = queue_timed_by(cl, CLOCK_KERNEL);
    return gate_run(&timed, put_crowd, &work, count, seconds);
}
