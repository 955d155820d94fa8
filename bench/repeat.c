/* SPDX-License-Identifier: MIT
 *
 * Repetition and its statistics.
 */
#include "runner.h"

#include "progress.h"

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

/* The ceiling comes first: what the output holds in the end is the work's. */
static cli_exit repeat_once(bench_work work, void *context, const bench_ceiling *ceiling,
                            double *seconds, double *ceiling_seconds) {
    cli_exit code = CLI_DONE;
    *seconds = *ceiling_seconds = 0.0;
    if (ceiling != NULL) {
        code = ceiling->work(ceiling->context, ceiling_seconds);
    }
    return code == CLI_DONE ? work(context, seconds) : code;
}

cli_exit bench_repeat(const bench_pacing *pacing, bench_work work, void *context,
                      bench_ceiling *ceiling, bench_result *result) {
    double seconds[REPETITIONS_MAX];
    double ceilings[REPETITIONS_MAX];
    size_t count = 0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < pacing->warm_ups && code == CLI_DONE; i++) {
        code = repeat_once(work, context, ceiling, &seconds[0], &ceilings[0]);
    }
    double begun = progress_clock();
    while (code == CLI_DONE && count < REPETITIONS_MAX &&
           (count < pacing->least || progress_clock() - begun < pacing->seconds)) {
        code = repeat_once(work, context, ceiling, &seconds[count], &ceilings[count]);
        count++;
    }
    if (code == CLI_DONE) {
        summarise(seconds, count, result);
    }
    if (code == CLI_DONE && ceiling != NULL) {
        ceiling->seconds_median = median_of(ceilings, count);
    }
    return code;
}
