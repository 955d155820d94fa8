/* SPDX-License-Identifier: MIT
 *
 * Repetition of measurements, and statistics.
 */
#include "runner.h"

#include "files/progress.h"

#include <stdlib.h>

enum { REPETITIONS_MAX = 300 };

/* A quick run must end within a minute on two cores, so it has few repetitions. */
bench_repetitions repetitions_of(bool quick, pm_device_type type) {
    bool gpu = type == PM_DEVICE_GPU || type == PM_DEVICE_DISCRETE_GPU;
    if (quick) {
        return (bench_repetitions){1, gpu ? 10 : 3, 0.05};
    }
    return (bench_repetitions){2, gpu ? 30 : 10, 0.25};
}

static int by_size(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median_of(double *seconds, size_t count) {
    qsort(seconds, count, sizeof *seconds, by_size);
    return count % 2 ? seconds[count / 2] : 0.5 * (seconds[count / 2 - 1] + seconds[count / 2]);
}

static void summarise(double *seconds, size_t count, bench_result *result) {
    result->repetitions = count;
    result->seconds_median = median_of(seconds, count);
    result->seconds_min = seconds[0];
    result->seconds_p95 = seconds[(count * 95 + 99) / 100 - 1];
    result->samples_per_s = (double)result->samples / result->seconds_median;
}

cli_exit bench_choose_count(bench_work once, void *work, double min, size_t max, size_t *count) {
    double seconds = 0.0;
    cli_exit code = CLI_DONE;
    for (*count = 1; code == CLI_DONE && *count < max; *count *= 2) {
        code = once(work, &seconds);
        if (seconds * (double)*count >= min) {
            break;
        }
    }
    return code;
}

typedef struct repetition {
    bench_work work;
    void *context;
    bench_comparison *comparisons;
    size_t comparison_count;
    double seconds[REPETITIONS_MAX];
    double others[COMPARISONS_MAX][REPETITIONS_MAX];
} repetition;

/* The comparisons run first, so that the output finally holds the results of the case. */
static cli_exit repeat_once(repetition *r, size_t slot) {
    cli_exit code = CLI_DONE;
    r->seconds[slot] = 0.0;
    for (size_t i = 0; i < r->comparison_count && code == CLI_DONE; i++) {
        r->others[i][slot] = 0.0;
        code = r->comparisons[i].work(r->comparisons[i].context, &r->others[i][slot]);
    }
    return code == CLI_DONE ? r->work(r->context, &r->seconds[slot]) : code;
}

cli_exit bench_repeat(const bench_repetitions *repetitions, bench_work work, void *context,
                      bench_comparison *comparisons, size_t comparison_count,
                      bench_result *result) {
    repetition r = {.work = work,
                    .context = context,
                    .comparisons = comparisons,
                    .comparison_count = comparison_count};
    size_t count = 0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < repetitions->warm_ups && code == CLI_DONE; i++) {
        code = repeat_once(&r, 0);
    }
    double begun = progress_clock();
    while (code == CLI_DONE && count < REPETITIONS_MAX &&
           (count < repetitions->min || progress_clock() - begun < repetitions->seconds)) {
        code = repeat_once(&r, count++);
    }
    if (code != CLI_DONE) {
        return code;
    }
    summarise(r.seconds, count, result);
    for (size_t i = 0; i < comparison_count; i++) {
        comparisons[i].seconds_median = median_of(r.others[i], count);
    }
    return CLI_DONE;
}
