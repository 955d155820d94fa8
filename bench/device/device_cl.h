/* SPDX-License-Identifier: MIT
 *
 * The OpenCL part of device.h: a queue with profiling on the context of the engine, and the
 * comparison kernels. Built only with OpenCL.
 */
#ifndef POSEMILL_BENCH_DEVICE_CL_H
#define POSEMILL_BENCH_DEVICE_CL_H

#include "device.h"

cli_exit bench_cl_open(bench_cl **opened, pm_engine *engine, const pm_device_info *info,
                       size_t bytes);
void bench_cl_close(bench_cl **opened);
/* Whether kernel time comes from the events of the driver; otherwise it is wall-clock time. */
bool bench_cl_event_times(const bench_cl *cl);
cli_exit bench_cl_poison(bench_cl *cl);
cli_exit bench_cl_read(bench_cl *cl, size_t offset, size_t bytes, float *to);
cli_exit bench_cl_choose_fill(bench_cl *cl, size_t bytes);
cli_exit bench_cl_fill(bench_cl *cl, size_t bytes, bench_clock clock, size_t count,
                       double *seconds);
cli_exit bench_cl_stores(bench_cl *cl, size_t bytes, double *seconds);
cli_exit bench_cl_copy(bench_cl *cl, size_t bytes, bench_clock clock, size_t count,
                       double *seconds);
cli_exit bench_cl_arithmetic(bench_cl *cl, double *seconds, double *operations);
cli_exit bench_cl_job(bench_cl *cl, const pm_clip *clip, const pm_sample_job *job,
                      bench_clock clock, size_t count, double *seconds);
cli_exit bench_cl_set_crowd(bench_cl *cl, const pm_crowd_job *job, const pm_crowd_info *info);
cli_exit bench_cl_crowd(bench_cl *cl, pm_crowd *crowd, const device_target *targets,
                        size_t target_count, size_t count, double *seconds);
cli_exit bench_cl_set_keys(bench_cl *cl, const float *keys, size_t key_count, size_t tracks);
cli_exit bench_cl_obvious(bench_cl *cl, double *seconds);

#endif
