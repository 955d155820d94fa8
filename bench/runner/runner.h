/* SPDX-License-Identifier: MIT
 *
 * Runs one case: repetitions, statistics, what it is held against, and the check of its
 * results. Prints nothing but failures.
 */
#ifndef POSEMILL_BENCH_RUNNER_H
#define POSEMILL_BENCH_RUNNER_H

#include "cases/baseline.h"
#include "cases/scenes.h"
#include "device/device.h"

/* How often a case is repeated: at least so many times, and on until so long. */
typedef struct bench_pacing {
    size_t warm_ups;
    size_t min;
    double seconds;
} bench_pacing;

bench_pacing pacing_of(bool quick, pm_device_type type);

typedef enum bench_bits { BITS_UNCHECKED = 0, BITS_SAME, BITS_DIFFER } bench_bits;

typedef struct bench_result {
    char name[48];
    size_t samples;
    size_t bytes_per_sample;
    size_t repetitions;
    double seconds_min, seconds_median, seconds_p95;
    double samples_per_s;
    double ceiling_share;  /* NAN: not held against it */
    double baseline_ratio; /* NAN: no baseline of the method */
    double max_error_rad;  /* NAN: not checked; infinite: something was not written */
    bench_bits bits;       /* against the reference path */
    bool wrong;            /* the library's own results miss their bound */
} bench_result;

/* One measurement: does the work once and says how long it took. */
typedef cli_exit (*bench_work)(void *context, double *seconds);

/* What a case is held against, measured between its repetitions: on a machine that others
 * use too, only neighbours in time compare. */
typedef struct bench_yardstick {
    bench_work work;
    void *context;
    double seconds_median;
} bench_yardstick;

enum { YARDSTICKS_MAX = 2 };

/* A fill of a device's output, or several one behind another. */
typedef struct bench_fill {
    bench_device *device;
    size_t bytes, count;
    bench_clock clock;
} bench_fill;

/* The time of one. The context is a bench_fill. */
cli_exit bench_fill_once(void *context, double *seconds);

/* How many times work is done in one measurement, `*count`, which belongs to the work: as many as
 * make `least` seconds, or `most`. What work says is the time of one. */
cli_exit bench_choose_count(bench_work once, void *work, double min, size_t max, size_t *count);

/* Fills in times and rate of a result whose samples are set, and the yardsticks' times. */
cli_exit bench_repeat(const bench_pacing *pacing, bench_work work, void *context,
                      bench_yardstick *yardsticks, size_t yardstick_count, bench_result *result);

/* What the cases of BENCH_SIZE share: keys and an output of the largest, made when needed. */
typedef struct bench_sizes {
    size_t largest; /* samples */
    bool opened;
    bench_device device;
    scenes scenes;
} bench_sizes;

/* What crowds share: an output of as many bytes as the largest so far has. */
typedef struct bench_crowds {
    size_t bytes; /* 0: it is not there yet */
    bench_device device;
} bench_crowds;

typedef struct bench_run {
    bench_pacing pacing;
    bench_device device;
    scenes scenes;
    bench_sizes sizes;
    bench_crowds crowds;
    size_t crowd_bytes;                   /* that an output of crowds may take */
    baseline *baselines[PM_METHOD_COUNT]; /* made when first needed */
    float *baseline_out;                  /* of as many bytes as the device's output */
} bench_run;

/* For upsampling by 4 to `samples`. */
cli_exit bench_run_open(bench_run *run, pm_engine *engine, size_t samples,
                        const bench_limits *limits);
void bench_run_close(bench_run *run);

/* Any case but those of BENCH_COLD and BENCH_WARM. */
cli_exit bench_run_case(bench_run *run, const bench_case *which, bench_result *result);

#endif
