/* SPDX-License-Identifier: MIT
 *
 * Runs one case: repetitions, statistics, comparisons, and what bounds it. Prints only errors.
 */
#ifndef POSEMILL_BENCH_RUNNER_H
#define POSEMILL_BENCH_RUNNER_H

#include "cases/work.h"
#include "options/device_options.h"

/* ---- statistics ------------------------------------------------------------------
 * Medians, paired ratios, their intervals, and whether rates form two groups. The scripts compute the same
 * intervals of records (bench/records/intervals.py). */

/* Largest number of repetitions of a measurement. */
enum { STATS_MAX = 300 };

/* The next 64 bits of a stream. */
uint64_t stats_random_bits(uint64_t *state);

/* A whole number in [0, bound), for a bound of at least 1. */
size_t stats_random(uint64_t *state, size_t bound);

/* Sorts the numbers and returns their median. The count is at least 1. */
double stats_median(double *numbers, size_t count);

/* The median of scale * above[i] / below[i]. The two measurements of a repetition were made close in
 * time, so their ratio is free of what disturbs both, which a ratio of medians is not. The count is 1
 * to STATS_MAX. */
double stats_ratio(const double *above, const double *below, double scale, size_t count);

/* The interval that has the median of what is measured in at least 95 % of runs, whatever its distribution:
 * two of the sorted values, by the binomial distribution (David and Nagaraja 2003, 7.1). Of above[i], or of
 * above[i] / below[i] unless below is NULL. Fewer than 6 values give their range, which has it less often.
 * The count is 1 to STATS_MAX. */
void stats_interval(const double *above, const double *below, size_t count, double interval[2]);

/* Whether the rates form two groups, each with at least a fifth of them, whose medians differ by more
 * than a factor of 1.3, with at most a tenth of all rates in the middle half of the distance between the
 * medians: then the function returns 2 and both medians, the smaller one first, else 1 and the median
 * of all. Fewer than 30 rates are one group. Sorts the rates. The count is at least 1. */
size_t stats_rates(double *rates, size_t count, double medians[2]);

/* ---- cases ------------------------------------------------------------------------ */

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
    ROLE_CEILING, /* a fill */
    ROLE_COPY,    /* of the roofline, as the next one */
    ROLE_ARITHMETIC,
    ROLE_BASELINE,
    ROLE_BOUND, /* computed from the ceilings */
    ROLE_COUNT
} bench_role;

/* The seconds of each repetition, in the order of measurement. */
typedef struct bench_times {
    size_t count;
    bool has[ROLE_COUNT];
    double of[ROLE_COUNT][STATS_MAX];
} bench_times;

/* What a case cannot be faster than. */
typedef enum bench_bound { BOUND_NONE = 0, BOUND_FILL, BOUND_COPY, BOUND_ARITHMETIC } bench_bound;

struct bench_result {
    char name[48];
    size_t samples;
    size_t bytes_per_sample;
    bool has_bytes, has_operations;     /* whether the next three are known */
    uint64_t bytes_read, bytes_written; /* by a run of the case */
    uint64_t operations;
    bench_times times;
    double seconds_min, seconds_median, seconds_p95;
    double samples_per_s;
    double ceiling_share;  /* NAN: not compared */
    double baseline_ratio; /* NAN: the method has no baseline */
    bench_bound bound;
    double bound_share;   /* NAN: no bound */
    double max_error_rad; /* NAN: not checked; infinite: a result was not written */
    bench_bits bits;      /* compared with the reference path */
    double error_bound;   /* of the library's results; NAN: none */
};

/* Whether results of the library exceed their error bound. */
bool bench_is_wrong(const bench_result *result);

/* A result without measurements. */
bench_result bench_result_of(const char *name);

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
} bench_plan;

void bench_plan_compare(bench_plan *plan, bench_role role, bench_work work, void *context,
                        double scale);

/* Chooses how many times the work is done in one measurement, `*count`, which belongs to the work:
 * as many as take `min` seconds, at most `max`. The work returns the time of one. */
cli_exit bench_choose_count(bench_work once, void *work, double min, size_t max, size_t *count);

/* Runs the plan, case and comparisons of a repetition in random order. Sets times, rate, share of the
 * ceiling and ratio to the baseline of a result whose samples are set. */
cli_exit bench_repeat(const bench_plan *plan, bench_result *result);

struct bench_run {
    bench_repetitions repetitions;
    bench_limits limits;
    const device_options *device_options;
    size_t samples; /* of upsampling by 4 */
    bench_device device;
    scenes scenes;
    parallel_pool *pool;                         /* of the baselines, and of the device */
    struct baseline *baselines[PM_METHOD_COUNT]; /* created on first use, as all that follows */
    float *baseline_out;                         /* of as many samples */
};

/* Opens a run for upsampling by 4 to about `samples`. */
cli_exit bench_run_open(bench_run *run, const device_options *device, pm_engine *engine,
                        size_t samples, const bench_limits *limits);
void bench_run_close(bench_run *run);

/* A plan without comparisons. */
bench_plan bench_plan_of(const bench_run *run, bench_work work, void *context);

/* States what a run of the case moves and computes. */
void bench_set_work(case_work work, bench_result *result);

/* A case's ceilings: fills of as many bytes as the results have, `count` of them timed together by the
 * clock; and where the work of the case is known, a copy and multiply-adds. Repeats the plan with them and
 * sets the bound: the time that the results, the keys and results, or the operations take at the rates of a
 * fill, a copy and multiply-adds of the same repetition, whichever is longest. */
cli_exit bench_measure(bench_run *run, bench_plan *plan, bench_clock clock, size_t count,
                       bench_result *result);

/* Measures the time to the first result: engine, clip and a small job in a new process. Forks, so it must be
 * called before this process uses OpenCL. If "auto" finds no OpenCL device, *opencl is set to false and the
 * result is unchanged. */
cli_exit start_measure(const device_options *device, const bench_case *which, bool quick,
                       bool *opencl, bench_result *result);

/* The most samples of a case of a run whose upsampling by 4 gives `samples`: four times as many, or the power
 * of two that the device allows in one buffer and in a quarter of its memory. */
size_t samples_largest(size_t samples, const pm_device_info *info);

/* The ceilings as cases. */
bench_runner bench_run_fill, bench_run_stores, bench_run_copy, bench_run_arithmetic,
    bench_run_palette_fill;

#endif
