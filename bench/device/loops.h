/* SPDX-License-Identifier: MIT
 *
 * The loops in C that are compiled for each instruction set of cmake/PosemillFlags.cmake: those of the
 * baseline, the simple ones and those of the arithmetic ceiling; and the set that runs. Tables that are
 * not compiled for this processor architecture are not defined.
 */
#ifndef POSEMILL_BENCH_LOOPS_H
#define POSEMILL_BENCH_LOOPS_H

#include "cases/baseline_loops.h"
#include "cases/baseline_walk.h"

/* x[i] becomes x[i] factor + term, `steps` times, for as many numbers as all chains have lanes. */
typedef struct arithmetic_loop {
    void (*run)(float *x, size_t steps, float factor, float term);
    size_t width; /* numbers */
} arithmetic_loop;

enum { ARITHMETIC_WIDTH_MAX = 192 };

extern const arithmetic_loop arithmetic_loop_plain, arithmetic_loop_avx2, arithmetic_loop_avx512;

typedef struct bench_loops {
    const baseline_loops *curves;
    const simple_loops *simple;
    const baseline_walks *crowds;
    const arithmetic_loop *arithmetic;
} bench_loops;

/* Those of the widest set that the processor has. */
bench_loops loops_of_processor(void);

#endif
