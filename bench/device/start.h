/* SPDX-License-Identifier: MIT
 *
 * How long the first result takes: engine, clip and a small job in a process of its own,
 * with caches that are empty (cold) or hold what a process before left (warm).
 */
#ifndef POSEMILL_BENCH_START_H
#define POSEMILL_BENCH_START_H

#include "options/device_options.h"
#include "runner/runner.h"

/* Forks, so it must be called before this process has used OpenCL. *opencl is set to false,
 * and the result left alone, when "auto" finds no OpenCL device. */
cli_exit start_measure(const device_options *device, const bench_case *which, bool quick,
                       bool *opencl, bench_result *result);

#endif
