/* SPDX-License-Identifier: MIT
 *
 * Cases that measure files, from a path to a path, through the motion library. The cases are the
 * rows of the table in files.c.
 */
#ifndef POSEMILL_BENCH_FILES_H
#define POSEMILL_BENCH_FILES_H

#include "runner/runner.h"

typedef enum file_job {
    FILE_CAT,      /* the input through a pipe */
    FILE_STORAGE,  /* the input copied to the storage */
    FILE_ZLIB,     /* the members of the input inflated and deflated in memory */
    FILE_RESAMPLE, /* the input opened, resampled and written */
    FILE_OPEN      /* the input opened */
} file_job;

struct file_scene {
    const char *what;
    file_content content;
    file_job job;
    pm_rational ratio; /* of the rates of FILE_RESAMPLE, in lowest terms */
};

/* The scenes of a group of files; none for another group. */
const file_scene *file_scenes_of(bench_scene scene, size_t *count);

/* Runs a case with files. The first use of a file writes it. */
cli_exit files_run(bench_run *run, const bench_case *which, bench_result *result);

/* Largest error of a right result. NAN: the library computes no result. */
double files_bound(const file_scene *scene);

void files_close(bench_files *files);

#endif
