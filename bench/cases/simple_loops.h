/* SPDX-License-Identifier: MIT
 *
 * The simple loops: what a C programmer writes who leaves vectors to the compiler. Compiled with the
 * options of the baseline, once per instruction set.
 */
#ifndef POSEMILL_BENCH_SIMPLE_LOOPS_H
#define POSEMILL_BENCH_SIMPLE_LOOPS_H

#include "baseline_loops.h"

/* Keys and inner points are not packed. NULL where the C library has no vectors of acosf and sinf, without
 * which a compiler computes the samples one at a time. */
typedef struct simple_loops {
    baseline_loop *slerp, *squad;
} simple_loops;

extern const simple_loops simple_loops_plain, simple_loops_avx2, simple_loops_avx512;

#endif
