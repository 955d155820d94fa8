/* SPDX-License-Identifier: MIT
 *
 * Jobs from one pose to as much as the device grants, by wall clock, each held against a
 * fill of the same bytes. What the group of cases is called and holds is in cases.c.
 */
#ifndef POSEMILL_BENCH_SIZES_H
#define POSEMILL_BENCH_SIZES_H

#include "runner/runner.h"

/* The largest size of a run whose upsampling by 4 gives `samples`: four times as many, or the
 * power of two that the device grants in one buffer and in a quarter of its memory. */
size_t sizes_largest(size_t samples, const pm_device_info *info);

/* A case of BENCH_SIZE. Makes keys and an output of the largest size when first called. */
cli_exit sizes_run(bench_run *run, const bench_case *which, bench_result *result);

void sizes_close(bench_sizes *sizes);

#endif
