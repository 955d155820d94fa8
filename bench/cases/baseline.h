/* SPDX-License-Identifier: MIT
 *
 * The baselines: upsampling by 4, and instances of a crowd posed into host memory, in C for these purposes
 * alone, in vectors, on all cores. They share no code with the library.
 */
#ifndef POSEMILL_BENCH_BASELINE_H
#define POSEMILL_BENCH_BASELINE_H

#include "crowd_scenes.h"
#include "loops.h"
#include "oracle/oracle_quat.h"

/* Whether the method has a baseline. */
bool baseline_has(pm_method method);

/* Zeroed memory, aligned for the baseline's loads and stores and touched. NULL when exhausted. To be
 * freed with free. */
void *baseline_memory(size_t bytes);

quat baseline_quat(const float *q);

typedef struct baseline baseline;

/* Keys are (key_count, BASELINE_TRACKS, 4), unit, at uniform times; they are copied. NULL when memory is
 * exhausted. */
baseline *baseline_create(parallel_pool *pool, pm_method method, const float *keys,
                          size_t key_count);
void baseline_destroy(baseline **base);

/* Writes (BASELINE_STEPS * (key_count - 1), BASELINE_TRACKS, 4) to memory of baseline_memory, and
 * returns the time taken. */
double baseline_run(const baseline *base, float *out);

/* ---- crowds ------------------------------------------------------------------------ */

typedef struct baseline_crowd baseline_crowd;

/* Copies the keys of the setup; its instances must outlive the baseline. The setup is of a scene of
 * the group crowd, with a multiple of four joints. NULL when memory is exhausted. */
baseline_crowd *baseline_crowd_create(parallel_pool *pool, const crowd_scene *scene,
                                      const crowd_setup *setup);
void baseline_crowd_destroy(baseline_crowd **crowd);

/* Poses all instances and returns the time taken. */
double baseline_crowd_run(const baseline_crowd *crowd);

/* The records of the last run. */
float *baseline_crowd_records(const baseline_crowd *crowd);

#endif
