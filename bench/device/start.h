/* SPDX-License-Identifier: MIT
 *
 * Measures the time to the first result: engine, clip and a small job in a new process, with
 * empty caches (cold; first: with programs built in the background) or with caches filled by an
 * earlier process (warm).
 */
#ifndef POSEMILL_BENCH_START_H
#define POSEMILL_BENCH_START_H

#include "options/device_options.h"
#include "runner/runner.h"

/* Forks, so it must be called before this process uses OpenCL. If "auto" finds no OpenCL device,
 * *opencl is set to false and the result is unchanged. */
cli_exit start_measure(const device_options *device, const bench_case *which, bool quick,
                       bool *opencl, bench_result *result);

#endif
