/* SPDX-License-Identifier: MIT
 *
 * Compares the results of a job with the reference path at some hundred positions.
 */
#ifndef POSEMILL_BENCH_CHECK_H
#define POSEMILL_BENCH_CHECK_H

#include "runner/runner.h"

/* Reads results from the device or from host memory. */
typedef cli_exit (*check_read)(void *context, size_t offset, size_t bytes, float *to);

cli_exit check_read_device(void *device, size_t offset, size_t bytes, float *to);
cli_exit check_read_host(void *floats, size_t offset, size_t bytes, float *to);

/* Sets max_error_rad and bits of the result. */
cli_exit check_results(const pm_clip *clip, const pm_sample_job *job, check_read read,
                       void *context, bench_result *result);

#endif
