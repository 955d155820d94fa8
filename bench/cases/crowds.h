/* SPDX-License-Identifier: MIT
 *
 * Cases that pose a crowd, each held against a fill of the same bytes. Which there are is in
 * crowd_scenes.c.
 */
#ifndef POSEMILL_BENCH_CROWDS_H
#define POSEMILL_BENCH_CROWDS_H

#include "crowd_scenes.h"
#include "runner/runner.h"

/* A case with a crowd. Makes an output, or a larger one, where there is not yet enough. */
cli_exit crowds_run(bench_run *run, const bench_case *which, bench_result *result);

/* A fill of as many bytes as the palettes of the group `crowd` have. */
cli_exit crowds_run_fill(bench_run *run, bench_result *result);

/* How far a number of a result may be from the reference's. */
double crowds_bound(const crowd_scene *scene);

void crowds_close(bench_crowds *crowds);

#endif
