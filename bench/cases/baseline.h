/* SPDX-License-Identifier: MIT
 *
 * The baseline: careful plain C for upsampling by 4, vectorised by the compiler with its vector
 * math library, on all cores. It shares no code with the library.
 */
#ifndef POSEMILL_BENCH_BASELINE_H
#define POSEMILL_BENCH_BASELINE_H

#include <posemill/posemill.h>

enum { BASELINE_TRACKS = 64, BASELINE_STEPS = 4 };

/* Whether the method has a baseline. */
bool baseline_has(pm_method method);

typedef struct baseline baseline;

/* Keys are (key_count, BASELINE_TRACKS, 4), unit, at uniform times, and must outlive the baseline.
 * NULL when memory is exhausted. */
baseline *baseline_create(pm_method method, const float *keys, size_t key_count);
void baseline_destroy(baseline **base);

/* Number of threads: one per processor. */
size_t baseline_threads(void);

/* Writes (BASELINE_STEPS * (key_count - 1), BASELINE_TRACKS, 4). Blocks. False if a thread cannot
 * be created. */
bool baseline_run(const baseline *base, float *out);

#endif
