/* SPDX-License-Identifier: MIT
 *
 * Jobs from one pose up to the maximum size of the device, by wall clock, each compared with a
 * fill of the same size. The name and the content of the group are in cases.c.
 */
#ifndef POSEMILL_BENCH_SIZES_H
#define POSEMILL_BENCH_SIZES_H

#include "runner/runner.h"

/* The largest size of a run whose upsampling by 4 gives `samples`: four times as many, or the power
 * of two that the device allows in one buffer and in a quarter of its memory. */
size_t sizes_largest(size_t samples, const pm_device_info *info);

/* Runs a case of BENCH_SIZE. The first call creates keys and an output of the largest size. */
cli_exit sizes_run(bench_run *run, const bench_case *which, bench_result *result);

void sizes_close(bench_sizes *sizes);

#endif
