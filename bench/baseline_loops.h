/* SPDX-License-Identifier: MIT
 *
 * The loops of the baseline, compiled apart with the flags that make them fast. Each
 * writes the samples of segments [begin, end): BASELINE_STEPS rows a segment.
 */
#ifndef POSEMILL_BENCH_BASELINE_LOOPS_H
#define POSEMILL_BENCH_BASELINE_LOOPS_H

#include <stddef.h>

void baseline_nlerp(const float *keys, const float *inner, float *out, size_t begin, size_t end);
void baseline_slerp(const float *keys, const float *inner, float *out, size_t begin, size_t end);
/* `inner` holds Shoemake's inner points, laid out as the keys; the others ignore it. */
void baseline_squad(const float *keys, const float *inner, float *out, size_t begin, size_t end);

#endif
