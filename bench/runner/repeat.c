/* SPDX-License-Identifier: MIT
 *
 * Repetition of measurements. What a repetition measures runs in random order, so that nothing always
 * profits from what ran before it.
 */
#include "runner.h"

#include "files/progress.h"

#include <math.h>
#include <stdio.h>
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

bench_result bench_result_of(const char *name) {
    bench_result result = {.bytes_per_sample = 16,
                           .ceiling_share = (double)NAN,
                           .baseline_ratio = (double)NAN,
                           .bound_share = (double)NAN,
                           .max_error_rad = (double)NAN,
                           .error_bound = (double)NAN};
    snprintf(result.name, sizeof result.name, "%s", name);
    return result;
}

bool bench_is_wrong(const bench_result *result) {
    return !isnan(result->error_bound) && !(result->max_error_rad <= result->error_bound);
}

/* A seed of its own for every case, the same in every run. */
static uint64_t seed_of(const char *name) {
    uint64_t seed = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name != '\0'; name++)
        seed = (seed ^ (unsigned char)*name) * 0x100000001b3u;
    return seed;
}

/* ---- repeating ----------------------------------------------------------------- */

typedef struct repetition {
    const bench_plan *plan;
    uint64_t random;
    bench_times *times;
} repetition;

static cli_exit run_one(repetition *r, size_t which, size_t slot) {
    const bench_plan *plan = r->plan;
    const bench_comparison *other = which > 0 ? &plan->comparisons[which - 1] : NULL;
    const bench_role role = other ? other->role : ROLE_CASE;
    double seconds = 0.0;
    const cli_exit code =
        other ? other->work(other->context, &seconds) : plan->work(plan->context, &seconds);
    r->times->has[role] = true;
    /* below are only digits of the clock's arithmetic */
    r->times->of[role][slot] = round(seconds * 1e11) / 1e11;
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

static cli_exit repeat_all(repetition *r) {
    const bench_repetitions *repetitions = &r->plan->repetitions;
    size_t *count = &r->times->count;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < repetitions->warm_ups && code == CLI_DONE; i++)
        code = repeat_once(r, 0);
    const double begun = progress_clock();
    while (code == CLI_DONE && *count < STATS_MAX &&
           (*count < repetitions->min || progress_clock() - begun < repetitions->seconds))
        code = repeat_once(r, (*count)++);
    return code;
}

cli_exit bench_repeat(const bench_plan *plan, bench_result *result) {
    bench_times *times = &result->times;
    double sorted[STATS_MAX];
    times->count = 0;
    repetition r = {.plan = plan, .random = seed_of(result->name), .times = times};
    const cli_exit code = repeat_all(&r);
    if (code != CLI_DONE)
        return code;
    memcpy(sorted, times->of[ROLE_CASE], times->count * sizeof *sorted);
    result->seconds_median = stats_median(sorted, times->count);
    result->seconds_min = sorted[0];
    result->seconds_p95 = sorted[(times->count * 95 + 99) / 100 - 1];
    result->samples_per_s = (double)result->samples / result->seconds_median;
    for (const bench_comparison *other = plan->comparisons;
         other < plan->comparisons + plan->comparison_count; other++) {
        const double ratio =
            stats_ratio(times->of[other->role], times->of[ROLE_CASE], other->scale, times->count);
        if (other->role == ROLE_CEILING)
            result->ceiling_share = ratio;
        else if (other->role == ROLE_BASELINE)
            result->baseline_ratio = ratio;
    }
    return CLI_DONE;
}
