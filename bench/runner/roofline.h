/* SPDX-License-Identifier: MIT
 *
 * The bound of a case: the time that its results, its keys and results, or its operations take at the
 * rates of a fill, a copy and of fused multiply-adds, whichever is longest. All three are measured in
 * every repetition of the case.
 */
#ifndef POSEMILL_BENCH_ROOFLINE_H
#define POSEMILL_BENCH_ROOFLINE_H

#include "cases/work.h"
#include "runner.h"

typedef struct bench_roofline {
    bench_fill fill, copy;
    bench_arithmetic arithmetic;
} bench_roofline;

/* States what a run of the case moves and computes. */
void roofline_set_work(case_work work, bench_result *result);

/* Adds a fill of as many bytes as the results have, the ceiling of the case, to the plan; and where
 * the work of the case is known, a copy and multiply-adds. The roofline must outlive the plan. `count`
 * operations of memory are timed together. */
void roofline_plan(bench_roofline *roofline, bench_run *run, bench_device *device,
                   bench_clock clock, size_t count, const bench_result *result, bench_plan *plan);

/* Sets the bound of a repeated result whose work is known. */
cli_exit roofline_find(const bench_roofline *roofline, bench_result *result);

#endif
