/* SPDX-License-Identifier: MIT
 *
 * Repetition of measurements. What a repetition measures runs in random order, so that nothing always
 * profits from what ran before it.
 */
#include "runner.h"

#include "files/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A quick run must end within a minute on two cores, so it has few repetitions. */
bench_repetitions repetitions_of(bool quick, pm_device_type type) {
    bool gpu = type == PM_DEVICE_GPU || type == PM_DEVICE_DISCRETE_GPU;
    if (quick)
        return (bench_repetitions){1, gpu ? 10 : 3, 0.05};
    return (bench_repetitions){2, gpu ? 30 : 10, 0.25};
}

cli_exit bench_choose_count(bench_work once, void *work, double min, size_t max, size_t *count) {
    double seconds = 0.0;
    cli_exit code = CLI_DONE;
    for (*count = 1; code == CLI_DONE && *count < max; *count *= 2) {
        code = once(work, &seconds);
        if (seconds * (double)*count >= min)
            break;
    }
    return code;
}

void bench_plan_compare(bench_plan *plan, bench_role role, bench_work work, void *context,
                        double scale) {
    plan->comparisons[plan->comparison_count++] = (bench_comparison){role, work, context, scale};
}

/* ---- results ------------------------------------------------------------------- */

bench_result bench_result_of(const bench_case *which) {
    bench_result result = {.bytes_per_sample = 16,
                           .ceiling_share = (double)NAN,
                           .baseline_ratio = (double)NAN,
                           .bound_share = (double)NAN,
                           .max_error_rad = (double)NAN};
    memcpy(result.name, which->name, sizeof result.name);
    return result;
}

void bench_result_free(bench_result *result) {
    for (size_t i = 0; i < ROLE_COUNT; i++)
        free(result->times.of[i]);
    memset(&result->times, 0, sizeof result->times);
}

uint64_t bench_seed(const char *name) {
    uint64_t seed = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name != '\0'; name++)
        seed = (seed ^ (unsigned char)*name) * 0x100000001b3u;
    return seed;
}

/* ---- repeating ----------------------------------------------------------------- */

typedef struct repetition {
    const bench_plan *plan;
    uint64_t random;
    bool case_was_last;
    double seconds[ROLE_COUNT][STATS_MAX];
} repetition;

static cli_exit run_one(repetition *r, size_t which, size_t slot) {
    const bench_plan *plan = r->plan;
    const bench_comparison *other = which > 0 ? &plan->comparisons[which - 1] : NULL;
    double *seconds = &r->seconds[other != NULL ? other->role : ROLE_CASE][slot];
    *seconds = 0.0;
    r->case_was_last = other == NULL;
    const cli_exit code =
        other ? other->work(other->context, seconds) : plan->work(plan->context, seconds);
    *seconds = round(*seconds * 1e11) / 1e11; /* below are only digits of the clock's arithmetic */
    return code;
}

/* Draws the next of what is left to run, until nothing is left. */
static cli_exit repeat_once(repetition *r, size_t slot) {
    size_t left[ROLE_COUNT + 1];
    size_t count = r->plan->comparison_count + 1;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < count; i++)
        left[i] = i;
    for (; count > 0 && code == CLI_DONE; count--) {
        const size_t drawn = stats_random(&r->random, count);
        code = run_one(r, left[drawn], slot);
        left[drawn] = left[count - 1];
    }
    return code;
}

static cli_exit repeat_all(repetition *r, size_t *count) {
    const bench_repetitions *repetitions = &r->plan->repetitions;
    cli_exit code = CLI_DONE;
    *count = 0;
    for (size_t i = 0; i < repetitions->warm_ups && code == CLI_DONE; i++)
        code = repeat_once(r, 0);
    const double begun = progress_clock();
    while (code == CLI_DONE && *count < STATS_MAX &&
           (*count < repetitions->min || progress_clock() - begun < repetitions->seconds))
        code = repeat_once(r, (*count)++);
    if (code == CLI_DONE && r->plan->checked_after && !r->case_was_last) {
        double seconds;
        code = r->plan->work(r->plan->context, &seconds);
    }
    return code;
}

/* ---- summary ------------------------------------------------------------------- */

static cli_exit keep_times(const repetition *r, size_t count, bench_result *result) {
    const size_t bytes = count * sizeof(double);
    bool wanted[ROLE_COUNT] = {[ROLE_CASE] = true};
    for (size_t i = 0; i < r->plan->comparison_count; i++)
        wanted[r->plan->comparisons[i].role] = true;
    bench_result_free(result);
    result->times.count = count;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        result->times.of[i] = wanted[i] ? malloc(bytes) : NULL;
        if (wanted[i] && !result->times.of[i]) {
            bench_result_free(result);
            return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
        }
        if (wanted[i])
            memcpy(result->times.of[i], r->seconds[i], bytes);
    }
    return CLI_DONE;
}

/* Sorts the seconds of the case. */
static void summarise(double *seconds, size_t count, bench_result *result) {
    result->seconds_median = stats_median(seconds, count);
    result->seconds_min = seconds[0];
    result->seconds_p95 = seconds[(count * 95 + 99) / 100 - 1];
    result->samples_per_s = (double)result->samples / result->seconds_median;
}

static void compare(const bench_comparison *other, bench_result *result) {
    const bench_times *times = &result->times;
    double *ratio = other->role == ROLE_CEILING    ? &result->ceiling_share
                    : other->role == ROLE_BASELINE ? &result->baseline_ratio
                                                   : NULL;
    if (ratio)
        *ratio =
            stats_ratio(times->of[other->role], times->of[ROLE_CASE], other->scale, times->count);
}

cli_exit bench_repeat(const bench_plan *plan, bench_result *result) {
    repetition r = {.plan = plan, .random = bench_seed(result->name)};
    size_t count;
    cli_exit code = repeat_all(&r, &count);
    if (code == CLI_DONE)
        code = keep_times(&r, count, result);
    if (code != CLI_DONE)
        return code;
    summarise(r.seconds[ROLE_CASE], count, result);
    for (size_t i = 0; i < plan->comparison_count; i++)
        compare(&plan->comparisons[i], result);
    return CLI_DONE;
}
