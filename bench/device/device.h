/* SPDX-License-Identifier: MIT
 *
 * The measured device: an output on an OpenCL device, or in host memory for the reference path, and the
 * operations that write into it, each with its time.
 */
#ifndef POSEMILL_BENCH_DEVICE_H
#define POSEMILL_BENCH_DEVICE_H

#include "commands/cli.h"
#include "parallel.h"

#include <posemill/posemill_crowd.h>

typedef enum bench_clock {
    CLOCK_KERNEL, /* device events, from the start of the first kernel to the end of the last */
    CLOCK_WALL
} bench_clock;

/* An output of crowds. Its records begin at a byte of the device's output. */
typedef struct device_target {
    pm_crowd_output output;
    uint32_t subset;
    size_t offset;
} device_target;

typedef struct bench_device bench_device;

/* Writes `bytes` of the output, by a fill or a copy. */
typedef cli_exit device_move(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                             double *seconds);

/* Functions with `seconds` write the output from its start, wait for completion, and return the time
 * taken: kernel time unless another clock is requested. `count` operations are queued one after another
 * and waited for together; `seconds` is the time of one. */
typedef struct device_verbs {
    void (*close)(bench_device *device);
    /* Makes the output at least so large, without its content. */
    cli_exit (*reserve)(bench_device *device, size_t bytes);
    /* Fills the output with bits that no result can have. */
    cli_exit (*poison)(bench_device *device, size_t bytes);
    cli_exit (*read)(bench_device *device, size_t offset, size_t bytes, void *to);
    device_move *fill;   /* the fastest fill of so many bytes */
    device_move *stores; /* a fill that stores through the caches, as most kernels do */
    device_move *copy;
    /* Fused multiply-adds in chains, as many as take a few milliseconds, by CLOCK_KERNEL. Writes nothing
     * into the output. `operations` is their number, two for each multiply-add. */
    cli_exit (*arithmetic)(bench_device *device, double *seconds, double *operations);
    cli_exit (*sample)(bench_device *device, const pm_clip *clip, const pm_sample_job *job,
                       bench_clock clock, size_t count, double *seconds);
    /* Creates what a job poses, its instances and the like, on the device. The job must outlive its
     * use. */
    cli_exit (*set_crowd)(bench_device *device, const pm_crowd_job *job, const pm_crowd_info *info);
    /* Poses in frame 0 by CLOCK_KERNEL. */
    cli_exit (*pose)(bench_device *device, pm_crowd *crowd, const device_target *targets,
                     size_t target_count, size_t count, double *seconds);
    /* The obvious slerp kernel: uploads its keys, (key_count, tracks, 4), and computes 4 samples for each
     * segment. Of OpenCL devices alone. */
    cli_exit (*set_keys)(bench_device *device, const float *keys, size_t key_count, size_t tracks);
    cli_exit (*obvious)(bench_device *device, size_t tracks, double *seconds);
} device_verbs;

struct bench_device {
    const device_verbs *verbs; /* NULL: not open */
    pm_engine *engine;         /* the caller's, like the pool */
    parallel_pool *pool;       /* of the ceilings of the reference path */
    pm_device_info info;
    bool
        event_times; /* whether kernel time comes from device events; otherwise it is wall-clock time */
    void *state;     /* of the verbs */
};

/* The device of an engine, without an output. Close it also after a failure. */
cli_exit device_open(bench_device *device, pm_engine *engine, parallel_pool *pool);
void device_close(bench_device *device);

/* The targets of a job whose output is host memory. */
void device_targets_at(const device_target *from, size_t count, void *memory, pm_crowd_target *to);

/* Prints that memory is exhausted. */
cli_exit bench_out_of_memory(void);

/* Chains of fused multiply-adds, x = x factor + term. With a factor and a term of 1, which no compiler
 * knows, a chain counts its steps exactly, so that its end shows that every step was computed. */
static const float arithmetic_factor = 1.0f, arithmetic_term = 1.0f;

/* Beyond, float32 has no more whole numbers for the sum of the chains of a work-item. */
enum { ARITHMETIC_STEPS_MAX = 1 << 18 };

/* Doubles the steps of a measurement, up to the most, until it takes so long that starting threads or a
 * kernel does not count. */
cli_exit arithmetic_lengthen(cli_exit (*run)(void *context, double *seconds), void *context,
                             size_t *steps);
cli_exit arithmetic_wrong(void);

#endif
