/* SPDX-License-Identifier: MIT
 *
 * Timing on an OpenCL device. Work is queued behind a gate that the host opens when all of
 * it is there, so that kernel time holds no waiting for the host; it runs from the end of a
 * marker in front of the work to the end of the event behind it. Built only with OpenCL.
 */
#ifndef POSEMILL_BENCH_GATE_H
#define POSEMILL_BENCH_GATE_H

#include "commands/cli.h"

#include <posemill/posemill_cl.h>

typedef struct gate_queue {
    cl_context context;
    cl_command_queue queue;
    bool event_times; /* wanted and believed; else there is no gate, and wall clock */
} gate_queue;

/* Puts work into the queue; *done is its end, where it is asked for. */
typedef cli_exit (*gate_put)(cl_command_queue queue, const void *work, cl_event *done);

/* Runs work `count` times, one behind another; `seconds` of one. */
cli_exit gate_run(const gate_queue *on, gate_put put, const void *work, size_t count,
                  double *seconds);

/* Says which call failed, and what to do about it. */
cli_exit gate_failed(cl_int code, const char *call);

#endif
