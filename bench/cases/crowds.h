/* SPDX-License-Identifier: MIT
 *
 * Cases that pose a crowd, each compared with a fill of the same size. The crowds are listed in
 * crowd_scenes.c.
 */
#ifndef POSEMILL_BENCH_CROWDS_H
#define POSEMILL_BENCH_CROWDS_H

#include "crowd_scenes.h"
#include "runner/runner.h"

/* Runs a case with a crowd. Creates or enlarges the output if necessary. */
cli_exit crowds_run(bench_run *run, const bench_case *which, bench_result *result);

/* Runs a fill with the size of the palettes of the group `crowd`. */
cli_exit crowds_run_fill(bench_run *run, bench_result *result);

/* Maximum difference of a number from the reference path. */
double crowds_bound(const crowd_scene *scene);

void crowds_close(bench_crowds *crowds);

#endif
