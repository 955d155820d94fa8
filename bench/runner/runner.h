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
#include "host/base/counts.h"
#include "options/device_options.h"
#include "statistics.h"

/* Repetitions of a case: at least `min`, continued for at least `seconds`. */
typedef struct bench_repetitions {
    size_t warm_ups;
    size_t min;
    double seconds;
} bench_repetitions;

bench_repetitions repetitions_of(bool quick, pm_device_type type);

typedef enum bench_bits { BITS_UNCHECKED = 0, BITS_SAME, BITS_DIFFER } bench_bits;

/* What is measured in a repetition of a case. */
typedef enum bench_role {
    ROLE_CASE,
    ROLE_CEILING, /* a fill; of files, moving or storing their bytes */
    ROLE_COPY,    /* of the roofline, as the next one */
    ROLE_ARITHMETIC,
    ROLE_BASELINE,
    ROLE_BOUND, /* computed from the ceilings */
    ROLE_COUNT
} bench_role;

/* The seconds of each repetition, in the order of measurement. */
typedef struct bench_times {
    size_t count;
    double *of[ROLE_COUNT]; /* NULL: not measured */
} bench_times;

/* What a case cannot be faster than. */
typedef enum bench_bound { BOUND_NONE = 0, BOUND_FILL, BOUND_COPY, BOUND_ARITHMETIC } bench_bound;

typedef struct bench_result {
    char name[48];
    size_t samples;
    size_t bytes_per_sample;
    bool has_bytes, has_operations;     /* whether the next three are known */
    uint64_t bytes_read, bytes_written; /* by a run of the case */
    uint64_t operations;
    size_t files; /* of a batch; 0: the case is none */
    bench_times times;
    double seconds_min, seconds_median, seconds_p95;
    double samples_per_s;
    double ceiling_share;  /* NAN: not compared */
    double baseline_ratio; /* NAN: the method has no baseline */
    bench_bound bound;
    double bound_share;   /* NAN: no bound */
    double max_error_rad; /* NAN: not checked; infinite: a result was not written */
    bench_bits bits;      /* compared with the reference path */
    bool wrong;           /* results of the library exceed their error bound */
} bench_result;

/* A result without measurements. */
bench_result bench_result_of(const bench_case *which);
void bench_result_free(bench_result *result);

/* A seed of its own for every case, the same in every run. */
uint64_t bench_seed(const char *name);

/* One measurement: does the work once and returns the time taken. */
typedef cli_exit (*bench_work)(void *context, double *seconds);

/* A comparison with a case, measured between its repetitions: on a shared machine only measurements
 * close in time are comparable. */
typedef struct bench_comparison {
    bench_role role;
    bench_work work;
    void *context;
    double scale; /* samples of the case over those of the comparison */
} bench_comparison;

/* What is repeated. */
typedef struct bench_plan {
    bench_repetitions repetitions;
    bench_work work;
    void *context;
    bench_comparison comparisons[ROLE_COUNT];
    size_t comparison_count;
    bool checked_after; /* whether the results of the case must be there afterwards */
} bench_plan;

void bench_plan_compare(bench_plan *plan, bench_role role, bench_work work, void *context,
                        double scale);

/* A fill of the output of a device, or several in a row. */
typedef struct bench_fill {
    bench_device *device;
    size_t bytes, count;
    bench_clock clock;
} bench_fill;

/* Multiply-adds on a device. */
typedef struct bench_arithmetic {
    bench_device *device;
    double operations; /* of the last measurement */
} bench_arithmetic;

/* Measures one fill. The context is a bench_fill. */
cli_exit bench_fill_once(void *context, double *seconds);

/* Chooses how many times the work is done in one measurement, `*count`, which belongs to the work:
 * as many as take `min` seconds, at most `max`. The work returns the time of one. */
cli_exit bench_choose_count(bench_work once, void *work, double min, size_t max, size_t *count);

/* Runs the plan, case and comparisons of a repetition in random order. Sets times, rate, share of the
 * ceiling and ratio to the baseline of a result whose samples are set. */
cli_exit bench_repeat(const bench_plan *plan, bench_result *result);

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

/* The rates of all fills of the whole output, in bytes per second. */
typedef struct bench_fill_rates {
    double *rates;
    size_t count, capacity;
} bench_fill_rates;

typedef struct bench_run {
    bench_repetitions repetitions;
    bench_device device;
    bench_fill_rates fill_rates;
    scenes scenes;
    bench_sizes sizes;
    bench_crowds crowds;
    bench_files files;
    bench_batches *batches; /* NULL: not opened yet */
    size_t batch_files;     /* in a folder */
    const device_options *device_options;
    size_t crowd_bytes;                   /* maximum size of an output of crowds */
    parallel_pool *pool;                  /* of the baselines, and of all devices */
    baseline *baselines[PM_METHOD_COUNT]; /* created on first use */
    float *baseline_out;                  /* same size as the output of the device */
} bench_run;

/* Opens a run for upsampling by 4 to `samples`. The engine is one of the options, which batches create
 * again. */
cli_exit bench_run_open(bench_run *run, const device_options *device, pm_engine *engine,
                        size_t samples, const bench_limits *limits);
void bench_run_close(bench_run *run);

/* Runs any case except those of BENCH_COLD, BENCH_FIRST and BENCH_WARM. */
cli_exit bench_run_case(bench_run *run, const bench_case *which, bench_result *result);

#endif
