/* SPDX-License-Identifier: MIT
 *
 * The measured device: one output buffer on an OpenCL device, or in host memory for the reference
 * path, and the operations that write into it, each with its time.
 */
#ifndef POSEMILL_BENCH_DEVICE_H
#define POSEMILL_BENCH_DEVICE_H

#include "cases/cases.h"
#include "commands/cli.h"
#include "parallel.h"

#include <posemill/posemill_crowd.h>

typedef struct bench_cl bench_cl;

/* An output of crowds. Its records begin at a byte of the device's output. */
typedef struct device_target {
    pm_crowd_output output;
    uint32_t subset;
    size_t offset;
} device_target;

typedef struct bench_device {
    pm_engine *engine;   /* the caller's, like the pool */
    parallel_pool *pool; /* of the ceilings of the reference path */
    pm_device_info info;
    size_t bytes;  /* size of the output */
    float *host;   /* output of the reference path */
    float *source; /* source of the copy on the reference path, or NULL */
    size_t source_bytes;
    size_t arithmetic_steps;       /* of a measurement on the reference path; 0: not chosen yet */
    const pm_crowd_job *crowd_job; /* owned by the caller, on the reference path */
    bench_cl *cl;                  /* NULL on the reference path */
} bench_device;

cli_exit device_open(bench_device *device, pm_engine *engine, parallel_pool *pool, size_t bytes);
void device_close(bench_device *device);

/* Whether kernel time comes from device events; otherwise it is wall-clock time. */
bool device_event_times(const bench_device *device);

/* Fills the output with bits that no result can have. */
cli_exit device_poison(bench_device *device);
cli_exit device_read(bench_device *device, size_t offset, size_t bytes, float *to);

/* Each function writes the output from its start, waits for completion, and returns the time taken:
 * kernel time unless another clock is requested. For several operations, queued one after another
 * and waited for together, `seconds` is the time of one. */
cli_exit device_fill(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds);
/* A fill that stores through the caches, as most kernels do. */
cli_exit device_stores(bench_device *device, size_t bytes, double *seconds);
cli_exit device_copy(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds);
cli_exit device_job(bench_device *device, const pm_clip *clip, const pm_sample_job *job,
                    bench_clock clock, size_t count, double *seconds);

/* Fused multiply-adds in chains, as many as take a few milliseconds, by CLOCK_KERNEL. Writes nothing
 * into the output. `operations` is their number, two for each multiply-add. */
cli_exit device_arithmetic(bench_device *device, double *seconds, double *operations);

/* Selects the fastest fill for this number of bytes for all later fills. Initially the fill is the
 * fastest one for the whole output. */
cli_exit device_choose_fill(bench_device *device, size_t bytes);

/* Creates what a job poses, its instances and the like, on the device. The job must outlive its
 * use. */
cli_exit device_set_crowd(bench_device *device, const pm_crowd_job *job, const pm_crowd_info *info);

/* Poses into the device's output in frame 0 by CLOCK_KERNEL, `count` times in a row; returns the time of
 * one. */
cli_exit device_crowd(bench_device *device, pm_crowd *crowd, const device_target *targets,
                      size_t target_count, size_t count, double *seconds);

/* The targets of a job whose output is host memory. */
void device_targets_at(const device_target *from, size_t count, void *memory, pm_crowd_target *to);

/* Uploads the keys of the obvious slerp kernel, (key_count, tracks, 4). OpenCL only. */
cli_exit device_set_keys(bench_device *device, const float *keys, size_t key_count, size_t tracks);
/* Runs the obvious kernel: 4 samples per segment of those keys. */
cli_exit device_obvious(bench_device *device, double *seconds);

#endif
