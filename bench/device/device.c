/* SPDX-License-Identifier: MIT
 *
 * The reference path as a device in host memory, and the choice between it and OpenCL.
 */
#include "device.h"

#include "arithmetic.h"
#include "device_cl.h"
#include "files/progress.h"
#include "host_ceilings.h"

#include <stdlib.h>
#include <string.h>

static cli_exit out_of_memory(void) {
    return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
}

cli_exit device_open(bench_device *device, pm_engine *engine, parallel_pool *pool, size_t bytes) {
    memset(device, 0, sizeof *device);
    device->engine = engine;
    device->pool = pool;
    device->bytes = bytes;
    pm_engine_get_info(engine, &device->info, sizeof(pm_device_info));
#if POSEMILL_OPENCL
    if (device->info.type != PM_DEVICE_REFERENCE)
        return bench_cl_open(&device->cl, engine, &device->info, bytes);
#endif
    device->host = malloc(bytes);
    if (!device->host) {
        device_close(device);
        return out_of_memory();
    }
    return CLI_DONE;
}

void device_close(bench_device *device) {
#if POSEMILL_OPENCL
    bench_cl_close(&device->cl);
#endif
    free(device->host);
    free(device->source);
    memset(device, 0, sizeof *device);
}

bool device_event_times(const bench_device *device) {
#if POSEMILL_OPENCL
    return device->cl != NULL && bench_cl_event_times(device->cl);
#else
    (void)device;
    return false;
#endif
}

cli_exit device_poison(bench_device *device) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_poison(device->cl);
#endif
    memset(device->host, 0xff, device->bytes);
    return CLI_DONE;
}

cli_exit device_read(bench_device *device, size_t offset, size_t bytes, float *to) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_read(device->cl, offset, bytes, to);
#endif
    memcpy(to, (const char *)device->host + offset, bytes);
    return CLI_DONE;
}

cli_exit device_fill(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_fill(device->cl, bytes, clock, count, seconds);
#endif
    (void)clock; /* the reference path has only one clock */
    host_fill(device->pool, device->host, bytes, count, seconds);
    return CLI_DONE;
}

cli_exit device_stores(bench_device *device, size_t bytes, double *seconds) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_stores(device->cl, bytes, seconds);
#endif
    host_fill(device->pool, device->host, bytes, 1, seconds); /* memset chooses by itself */
    return CLI_DONE;
}

cli_exit device_choose_fill(bench_device *device, size_t bytes) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_choose_fill(device->cl, bytes);
#endif
    (void)device;
    (void)bytes;
    return CLI_DONE; /* memset is the only method */
}

/* Written, because pages that were never written are all one page, which a cache holds. */
static cli_exit open_source(bench_device *device, size_t bytes) {
    if (device->source_bytes < bytes) {
        free(device->source);
        device->source = malloc(bytes);
        device->source_bytes = device->source ? bytes : 0;
        if (!device->source)
            return out_of_memory();
        memset(device->source, 0x3e, bytes);
    }
    return CLI_DONE;
}

cli_exit device_copy(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_copy(device->cl, bytes, clock, count, seconds);
#endif
    (void)clock;
    cli_exit code = open_source(device, bytes);
    if (code == CLI_DONE)
        host_copy(device->pool, device->host, device->source, bytes, count, seconds);
    return code;
}

/* Lengthens the measurement until it takes long enough. */
static cli_exit choose_steps(bench_device *device) {
    cli_exit code = CLI_DONE;
    double seconds, operations;
    device->arithmetic_steps = 1 << 12;
    for (size_t before = 0; before != device->arithmetic_steps && code == CLI_DONE;) {
        before = device->arithmetic_steps;
        code = host_arithmetic(device->pool, before, &seconds, &operations);
        if (code == CLI_DONE)
            device->arithmetic_steps = arithmetic_more_steps(before, seconds);
    }
    return code;
}

cli_exit device_arithmetic(bench_device *device, double *seconds, double *operations) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_arithmetic(device->cl, seconds, operations);
#endif
    cli_exit code = device->arithmetic_steps == 0 ? choose_steps(device) : CLI_DONE;
    return code == CLI_DONE
               ? host_arithmetic(device->pool, device->arithmetic_steps, seconds, operations)
               : code;
}

cli_exit device_job(bench_device *device, const pm_clip *clip, const pm_sample_job *job,
                    bench_clock clock, size_t count, double *seconds) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_job(device->cl, clip, job, clock, count, seconds);
#endif
    (void)clock;
    pm_sample_job full = *job;
    pm_error error = {0};
    full.rotations = device->host;
    double begun = progress_clock();
    for (size_t i = 0; i < count; i++)
        if (pm_sample(clip, &full, &error) != PM_OK)
            return cli_fail_error("bench", &error);
    *seconds = (progress_clock() - begun) / (double)count;
    return CLI_DONE;
}

cli_exit device_set_crowd(bench_device *device, const pm_crowd_job *job,
                          const pm_crowd_info *info) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_set_crowd(device->cl, job, info);
#else
    (void)info;
#endif
    device->crowd_job = job;
    return CLI_DONE;
}

void device_targets_at(const device_target *from, size_t count, void *memory, pm_crowd_target *to) {
    for (size_t t = 0; t < count; t++)
        to[t] = (pm_crowd_target){.output = from[t].output,
                                  .subset = from[t].subset,
                                  .memory = (char *)memory + from[t].offset};
}

cli_exit device_crowd(bench_device *device, pm_crowd *crowd, const device_target *targets,
                      size_t target_count, size_t count, double *seconds) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_crowd(device->cl, crowd, targets, target_count, count, seconds);
#endif
    pm_crowd_job job = *device->crowd_job;
    pm_crowd_target into[PM_CROWD_MAX_TARGETS];
    pm_error error = {0};
    device_targets_at(targets, target_count, device->host, into);
    job.outputs = into;
    job.output_count = target_count;
    double begun = progress_clock();
    for (size_t i = 0; i < count; i++)
        if (pm_crowd_pose(crowd, &job, &error) != PM_OK)
            return cli_fail_error("bench", &error);
    *seconds = (progress_clock() - begun) / (double)count;
    return CLI_DONE;
}

cli_exit device_set_keys(bench_device *device, const float *keys, size_t key_count, size_t tracks) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_set_keys(device->cl, keys, key_count, tracks);
#else
    (void)keys;
    (void)key_count;
    (void)tracks;
#endif
    return cli_fail(CLI_NO_DEVICE, device->info.name, NULL, "has no OpenCL kernels");
}

cli_exit device_obvious(bench_device *device, double *seconds) {
#if POSEMILL_OPENCL
    if (device->cl)
        return bench_cl_obvious(device->cl, seconds);
#else
    (void)seconds;
#endif
    return cli_fail(CLI_NO_DEVICE, device->info.name, NULL, "has no OpenCL kernels");
}
