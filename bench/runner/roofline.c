/* SPDX-License-Identifier: MIT
 *
 * The copy moves about as many bytes as the case does, so that both fit the same caches.
 */
#include "roofline.h"

#include <stdlib.h>
#include <string.h>

/* Copies store up to this many bytes at once, one after another. A rate does not change beyond the
 * largest size. */
enum { COPY_UNIT = 2048, COPY_MAX = 256 << 20 };

void roofline_set_work(case_work work, bench_result *result) {
    result->has_bytes = true;
    result->has_operations = true;
    result->bytes_read = work.bytes_read;
    result->bytes_written = work.bytes_written;
    result->operations = work.operations;
}

static cli_exit copy_once(void *context, double *seconds) {
    const bench_fill *work = context;
    return device_copy(work->device, work->bytes, work->clock, work->count, seconds);
}

static cli_exit arithmetic_once(void *context, double *seconds) {
    bench_arithmetic *work = context;
    return device_arithmetic(work->device, seconds, &work->operations);
}

static size_t copied_bytes(const bench_device *device, const bench_result *result) {
    const uint64_t most = device->bytes < COPY_MAX ? device->bytes : COPY_MAX;
    const uint64_t half = (result->bytes_read + result->bytes_written) / 2;
    const uint64_t bytes = half < most ? half : most;
    return bytes < COPY_UNIT ? COPY_UNIT : (size_t)(bytes / COPY_UNIT * COPY_UNIT);
}

void roofline_plan(bench_roofline *r, bench_run *run, bench_device *device, bench_clock clock,
                   size_t count, const bench_result *result, bench_plan *plan) {
    r->fill = (bench_fill){device, result->samples * result->bytes_per_sample, count, clock};
    bench_plan_compare(plan, ROLE_CEILING, bench_fill_once, &r->fill, 1.0);
    if (result->has_operations) {
        r->copy = (bench_fill){device, copied_bytes(device, result), count, clock};
        r->arithmetic = (bench_arithmetic){&run->device, 0.0};
        bench_plan_compare(plan, ROLE_COPY, copy_once, &r->copy, 1.0);
        bench_plan_compare(plan, ROLE_ARITHMETIC, arithmetic_once, &r->arithmetic, 1.0);
    }
}

/* ---- the bound ----------------------------------------------------------------- */

typedef struct roof {
    bench_bound bound;
    bench_role role;
    double scale; /* what the case does, over what was measured */
} roof;

/* Copies and multiply-adds are measured in amounts of their own. */
static void scale_times(bench_times *times, roof *r) {
    for (size_t i = 0; i < times->count; i++)
        times->of[r->role][i] *= r->scale;
    r->scale = 1.0;
}

/* The ceiling whose time for this case has the largest median. */
static cli_exit highest(const roof *roofs, size_t count, const bench_times *times, roof *found) {
    const size_t bytes = times->count * sizeof(double);
    double *seconds = malloc(bytes);
    double most = -1.0;
    if (!seconds)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    for (size_t i = 0; i < count; i++) {
        memcpy(seconds, times->of[roofs[i].role], bytes);
        const double median = roofs[i].scale * stats_median(seconds, times->count);
        if (median > most) {
            most = median;
            *found = roofs[i];
        }
    }
    free(seconds);
    return CLI_DONE;
}

/* The time that the bound needs, in every repetition. */
static cli_exit keep(const roof *found, bench_result *result) {
    bench_times *times = &result->times;
    double *seconds = malloc(times->count * sizeof *seconds);
    if (!seconds)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    for (size_t i = 0; i < times->count; i++)
        seconds[i] = found->scale * times->of[found->role][i];
    times->of[ROLE_BOUND] = seconds;
    result->bound = found->bound;
    result->bound_share = stats_ratio(seconds, times->of[ROLE_CASE], 1.0, times->count);
    return CLI_DONE;
}

cli_exit roofline_find(const bench_roofline *r, bench_result *result) {
    if (!result->has_operations)
        return CLI_DONE;
    const double moved = (double)(result->bytes_read + result->bytes_written);
    roof roofs[] = {
        {BOUND_FILL, ROLE_CEILING, (double)result->bytes_written / (double)r->fill.bytes},
        {BOUND_COPY, ROLE_COPY, moved / (2.0 * (double)r->copy.bytes)},
        {BOUND_ARITHMETIC, ROLE_ARITHMETIC, (double)result->operations / r->arithmetic.operations},
    };
    roof found = roofs[0];
    scale_times(&result->times, &roofs[1]);
    scale_times(&result->times, &roofs[2]);
    cli_exit code = highest(roofs, sizeof roofs / sizeof roofs[0], &result->times, &found);
    return code == CLI_DONE ? keep(&found, result) : code;
}
