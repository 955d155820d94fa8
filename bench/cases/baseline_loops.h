/* SPDX-License-Identifier: MIT
 *
 * The loops of the baseline, compiled separately with their own optimisation flags, once per
 * instruction set in cmake/PosemillFlags.cmake. baseline.c chooses the set to run.
 */
#ifndef POSEMILL_BENCH_BASELINE_LOOPS_H
#define POSEMILL_BENCH_BASELINE_LOOPS_H

#include <stddef.h>

/* Puts the numbers of `count` quaternions in the order in which loops read them. The count is a
 * multiple of 16, and all memory is aligned to 64 bytes. */
typedef void baseline_pack(float *keys, size_t count);

/* Writes the samples of segments [begin, end): BASELINE_STEPS rows per segment. `inner` holds
 * Shoemake's inner points for squad, with the layout of the keys; the other methods ignore it. Both
 * are packed, and neighbouring keys have the nearer signs. */
typedef void baseline_loop(const float *keys, const float *inner, float *out, size_t begin,
                           size_t end);

typedef struct baseline_loops {
    baseline_pack *pack;
    baseline_loop *nlerp, *slerp, *squad;
} baseline_loops;

extern const baseline_loops baseline_loops_plain, baseline_loops_avx2, baseline_loops_avx512;

/* The simple loops: what a C programmer writes who leaves vectors to the compiler. Keys and inner points
 * are not packed. NULL where the C library has no vectors of acosf and sinf, without which a compiler
 * computes the samples one at a time. */
typedef struct simple_loops {
    baseline_loop *slerp, *squad;
} simple_loops;

extern const simple_loops simple_loops_plain, simple_loops_avx2, simple_loops_avx512;

#endif
