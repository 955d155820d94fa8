/* SPDX-License-Identifier: MIT
 *
 * What cases share, their ceilings, and what bounds them. The ceilings are measured with every case,
 * whether or not they were requested as cases. The copy moves about as many bytes as the case does, so
 * that both fit the same caches.
 */
#include "runner.h"

#include "cases/baseline.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_BYTES = 16 };

/* Copies and fills store up to this many bytes at once, one after another. A rate does not change beyond
 * the largest size. */
enum { MOVE_UNIT = 2048, COPY_MAX = 256 << 20 };

cli_exit bench_run_open(bench_run *run, const device_options *device, pm_engine *engine,
                        size_t samples, const bench_limits *limits) {
    *run = (bench_run){.limits = *limits, .device_options = device, .pool = parallel_create()};
    cli_exit code = run->pool
                        ? scenes_create(&run->scenes, engine, samples, SCENE_TRACKS, true)
                        : cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "threads cannot be created");
    run->samples = 4 * run->scenes.segments * SCENE_TRACKS;
    if (code == CLI_DONE)
        code = device_open(&run->device, engine, run->pool);
    if (code == CLI_DONE)
        code = run->device.verbs->reserve(&run->device, run->samples * SAMPLE_BYTES);
    run->repetitions = repetitions_of(limits->quick, run->device.info.type);
    if (code != CLI_DONE)
        bench_run_close(run);
    return code;
}

void bench_run_close(bench_run *run) {
    for (int m = 0; m < PM_METHOD_COUNT; m++)
        baseline_destroy(&run->baselines[m]);
    free(run->baseline_out);
    device_close(&run->device);
    scenes_destroy(&run->scenes);
    parallel_destroy(&run->pool);
    memset(run, 0, sizeof *run);
}

bench_plan bench_plan_of(const bench_run *run, bench_work work, void *context) {
    return (bench_plan){.repetitions = run->repetitions, .work = work, .context = context};
}

void bench_set_work(case_work work, bench_result *result) {
    result->has_bytes = true;
    result->has_operations = true;
    result->bytes_read = work.bytes_read;
    result->bytes_written = work.bytes_written;
    result->operations = work.operations;
}

/* ---- ceilings ------------------------------------------------------------------ */

typedef struct move_work {
    bench_device *device;
    device_move *move;
    size_t bytes, count;
    bench_clock clock;
} move_work;

static cli_exit move_once(void *context, double *seconds) {
    const move_work *work = context;
    return work->move(work->device, work->bytes, work->clock, work->count, seconds);
}

typedef struct arithmetic_work {
    bench_device *device;
    double operations; /* of the last measurement */
} arithmetic_work;

static cli_exit arithmetic_once(void *context, double *seconds) {
    arithmetic_work *work = context;
    return work->device->verbs->arithmetic(work->device, seconds, &work->operations);
}

static size_t copied_bytes(size_t room, const bench_result *result) {
    const uint64_t most = room < COPY_MAX ? room : COPY_MAX;
    const uint64_t half = (result->bytes_read + result->bytes_written) / 2;
    const uint64_t bytes = half < most ? half : most;
    return bytes < MOVE_UNIT ? MOVE_UNIT : (size_t)(bytes / MOVE_UNIT * MOVE_UNIT);
}

/* ---- the bound ----------------------------------------------------------------- */

typedef struct roof {
    bench_bound bound;
    bench_role role;
    double scale; /* what the case does, over what was measured */
} roof;

/* Sets the bound of a repeated result: the roof whose times for this case have the largest median. The
 * times of copies and multiply-adds, which are measured in amounts of their own, become those of the
 * case. */
static void find_bound(const roof roofs[3], bench_result *result) {
    bench_times *times = &result->times;
    const size_t bytes = times->count * sizeof(double);
    double most = -1.0, seconds[STATS_MAX], sorted[STATS_MAX];
    for (size_t r = 0; r < 3; r++) {
        double *of = times->of[roofs[r].role];
        for (size_t i = 0; i < times->count; i++)
            seconds[i] = roofs[r].scale * of[i];
        if (roofs[r].role != ROLE_CEILING)
            memcpy(of, seconds, bytes);
        memcpy(sorted, seconds, bytes);
        const double median = stats_median(sorted, times->count);
        if (median > most) {
            most = median;
            result->bound = roofs[r].bound;
            memcpy(times->of[ROLE_BOUND], seconds, bytes);
        }
    }
    times->has[ROLE_BOUND] = true;
    result->bound_share =
        stats_ratio(times->of[ROLE_BOUND], times->of[ROLE_CASE], 1.0, times->count);
}

cli_exit bench_measure(bench_run *run, bench_plan *plan, bench_clock clock, size_t count,
                       bench_result *result) {
    bench_device *device = &run->device;
    const size_t bytes = result->samples * result->bytes_per_sample;
    const size_t whole = run->samples * SAMPLE_BYTES;
    move_work fill = {device, device->verbs->fill, bytes, count, clock};
    move_work copy = {device, device->verbs->copy,
                      copied_bytes(bytes > whole ? bytes : whole, result), count, clock};
    arithmetic_work arithmetic = {device, 0.0};
    bench_plan_compare(plan, ROLE_CEILING, move_once, &fill, 1.0);
    if (result->has_operations) {
        bench_plan_compare(plan, ROLE_COPY, move_once, &copy, 1.0);
        bench_plan_compare(plan, ROLE_ARITHMETIC, arithmetic_once, &arithmetic, 1.0);
    }
    const cli_exit code = bench_repeat(plan, result);
    if (code != CLI_DONE || !result->has_operations)
        return code;
    const double moved = (double)(result->bytes_read + result->bytes_written);
    const roof roofs[] = {
        {BOUND_FILL, ROLE_CEILING, (double)result->bytes_written / (double)bytes},
        {BOUND_COPY, ROLE_COPY, moved / (2.0 * (double)copy.bytes)},
        {BOUND_ARITHMETIC, ROLE_ARITHMETIC, (double)result->operations / arithmetic.operations},
    };
    find_bound(roofs, result);
    return CLI_DONE;
}

/* ---- ceilings as cases of their own -------------------------------------------- */

static cli_exit run_fill(bench_run *run, size_t bytes, bench_result *result) {
    move_work work = {&run->device, run->device.verbs->fill, bytes, 1, CLOCK_KERNEL};
    const bench_plan plan = bench_plan_of(run, move_once, &work);
    result->samples = bytes / result->bytes_per_sample;
    result->ceiling_share = 1.0;
    result->has_bytes = true;
    result->bytes_written = bytes;
    const cli_exit code =
        run->device.verbs->reserve(&run->device, (bytes + MOVE_UNIT - 1) / MOVE_UNIT * MOVE_UNIT);
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}

cli_exit bench_run_fill(bench_run *run, const bench_case *which, bench_result *result) {
    (void)which;
    return run_fill(run, run->samples * SAMPLE_BYTES, result);
}

cli_exit bench_run_palette_fill(bench_run *run, const bench_case *which, bench_result *result) {
    const crowd_scene palette = {.output = PM_CROWD_PALETTE};
    (void)which;
    result->bytes_per_sample = pm_crowd_record_bytes(palette.output);
    return run_fill(run,
                    CROWD_JOINTS * crowd_scene_agents(&palette, run->limits.crowd_bytes) *
                        result->bytes_per_sample,
                    result);
}

/* Moves the whole output. */
static cli_exit run_move(bench_run *run, device_move *move, size_t bytes_read,
                         bench_result *result) {
    const size_t bytes = run->samples * SAMPLE_BYTES;
    move_work work = {&run->device, move, bytes, 1, CLOCK_KERNEL};
    bench_plan plan = bench_plan_of(run, move_once, &work);
    result->samples = run->samples;
    result->has_bytes = true;
    result->bytes_read = bytes_read;
    result->bytes_written = bytes;
    return bench_measure(run, &plan, CLOCK_KERNEL, 1, result);
}

cli_exit bench_run_stores(bench_run *run, const bench_case *which, bench_result *result) {
    (void)which;
    return run_move(run, run->device.verbs->stores, 0, result);
}

cli_exit bench_run_copy(bench_run *run, const bench_case *which, bench_result *result) {
    (void)which;
    const cli_exit code =
        run_move(run, run->device.verbs->copy, run->samples * SAMPLE_BYTES, result);
    result->bytes_per_sample = 2 * (size_t)SAMPLE_BYTES; /* read and written */
    return code;
}

/* A sample is an operation; the first run tells how many a measurement has. */
cli_exit bench_run_arithmetic(bench_run *run, const bench_case *which, bench_result *result) {
    arithmetic_work work = {&run->device, 0.0};
    const bench_plan plan = bench_plan_of(run, arithmetic_once, &work);
    double seconds;
    (void)which;
    const cli_exit code = arithmetic_once(&work, &seconds);
    result->samples = (size_t)work.operations;
    bench_set_work((case_work){.operations = (uint64_t)work.operations}, result);
    result->bytes_per_sample = 0;
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}
