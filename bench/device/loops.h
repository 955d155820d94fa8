/* SPDX-License-Identifier: MIT
 *
 * The loops in C that are compiled for each instruction set of cmake/PosemillFlags.cmake, those of
 * the baseline, the simple ones and those of the arithmetic ceiling, and the choice of the set that runs.
 */
#ifndef POSEMILL_BENCH_LOOPS_H
#define POSEMILL_BENCH_LOOPS_H

#include "arithmetic_loops.h"
#include "cases/baseline_loops.h"
#include "cases/baseline_walk.h"
#include "cases/simple_loops.h"

typedef struct bench_loops {
    const baseline_loops *curves;
    const simple_loops *simple;
    const baseline_walks *crowds;
    const arithmetic_loop *arithmetic;
} bench_loops;

/* Those of the widest set that the processor has. */
bench_loops loops_of_processor(void);

#endif
