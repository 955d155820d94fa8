/* SPDX-License-Identifier: MIT
 *
 * The loops of the baseline, compiled apart with the flags that make them fast, once for each
 * instruction set that cmake/PosemillFlags.cmake lists. Which one runs is for baseline.c to say.
 */
#ifndef POSEMILL_BENCH_BASELINE_LOOPS_H
#define POSEMILL_BENCH_BASELINE_LOOPS_H

#include <stddef.h>

/* Writes the samples of segments [begin, end): BASELINE_STEPS rows a segment. `inner` is squad's,
 * Shoemake's inner points laid out as the keys; the others ignore it. */
typedef void baseline_loop(const float *keys, const float *inner, float *out, size_t begin,
                           size_t end);

typedef struct baseline_loops {
    baseline_loop *nlerp, *slerp, *squad;
} baseline_loops;

extern const baseline_loops baseline_loops_plain, baseline_loops_avx2, baseline_loops_avx512;

#endif
