/* SPDX-License-Identifier: MIT
 *
 * What is measured: one output buffer on an OpenCL device, or in host memory when the
 * reference path computes, and the things that write into it, each with its time.
 */
#ifndef POSEMILL_BENCH_DEVICE_H
#define POSEMILL_BENCH_DEVICE_H

#include "cases/cases.h"
#include "commands/cli.h"

#include <posemill/posemill_crowd.h>

typedef struct bench_cl bench_cl;

typedef struct bench_device {
    pm_engine *engine; /* the caller's */
    pm_device_info info;
    size_t bytes;                       /* of the output */
    float *host;                        /* the output of the reference path */
    float *source;                      /* what the reference's copy reads */
    const pm_crowd_instance *instances; /* the caller's, on the reference path */
    size_t instance_count;
    bench_cl *cl; /* NULL on the reference path */
} bench_device;

cli_exit device_open(bench_device *device, pm_engine *engine, size_t bytes);
void device_close(bench_device *device);

/* Whether kernel time is what the device's events say, and not wall clock for want of them. */
bool device_event_times(const bench_device *device);

/* Fills the output with bits that no result has. */
cli_exit device_poison(bench_device *device);
cli_exit device_read(bench_device *device, size_t offset, size_t bytes, float *to);

/* Each of these writes the output from its start, waits for it, and says how long it took: by
 * kernel time, where no other clock is asked for. Of several, queued one behind another and waited
 * for together, `seconds` is the time of one. */
cli_exit device_fill(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds);
/* A fill whose stores go by way of the caches, as those of most kernels do. */
cli_exit device_stores(bench_device *device, size_t bytes, double *seconds);
cli_exit device_copy(bench_device *device, size_t bytes, double *seconds);
cli_exit device_job(bench_device *device, const pm_clip *clip, const pm_sample_job *job,
                    bench_clock clock, size_t count, double *seconds);

/* Has fills from now on done the way that is fastest for so many bytes; at first they are done
 * so for all of the output. */
cli_exit device_choose_fill(bench_device *device, size_t bytes);

/* The instances that crowds pose, on the device. They must outlive their use. */
cli_exit device_set_instances(bench_device *device, const pm_crowd_instance *instances,
                              size_t count);
/* Poses them in frame 0 as CLOCK_KERNEL says, `count` times, one behind another: the time of one.
 * A joint's records lie behind another's. */
cli_exit device_crowd(bench_device *device, pm_crowd *crowd, pm_crowd_output output, size_t count,
                      double *seconds);

/* The obvious slerp kernel's keys, (key_count, tracks, 4), on the device. OpenCL only. */
cli_exit device_set_keys(bench_device *device, const float *keys, size_t key_count, size_t tracks);
/* 4 samples a segment of those keys. */
cli_exit device_obvious(bench_device *device, double *seconds);

#endif
