/* SPDX-License-Identifier: MIT
 *
 * Buffers, kernels and jobs on an OpenCL device: a queue with profiling on the context of the engine.
 * device_cl.h defines kernel time.
 */
#include "device_cl.h"

#include <stdio.h>
#include <stdlib.h>

enum { FILL, STORES, COPY, OBVIOUS, CHAIN, KERNELS };
enum { SOURCE_BYTES = 256 << 20 };

typedef struct cl_state {
    cl_context context; /* owned by the engine */
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[KERNELS];
    cl_mem output, source, keys, posed;
    arithmetic_cl *arithmetic; /* NULL: not opened yet */
    size_t bytes, source_bytes;
    pm_cl_crowd_job crowd_job; /* whose data is in `posed` */
    size_t obvious_items;
    size_t fill_unit;    /* bytes per store of fill and copy */
    cl_uint fill_each;   /* stores per work-item */
    size_t chosen_bytes; /* for which fill_each was chosen; 0: not yet */
} cl_state;

/* ---- memory -------------------------------------------------------------------- */

/* A new buffer in place of another one, which may be NULL. */
static cl_int renew(const cl_state *cl, cl_mem *buffer, cl_mem_flags flags, size_t bytes,
                    const void *data) {
    cl_int code = CL_SUCCESS;
    if (*buffer)
        clReleaseMemObject(*buffer);
    *buffer = clCreateBuffer(cl->context, flags, bytes, (void *)(uintptr_t)data, &code);
    return code;
}

static cli_exit reserve(bench_device *device, size_t bytes) {
    cl_state *cl = device->state;
    if (cl->bytes >= bytes)
        return CLI_DONE;
    const cl_int code = renew(cl, &cl->output, CL_MEM_READ_WRITE, bytes, NULL);
    cl->bytes = code == CL_SUCCESS ? bytes : 0;
    return gate_result(code, "clCreateBuffer");
}

static cli_exit poison(bench_device *device, size_t bytes) {
    const cl_state *cl = device->state;
    const cl_uint poison = 0xffffffffu;
    cl_int code = clEnqueueFillBuffer(cl->queue, cl->output, &poison, sizeof poison, 0,
                                      (bytes + 3) / 4 * 4, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(cl->queue);
    return gate_result(code, "clEnqueueFillBuffer");
}

static cli_exit read_output(bench_device *device, size_t offset, size_t bytes, void *to) {
    const cl_state *cl = device->state;
    return gate_result(
        clEnqueueReadBuffer(cl->queue, cl->output, CL_TRUE, offset, bytes, to, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}

/* ---- kernels ------------------------------------------------------------------- */

static gate_queue queue_timed_by(const bench_device *device, bench_clock clock) {
    const cl_state *cl = device->state;
    return (gate_queue){cl->context, cl->queue, device->event_times && clock == CLOCK_KERNEL};
}

/* Runs a kernel whose first argument is the output, and the others what is given. */
static cli_exit run_kernel(bench_device *device, int which, size_t size1, const void *value1,
                           size_t size2, const void *value2, size_t items, bench_clock clock,
                           size_t count, double *seconds) {
    const cl_state *cl = device->state;
    const gate_kernel work = {cl->kernels[which], items, 0};
    const gate_queue timed = queue_timed_by(device, clock);
    cl_int code = clSetKernelArg(work.kernel, 0, sizeof(cl_mem), &cl->output);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(work.kernel, 1, size1, value1);
    if (code == CL_SUCCESS && value2)
        code = clSetKernelArg(work.kernel, 2, size2, value2);
    const cli_exit set = gate_result(code, "clSetKernelArg");
    return set == CLI_DONE ? gate_run(&timed, gate_put_kernel, &work, count, seconds) : set;
}

/* Work-items store equally often, so a remainder of the bytes is left. */
static cli_exit move(bench_device *device, int which, size_t size, const void *value, size_t bytes,
                     bench_clock clock, size_t count, double *seconds) {
    const cl_state *cl = device->state;
    return run_kernel(device, which, sizeof cl->fill_each, &cl->fill_each, size, value,
                      bytes / (cl->fill_unit * cl->fill_each), clock, count, seconds);
}

static cli_exit fill_with(bench_device *device, int which, size_t bytes, bench_clock clock,
                          size_t count, double *seconds) {
    const cl_float value = 0.5f;
    return move(device, which, sizeof value, &value, bytes, clock, count, seconds);
}

/* The ceiling is the fastest fill of the driver: neighbouring work-items store neighbouring data,
 * or each work-item stores a contiguous range. */
static cli_exit choose_fill(bench_device *device, size_t bytes) {
    static const cl_uint choices[] = {1, 32};
    cl_state *cl = device->state;
    double best = 1e9;
    cl_uint chosen = 1;
    cli_exit code = CLI_DONE;
    for (int i = 0; i < 6 && code == CLI_DONE; i++) {
        double seconds = 0.0;
        cl->fill_each = choices[i % 2];
        if (bytes % (cl->fill_unit * cl->fill_each) > bytes / 64)
            continue; /* the remainder would be too large */
        code = fill_with(device, FILL, bytes, CLOCK_KERNEL, 1, &seconds);
        if (i > 1 && seconds < best) { /* the first run of each choice is a warm-up */
            best = seconds;
            chosen = cl->fill_each;
        }
    }
    cl->fill_each = chosen;
    cl->chosen_bytes = bytes;
    return code;
}

static cli_exit fill(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds) {
    const cl_state *cl = device->state;
    const cli_exit code = cl->chosen_bytes != bytes ? choose_fill(device, bytes) : CLI_DONE;
    return code == CLI_DONE ? fill_with(device, FILL, bytes, clock, count, seconds) : code;
}

static cli_exit stores(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                       double *seconds) {
    return fill_with(device, STORES, bytes, clock, count, seconds);
}

/* A source of at least as many bytes, which most copies of the device fit into. */
static cl_int open_source(cl_state *cl, size_t wanted) {
    const cl_uint zero = 0;
    const size_t usual = cl->bytes < SOURCE_BYTES ? cl->bytes : SOURCE_BYTES;
    const size_t bytes = wanted > usual ? wanted : usual;
    if (cl->source_bytes >= wanted)
        return CL_SUCCESS;
    const cl_int code = renew(cl, &cl->source, CL_MEM_READ_WRITE, bytes, NULL);
    cl->source_bytes = code == CL_SUCCESS ? bytes : 0;
    return code == CL_SUCCESS ? clEnqueueFillBuffer(cl->queue, cl->source, &zero, sizeof zero, 0,
                                                    bytes / 4 * 4, 0, NULL, NULL)
                              : code;
}

static cli_exit copy(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds) {
    cl_state *cl = device->state;
    const cli_exit code = gate_result(open_source(cl, bytes), "preparing the copy");
    return code == CLI_DONE
               ? move(device, COPY, sizeof(cl_mem), &cl->source, bytes, clock, count, seconds)
               : code;
}

static cli_exit arithmetic(bench_device *device, double *seconds, double *operations) {
    cl_state *cl = device->state;
    const gate_queue timed = queue_timed_by(device, CLOCK_KERNEL);
    cli_exit code = CLI_DONE;
    if (!cl->arithmetic)
        code = arithmetic_cl_open(&cl->arithmetic, &timed, cl->device);
    return code == CLI_DONE ? arithmetic_cl_run(cl->arithmetic, seconds, operations) : code;
}

static cli_exit set_keys(bench_device *device, const float *keys, size_t key_count, size_t tracks) {
    cl_state *cl = device->state;
    cl->obvious_items = 4 * (key_count - 1) * tracks;
    return gate_result(renew(cl, &cl->keys, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             key_count * tracks * 4 * sizeof(float), keys),
                       "clCreateBuffer");
}

static cli_exit obvious(bench_device *device, size_t tracks, double *seconds) {
    const cl_state *cl = device->state;
    const cl_uint track_count = (cl_uint)tracks;
    return run_kernel(device, OBVIOUS, sizeof(cl_mem), &cl->keys, sizeof track_count, &track_count,
                      cl->obvious_items, CLOCK_KERNEL, 1, seconds);
}

/* ---- jobs ---------------------------------------------------------------------- */

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

static cli_exit sample(bench_device *device, const pm_clip *clip, const pm_sample_job *job,
                       bench_clock clock, size_t count, double *seconds) {
    const cl_state *cl = device->state;
    const sample_work work = {clip, job, cl->output};
    const gate_queue timed = queue_timed_by(device, clock);
    return gate_run(&timed, put_sample, &work, count, seconds);
}

enum { PART_ALIGNMENT = 64 };

/* Data of a crowd's job, in one buffer with the others. */
typedef struct crowd_part {
    const void *memory; /* NULL: none */
    size_t bytes;
    pm_cl_input *input;
} crowd_part;

static size_t rounded(size_t bytes) {
    return (bytes + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
}

static cli_exit write_parts(cl_state *cl, const crowd_part *parts, size_t count) {
    size_t bytes = PART_ALIGNMENT, at = 0;
    for (size_t i = 0; i < count; i++)
        bytes += parts[i].memory ? rounded(parts[i].bytes) : 0;
    cl_int code = renew(cl, &cl->posed, CL_MEM_READ_ONLY, bytes, NULL);
    for (size_t i = 0; code == CL_SUCCESS && i < count; i++) {
        if (parts[i].memory) {
            *parts[i].input = (pm_cl_input){.buffer = cl->posed, .offset = at};
            code = clEnqueueWriteBuffer(cl->queue, cl->posed, CL_TRUE, at, parts[i].bytes,
                                        parts[i].memory, 0, NULL, NULL);
            at += rounded(parts[i].bytes);
        }
    }
    return gate_result(code, "writing the data of a crowd");
}

static cli_exit set_crowd(bench_device *device, const pm_crowd_job *job,
                          const pm_crowd_info *info) {
    cl_state *cl = device->state;
    pm_cl_crowd_job *to = &cl->crowd_job;
    pm_cl_input instances = {0};
    *to = (pm_cl_crowd_job){.instance_count = job->instance_count,
                            .layer_count = job->layer_count,
                            .index_count = job->index_count,
                            .packed = job->packed,
                            .chains = job->chains,
                            .chain_count = job->chain_count,
                            .goal_stride = job->goal_stride,
                            .ground = job->ground,
                            .transition_stride = job->transition_stride,
                            .transition_time = job->transition_time};
    const size_t n = job->instance_count, pose = info->joint_count * 12 * sizeof(float);
    const crowd_part parts[] = {
        {job->instances, n * sizeof *job->instances, &instances},
        {job->layers, job->layer_count * sizeof *job->layers, &to->layers},
        {job->ranges, n * sizeof *job->ranges, &to->ranges},
        {job->poses, n * pose, &to->poses},
        {job->indices, job->index_count * sizeof *job->indices, &to->indices},
        {job->goals, n * job->goal_stride, &to->goals},
        {job->heights, (size_t)job->ground.rows * job->ground.columns * sizeof *job->heights,
         &to->heights},
        {job->transitions, n * job->transition_stride, &to->transitions},
        {job->placements, n * sizeof *job->placements, &to->placements}};
    const cli_exit code = write_parts(cl, parts, sizeof parts / sizeof *parts);
    to->instance_buffer = instances.buffer;
    to->instances_offset = instances.offset;
    return code;
}

typedef struct pose_work {
    pm_crowd *crowd;
    pm_cl_crowd_job job;
} pose_work;

static cli_exit put_pose(cl_command_queue queue, const void *work, cl_event *done) {
    const pose_work *w = work;
    pm_error error = {0};
    pm_status status = pm_cl_crowd_pose(w->crowd, &w->job, queue, 0, NULL, done, &error);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit pose(bench_device *device, pm_crowd *crowd, const device_target *targets,
                     size_t target_count, size_t count, double *seconds) {
    const cl_state *cl = device->state;
    pm_cl_crowd_target into[PM_CROWD_MAX_TARGETS];
    for (size_t t = 0; t < target_count; t++)
        into[t] = (pm_cl_crowd_target){.output = targets[t].output,
                                       .subset = targets[t].subset,
                                       .buffer = cl->output,
                                       .offset = targets[t].offset};
    pose_work work = {crowd, cl->crowd_job};
    work.job.outputs = into;
    work.job.output_count = target_count;
    const gate_queue timed = queue_timed_by(device, CLOCK_KERNEL);
    return gate_run(&timed, put_pose, &work, count, seconds);
}

/* ---- opening ------------------------------------------------------------------- */

static cli_exit build_kernels(cl_state *cl, unsigned width) {
    static const char *const names[] = {[FILL] = "fill",
                                        [STORES] = "stores",
                                        [COPY] = "copy",
                                        [OBVIOUS] = "obvious",
                                        [CHAIN] = "chain"};
    const char *text = bench_kernels_text;
    char options[32];
    cl_int code = CL_SUCCESS;
    snprintf(options, sizeof options, "-DWIDTH=%u", width);
    cl->program = clCreateProgramWithSource(cl->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(cl->program, 1, &cl->device, options, NULL, NULL);
    for (size_t i = 0; i < KERNELS && code == CL_SUCCESS; i++)
        cl->kernels[i] = clCreateKernel(cl->program, names[i], &code);
    return gate_result(code, "building the kernels of the bench");
}

/* The best of three runs of the chain kernel, by events or by wall clock. */
static cli_exit time_chain(bench_device *device, bool event_times, double *min) {
    const cl_uint steps = 1u << 20;
    cli_exit code = CLI_DONE;
    *min = 1e9;
    device->event_times = event_times;
    for (int i = 0; i < 3 && code == CLI_DONE; i++) {
        double seconds = 0.0;
        code =
            run_kernel(device, CHAIN, sizeof steps, &steps, 0, NULL, 1, CLOCK_KERNEL, 1, &seconds);
        *min = seconds < *min ? seconds : *min;
    }
    return code;
}

/* Some drivers timestamp events when they are queued, or start work before its gate is open. Events
 * that report less than half of the time of a long kernel are not used. */
static cli_exit probe_events(bench_device *device) {
    double by_events, by_wall;
    cli_exit code = time_chain(device, false, &by_wall);
    if (code == CLI_DONE)
        code = time_chain(device, true, &by_events);
    device->event_times = code == CLI_DONE && by_events > 0.5 * by_wall;
    return code;
}

static void close_cl(bench_device *device) {
    cl_state *cl = device->state;
    const cl_mem buffers[] = {cl->output, cl->source, cl->keys, cl->posed};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    for (size_t i = 0; i < KERNELS; i++)
        if (cl->kernels[i])
            clReleaseKernel(cl->kernels[i]);
    arithmetic_cl_close(&cl->arithmetic);
    if (cl->program)
        clReleaseProgram(cl->program);
    if (cl->queue)
        clReleaseCommandQueue(cl->queue);
    free(cl);
}

/* Floats that a work-item stores: a cache line where the registers of a CPU have at least half of one. */
static unsigned fill_width(const bench_device *device) {
    cl_uint lanes = 1;
    clGetDeviceInfo(pm_cl_device(device->engine), CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof lanes,
                    &lanes, NULL);
    return device->info.type == PM_DEVICE_CPU && lanes >= 8 ? 16 : 4;
}

cli_exit device_open_cl(bench_device *device) {
    static const device_verbs verbs = {close_cl, reserve,  poison,     read_output, fill,
                                       stores,   copy,     arithmetic, sample,      set_crowd,
                                       pose,     set_keys, obvious};
    const unsigned width = fill_width(device);
    cl_state *cl = device->state = calloc(1, sizeof *cl);
    cl_int opened = CL_SUCCESS;
    if (!cl)
        return bench_out_of_memory();
    device->verbs = &verbs;
    cl->context = pm_cl_context(device->engine);
    cl->device = pm_cl_device(device->engine);
    cl->fill_unit = width * sizeof(float);
    cl->fill_each = 1;
    cl->queue = clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &opened);
    cli_exit code = gate_result(opened, "clCreateCommandQueue");
    if (code == CLI_DONE)
        code = build_kernels(cl, width);
    if (code == CLI_DONE)
        code = reserve(device, PART_ALIGNMENT); /* the end of the chain */
    return code == CLI_DONE ? probe_events(device) : code;
}
