/* SPDX-License-Identifier: MIT
 *
 * The OpenCL part of the bench: the device, its arithmetic ceiling, the kernels of both, and timing. Work
 * is queued behind a gate, a user event that the host completes when all work is queued, so that kernel
 * time does not include waiting for the host. Kernel time is from the end of a marker before the work to
 * the end of the last event of the work.
 */
#ifndef POSEMILL_BENCH_DEVICE_CL_H
#define POSEMILL_BENCH_DEVICE_CL_H

#include "device.h"

#if POSEMILL_OPENCL
#include <posemill/posemill_cl.h>

/* Opens the device of an engine that has one. */
cli_exit device_open_cl(bench_device *device);

/* ---- timing -------------------------------------------------------------------- */

typedef struct gate_queue {
    cl_context context;
    cl_command_queue queue;
    /* event times are requested and plausible; otherwise there is no gate, and wall-clock time is used */
    bool event_times;
} gate_queue;

/* Enqueues the work; *done receives the event of its end if it is requested. */
typedef cli_exit (*gate_put)(cl_command_queue queue, const void *work, cl_event *done);

/* Runs the work `count` times in a row; `seconds` is the time of one. */
cli_exit gate_run(const gate_queue *on, gate_put put, const void *work, size_t count,
                  double *seconds);

/* CLI_DONE, or prints which call failed, and a hint. */
cli_exit gate_result(cl_int code, const char *call);

/* The work-items of a kernel, whose arguments are set. `group` 0: the driver's choice. */
typedef struct gate_kernel {
    cl_kernel kernel;
    size_t items, group;
} gate_kernel;

/* A gate_put of a gate_kernel. */
cli_exit gate_put_kernel(cl_command_queue queue, const void *work, cl_event *done);

/* ---- the arithmetic ceiling ----------------------------------------------------- */

typedef struct arithmetic_cl arithmetic_cl;

/* Builds several kernels of multiply-adds, tries each, and keeps the fastest one. */
cli_exit arithmetic_cl_open(arithmetic_cl **opened, const gate_queue *on, cl_device_id device);
void arithmetic_cl_close(arithmetic_cl **opened);

/* Runs it once; `operations` is their number. */
cli_exit arithmetic_cl_run(arithmetic_cl *kernel, double *seconds, double *operations);

/* ---- kernels ------------------------------------------------------------------- */

/* OpenCL C of fill, stores, copy, obvious and chain. -DWIDTH=4, 8 or 16: number of floats that fill and
 * copy store at once. */
extern const char bench_kernels_text[];

/* arithmetic: chains of fused multiply-adds. -DLANES=1, 4, 8 or 16; -DCHAINS=4 or 8. */
extern const char bench_arithmetic_text[];
#endif

#endif
