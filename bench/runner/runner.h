/* SPDX-License-Identifier: MIT
 *
 * Runs one case: repetitions, statistics, comparisons, and the check of its results. Prints only
 * errors.
 */
#ifndef POSEMILL_BENCH_RUNNER_H
#define POSEMILL_BENCH_RUNNER_H

#include "cases/baseline.h"
#include "cases/file_content.h"
#include "cases/scenes.h"
#include "device/device.h"
#include "options/device_options.h"

/* Repetitions of a case: at least `min`, continued for at least `seconds`. */
typedef struct bench_repetitions {
    size_t warm_ups;
    size_t min;
    double seconds;
} bench_repetitions;

bench_repetitions repetitions_of(bool quick, pm_device_type type);

typedef enum bench_bits { BITS_UNCHECKED = 0, BITS_SAME, BITS_DIFFER } bench_bits;

typedef struct bench_result {
    char name[48];
    size_t samples;
    size_t bytes_per_sample;
    size_t bytes_read, bytes_written; /* of files; both 0: the case has none */
    size_t files;                     /* of a batch; 0: the case is none */
    size_t repetitions;
    double seconds_min, seconds_median, seconds_p95;
    double samples_per_s;
    double ceiling_share;  /* NAN: not compared */
    double baseline_ratio; /* NAN: the method has no baseline */
    double max_error_rad;  /* NAN: not checked; infinite: a result was not written */
    bench_bits bits;       /* compared with the reference path */
    bool wrong;            /* results of the library exceed their error bound */
} bench_result;

/* One measurement: does the work once and returns the time taken. */
typedef cli_exit (*bench_work)(void *context, double *seconds);

/* A comparison with a case, measured between its repetitions: on a shared machine only measurements
 * close in time are comparable. */
typedef struct bench_comparison {
    bench_work work;
    void *context;
    double seconds_median;
} bench_comparison;

enum { COMPARISONS_MAX = 2 };

/* A fill of the output of a device, or several in a row. */
typedef struct bench_fill {
    bench_device *device;
    size_t bytes, count;
    bench_clock clock;
} bench_fill;

/* Measures one fill. The context is a bench_fill. */
cli_exit bench_fill_once(void *context, double *seconds);

/* Chooses how many times the work is done in one measurement, `*count`, which belongs to the work:
 * as many as take `min` seconds, at most `max`. The work returns the time of one. */
cli_exit bench_choose_count(bench_work once, void *work, double min, size_t max, size_t *count);

/* Sets times and rate of a result whose samples are set, and the times of the comparisons. */
cli_exit bench_repeat(const bench_repetitions *repetitions, bench_work work, void *context,
                      bench_comparison *comparisons, size_t comparison_count, bench_result *result);

/* Shared by the cases of BENCH_SIZE: keys and an output of the largest size, created on first
 * use. */
typedef struct bench_sizes {
    size_t largest; /* samples */
    bool opened;
    bench_device device;
    scenes scenes;
} bench_sizes;

/* Shared by the crowd cases: an output with the size of the largest one so far. */
typedef struct bench_crowds {
    size_t bytes; /* 0: not created yet */
    bench_device device;
} bench_crowds;

/* Shared by the cases of files: a folder, and the inputs, which are written on first use. */
typedef struct bench_files {
    size_t samples; /* rotations of a file */
    scratch folder;
    file_source sources[FILE_CONTENT_COUNT];
    char storage[SCRATCH_PATH], storage_part[SCRATCH_PATH]; /* of the ceiling; "": not named yet */
} bench_files;

/* Shared by the cases of batches: folders of files, which are written on first use. */
typedef struct bench_batches bench_batches;

typedef struct bench_run {
    bench_repetitions repetitions;
    bench_device device;
    scenes scenes;
    bench_sizes sizes;
    bench_crowds crowds;
    bench_files files;
    bench_batches *batches; /* NULL: not opened yet */
    size_t batch_files;     /* in a folder */
    const device_options *device_options;
    size_t crowd_bytes;                   /* maximum size of an output of crowds */
    baseline *baselines[PM_METHOD_COUNT]; /* created on first use */
    float *baseline_out;                  /* same size as the output of the device */
} bench_run;

/* Opens a run for upsampling by 4 to `samples`. The engine is one of the options, which batches create
 * again. */
cli_exit bench_run_open(bench_run *run, const device_options *device, pm_engine *engine,
                        size_t samples, const bench_limits *limits);
void bench_run_close(bench_run *run);

/* Runs any case except those of BENCH_COLD and BENCH_WARM. */
cli_exit bench_run_case(bench_run *run, const bench_case *which, bench_result *result);

#endif
