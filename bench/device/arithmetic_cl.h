/* SPDX-License-Identifier: MIT
 *
 * The arithmetic ceiling of an OpenCL device: the fastest of several kernels of multiply-adds. Built
 * only with OpenCL.
 */
#ifndef POSEMILL_BENCH_ARITHMETIC_CL_H
#define POSEMILL_BENCH_ARITHMETIC_CL_H

#include "gate.h"

typedef struct arithmetic_cl arithmetic_cl;

/* Builds the kernels, tries each, and keeps the fastest one. */
cli_exit arithmetic_cl_open(arithmetic_cl **opened, const gate_queue *on, cl_device_id device);
void arithmetic_cl_close(arithmetic_cl **opened);

/* Runs it once; `operations` is their number. */
cli_exit arithmetic_cl_run(const arithmetic_cl *kernel, const gate_queue *on, double *seconds,
                           double *operations);

#endif
