/* SPDX-License-Identifier: MIT
 *
 * The baseline: upsampling by 4 in C for this purpose alone, in vectors, on all cores. It shares no
 * code with the library.
 */
#ifndef POSEMILL_BENCH_BASELINE_H
#define POSEMILL_BENCH_BASELINE_H

#include "device/parallel.h"

#include <posemill/posemill.h>

enum { BASELINE_TRACKS = 64, BASELINE_STEPS = 4 };

/* Whether the method has a baseline. */
bool baseline_has(pm_method method);

/* Zeroed memory, aligned for the baseline's loads and stores and touched. NULL when exhausted. To be
 * freed with free. */
void *baseline_memory(size_t bytes);

typedef struct baseline baseline;

/* The same, for loops that are left to the compiler to vectorise: whether it can. */
bool baseline_has_simple(pm_method method);

/* Keys are (key_count, BASELINE_TRACKS, 4), unit, at uniform times; they are copied. `is_simple`: by the
 * simple loop of the method. NULL when memory is exhausted. */
baseline *baseline_create(parallel_pool *pool, pm_method method, bool is_simple, const float *keys,
                          size_t key_count);
void baseline_destroy(baseline **base);

/* Writes (BASELINE_STEPS * (key_count - 1), BASELINE_TRACKS, 4) to memory of baseline_memory, and
 * returns the time taken. */
double baseline_run(const baseline *base, float *out);

#endif
