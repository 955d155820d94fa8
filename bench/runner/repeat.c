/* SPDX-License-Identifier: MIT
 *
 * Repetition and its statistics.
 */
#include "runner.h"

#include "files/progress.h"

#include <stdlib.h>

enum { REPETITIONS_MAX = 300 };

/* Few in a quick run, which must end within a minute on two cores. */
bench_pacing pacing_of(bool quick, pm_device_type type) {
    bool gpu = type == PM_DEVICE_GPU || type == PM_DEVICE_DISCRETE_GPU;
    if (quick) {
        return (bench_pacing){1, gpu ? 10 : 3, 0.05};
    }
    return (bench_pacing){2, gpu ? 30 : 10, 0.25};
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
    bench_yardstick *yardsticks;
    size_t yardstick_count;
    double seconds[REPETITIONS_MAX];
    double others[YARDSTICKS_MAX][REPETITIONS_MAX];
} repetition;

/* The yardsticks come first: what the output holds in the end is the work's. */
static cli_exit repeat_once(repetition *r, size_t slot) {
    cli_exit code = CLI_DONE;
    r->seconds[slot] = 0.0;
    for (size_t i = 0; i < r->yardstick_count && code == CLI_DONE; i++) {
        r->others[i][slot] = 0.0;
        code = r->yardsticks[i].work(r->yardsticks[i].context, &r->others[i][slot]);
    }
    return code == CLI_DONE ? r->work(r->context, &r->seconds[slot]) : code;
}

cli_exit bench_repeat(const bench_pacing *pacing, bench_work work, void *context,
                      bench_yardstick *yardsticks, size_t yardstick_count, bench_result *result) {
    repetition r = {.work = work,
                    .context = context,
                    .yardsticks = yardsticks,
                    .yardstick_count = yardstick_count};
    size_t count = 0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < pacing->warm_ups && code == CLI_DONE; i++) {
        code = repeat_once(&r, 0);
    }
    double begun = progress_clock();
    while (code == CLI_DONE && count < REPETITIONS_MAX &&
           (count < pacing->min || progress_clock() - begun < pacing->seconds)) {
        code = repeat_once(&r, count++);
    }
    if (code != CLI_DONE) {
        return code;
    }
    summarise(r.seconds, count, result);
    for (size_t i = 0; i < yardstick_count; i++) {
        yardsticks[i].seconds_median = median_of(r.others[i], count);
    }
    return CLI_DONE;
}
