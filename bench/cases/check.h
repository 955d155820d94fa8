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

/* Computes a job on a clip or a filter: pm_sample or pm_filter_sample. */
typedef pm_status (*check_sample)(const void *of, const pm_sample_job *job, pm_error *error);

pm_status check_sample_clip(const void *clip, const pm_sample_job *job, pm_error *error);
pm_status check_sample_filter(const void *filter, const pm_sample_job *job, pm_error *error);

/* Sets max_error_rad and bits of the result. */
cli_exit check_results(check_sample sample, const void *of, const pm_sample_job *job,
                       check_read read, void *context, bench_result *result);

#endif
