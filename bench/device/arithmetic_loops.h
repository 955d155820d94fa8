/* SPDX-License-Identifier: MIT
 *
 * Chains of fused multiply-adds on one core, for each instruction set. Tables that are not compiled
 * for this processor architecture are not defined.
 */
#ifndef POSEMILL_BENCH_ARITHMETIC_LOOPS_H
#define POSEMILL_BENCH_ARITHMETIC_LOOPS_H

#include <stddef.h>

/* x[i] becomes x[i] factor + term, `steps` times, for as many numbers as all chains have lanes. */
typedef struct arithmetic_loop {
    void (*run)(float *x, size_t steps, float factor, float term);
    size_t width; /* numbers */
} arithmetic_loop;

enum { ARITHMETIC_WIDTH_MAX = 192 };

extern const arithmetic_loop arithmetic_loop_plain, arithmetic_loop_avx2, arithmetic_loop_avx512;

#endif
