/* SPDX-License-Identifier: MIT
 *
 * Cases that measure batches: folders of motion files, resampled as `posemill resample --out-dir` does
 * it. The cases are the rows of the table in batches.c.
 */
#ifndef POSEMILL_BENCH_BATCHES_H
#define POSEMILL_BENCH_BATCHES_H

#include "runner/runner.h"

typedef enum batch_job {
    BATCH_CP,      /* the folder copied by cp -r */
    BATCH_STORAGE, /* each of its files read and stored */
    BATCH_RESAMPLE
} batch_job;

typedef enum batch_folder { FOLDER_BVH, FOLDER_NPZ, FOLDER_COUNT } batch_folder;

struct batch_scene {
    const char *what;
    batch_folder folder;
    batch_job job;
    size_t jobs; /* files at a time */
};

const batch_scene *batch_scenes(size_t *count);

/* Runs a case with batches. The first use of a folder writes it. */
cli_exit batches_run(bench_run *run, const bench_case *which, bench_result *result);

/* Largest error of a right result. NAN: the library computes no result. */
double batches_bound(const batch_scene *scene);

void batches_close(bench_batches **batches);

#endif
