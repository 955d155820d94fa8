/* SPDX-License-Identifier: MIT
 *
 * The cases: one table of groups and the methods that the library lists, so that a new method
 * requires no change here. Measures nothing.
 */
#ifndef POSEMILL_BENCH_CASES_H
#define POSEMILL_BENCH_CASES_H

#include "device/device.h"
#include "host/base/counts.h"

/* The keys of a job and the times it samples. */
typedef enum bench_scene {
    SCENE_UPSAMPLE_4,
    SCENE_UPSAMPLE_2,
    SCENE_DOWNSAMPLE_4,
    SCENE_TIMES,
    SCENE_SAMPLES,
    SCENE_NONUNIFORM,
    SCENE_LOOP,
    /* the same scenes with keys of 48 bits */
    SCENE_UPSAMPLE_2_LOG48,
    SCENE_DOWNSAMPLE_4_LOG48,
    SCENE_TIMES_LOG48,
    SCENE_TIMES_SMALLEST48
} bench_scene;

typedef struct bench_run bench_run;
typedef struct bench_case bench_case;
typedef struct bench_result bench_result;

/* Runs a case and checks its results. NULL in place of it: a case that a process of its own runs. */
typedef cli_exit bench_runner(bench_run *run, const bench_case *which, bench_result *result);

typedef enum bench_start {
    START_NONE,
    START_COLD,
    START_FIRST, /* cold, with programs built in the background */
    START_WARM
} bench_start;

struct bench_case {
    char name[48];
    bench_runner *run;
    bench_scene scene;
    bench_clock clock;
    bench_start start;
    pm_method method;
    const void *row; /* of the runner's own table; NULL: a method */
};

typedef struct bench_limits {
    bool quick;         /* variants of crowd only if their names are requested */
    size_t crowd_bytes; /* maximum size of the results of a crowd */
} bench_limits;

enum { BENCH_ROWS_MAX = 128, BENCH_CASES_MAX = 32 * PM_METHOD_COUNT + BENCH_ROWS_MAX };

/* Cases with a table of their own, each row of which begins with the name of its case. */
typedef struct case_table {
    bench_runner *run;
    const void *rows;
    size_t size, count;
    /* Whether a run has the row's case, which was asked for by a glob or was not. NULL: always. */
    bool (*has)(const void *row, bool opencl, const bench_limits *limits, bool asked);
} case_table;

#define BENCH_ROWS(table) (table), sizeof *(table), sizeof(table) / sizeof *(table)

/* A job whose results stay in device memory. */
bench_runner samples_run;
/* Likewise, into host memory that begins as that of a large malloc does. */
bench_runner samples_run_to_host;
/* Keys in host memory to samples in host memory, by pm_resample. */
bench_runner samples_run_oneshot;
/* Keys in host memory to a clip that is ready to be sampled. */
bench_runner samples_run_clip;
/* Upsampling by 4 in C on all cores, and by the obvious kernel. */
bench_runner samples_run_baseline, samples_run_obvious;

case_table samples_table(void); /* ceilings, low-passes and other layouts */
case_table crowds_table(void);
case_table points_table(void);

/* Writes the cases whose names match one of the globs, with commas between them (NULL: all). Returns
 * their number. */
size_t bench_cases(const char *glob, bool opencl, const bench_limits *limits,
                   bench_case cases[BENCH_CASES_MAX]);

#endif
