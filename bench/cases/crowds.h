/* SPDX-License-Identifier: MIT
 *
 * Cases that pose a crowd, each compared with a fill of the same size. The crowds are listed in
 * crowd_scenes.c. And the baseline of crowds: instances posed in C on all cores, into host memory. It
 * shares no code with the library.
 */
#ifndef POSEMILL_BENCH_CROWDS_H
#define POSEMILL_BENCH_CROWDS_H

#include "crowd_scenes.h"
#include "runner/runner.h"

case_table crowds_table(void);

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
