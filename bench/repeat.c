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

static void summarise(double *seconds, size_t count, bench_result *result) {
    qsort(seconds, count, sizeof *seconds, by_size);
    size_t p95 = (count * 95 + 99) / 100 - 1;
    result->repetitions = count;
    result->seconds_min = seconds[0];
    result->seconds_median =
        count % 2 ? seconds[count / 2] : 0.5 * (seconds[count / 2 - 1] + seconds[count / 2]);
    result->seconds_p95 = seconds[p95];
    result->samples_per_s = (double)result->samples / result->seconds_median;
}

cli_exit bench_repeat(const bench_pacing *pacing, bench_work work, void *context,
                      bench_result *result) {
    double seconds[REPETITIONS_MAX];
    size_t count = 0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < pacing->warm_ups && code == CLI_DONE; i++) {
        code = work(context, &seconds[0]);
    }
    double begun = progress_clock();
    while (code == CLI_DONE && count < REPETITIONS_MAX &&
           (count < pacing->least || progress_clock() - begun < pacing->seconds)) {
        seconds[count] = 0.0;
        code = work(context, &seconds[count]);
        count++;
    }
    if (code == CLI_DONE) {
        summarise(seconds, count, result);
    }
    return code;
}
