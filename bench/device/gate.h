/* SPDX-License-Identifier: MIT
 *
 * Timing on an OpenCL device. Work is queued behind a gate, a user event that the host completes
 * when all work is queued, so that kernel time does not include waiting for the host. Kernel time
 * is from the end of a marker before the work to the end of the last event of the work. Built
 * only with OpenCL.
 */
#ifndef POSEMILL_BENCH_GATE_H
#define POSEMILL_BENCH_GATE_H

#include "commands/cli.h"

#include <posemill/posemill_cl.h>

typedef struct gate_queue {
    cl_context context;
    cl_command_queue queue;
    bool
        event_times; /* event times are requested and plausible; otherwise there is no gate, and wall-clock time is used */
} gate_queue;

/* Enqueues the work; *done receives the event of its end if it is requested. */
typedef cli_exit (*gate_put)(cl_command_queue queue, const void *work, cl_event *done);

/* Runs the work `count` times in a row; `seconds` is the time of one. */
cli_exit gate_run(const gate_queue *on, gate_put put, const void *work, size_t count,
                  double *seconds);

/* Prints which call failed, and a hint. */
cli_exit gate_failed(cl_int code, const char *call);

#endif
