/* SPDX-License-Identifier: MIT
 *
 * Runs the crowd cases. Results go to a separate output, which is also filled, as a ceiling, with
 * the fastest method for that size.
 */
#include "crowds.h"

#include "baseline_crowd.h"
#include "crowd_check.h"
#include "crowd_work.h"
#include "files/progress.h"
#include "runner/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fills store at most this many bytes at once, one after another. */
enum { FILL_BYTES = 2048 };

/* Maximum number of frames or calls that are timed together: a driver need not accept any number of
 * commands while none of them may run yet. */
enum { FRAMES_MAX = 256, CALLS_MAX = 65536 };

void crowds_close(bench_crowds *crowds) {
    device_close(&crowds->device);
    crowds->bytes = 0;
}

static cli_exit open_output(bench_run *run, size_t bytes) {
    bench_crowds *crowds = &run->crowds;
    cli_exit code = CLI_DONE;
    if (crowds->bytes < bytes) {
        crowds_close(crowds);
        code = device_open(&crowds->device, run->device.engine, run->pool,
                           (bytes + FILL_BYTES - 1) / FILL_BYTES * FILL_BYTES);
        crowds->bytes = code == CLI_DONE ? bytes : 0;
    }
    return code;
}

/* Halves differ by their last place, for numbers below 4. For the others the difference of two
 * roundings of a rotation accumulates over the joints of a chain; angular velocities are these
 * differences at up to 60 keys per second, and velocities the former times a reach of some metres. */
double crowds_bound(const crowd_scene *scene) {
    return scene->states ? 1e-3 : crowd_output_is_half(scene->output) ? 0x1p-9 : 1e-5;
}

/* ---- the ceiling --------------------------------------------------------------- */

cli_exit crowds_run_fill(bench_run *run, bench_result *result) {
    const crowd_scene palette = {.output = PM_CROWD_PALETTE};
    bench_fill work = {&run->crowds.device, 0, 1, CLOCK_KERNEL};
    result->samples = CROWD_JOINTS * crowd_scene_agents(&palette, run->crowd_bytes);
    result->bytes_per_sample = pm_crowd_record_bytes(palette.output);
    result->ceiling_share = 1.0;
    work.bytes = result->samples * result->bytes_per_sample;
    result->has_bytes = true;
    result->bytes_written = work.bytes;
    cli_exit code = open_output(run, work.bytes);
    if (code == CLI_DONE)
        code = device_choose_fill(work.device, work.bytes);
    const bench_plan plan = {
        .repetitions = run->repetitions, .work = bench_fill_once, .context = &work};
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}

/* ---- the baseline -------------------------------------------------------------- */

static cli_exit baseline_once(void *context, double *seconds) {
    *seconds = baseline_crowd_run(context);
    return CLI_DONE;
}

static cli_exit open_baseline(const bench_run *run, const bench_case *which,
                              const crowd_setup *setup, baseline_crowd **base) {
    *base = baseline_crowd_create(run->pool, which->crowd, setup);
    return *base ? CLI_DONE
                 : cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
}

static cli_exit measure_baseline(bench_run *run, baseline_crowd *base, bench_result *result) {
    bench_device *device = &run->crowds.device;
    bench_roofline roofline;
    bench_plan plan = {.repetitions = run->repetitions, .work = baseline_once, .context = base};
    roofline_plan(&roofline, run, device, CLOCK_KERNEL, 1, result, &plan);
    cli_exit code = device_choose_fill(device, roofline.fill.bytes);
    if (code == CLI_DONE)
        code = bench_repeat(&plan, result);
    return code == CLI_DONE ? roofline_find(&roofline, result) : code;
}

static cli_exit run_baseline(bench_run *run, const bench_case *which, const crowd_setup *setup,
                             bench_result *result) {
    const size_t bytes = setup->agents * setup->records * setup->record_bytes;
    baseline_crowd *base = NULL;
    cli_exit code = open_output(run, bytes);
    result->baseline_ratio = 1.0;
    if (code == CLI_DONE)
        code = open_baseline(run, which, setup, &base);
    if (code == CLI_DONE) {
        memset(baseline_crowd_records(base), 0xff, bytes);
        code = measure_baseline(run, base, result);
    }
    if (code == CLI_DONE)
        code = crowd_check(setup, check_read_host, baseline_crowd_records(base), result);
    baseline_crowd_destroy(&base);
    return code;
}

/* ---- on the device ------------------------------------------------------------- */

typedef struct pose_work {
    bench_device *device;
    const crowd_setup *setup;
    size_t count; /* number of frames, queued one after another */
} pose_work;

static cli_exit pose_once(void *context, double *seconds) {
    const pose_work *work = context;
    const crowd_setup *setup = work->setup;
    return device_crowd(work->device, setup->crowd, setup->targets, setup->target_count,
                        work->count, seconds);
}

static cli_exit set_crowd(const pose_work *work) {
    pm_crowd_info info;
    pm_crowd_get_info(work->setup->crowd, &info);
    return device_set_crowd(work->device, &work->setup->job, &info);
}

/* A renderer has several frames in flight. If the queue ran dry between frames, a small crowd would
 * measure the wake-up time of threads. */
static cli_exit measure(bench_run *run, pose_work *work, baseline_crowd *base,
                        bench_result *result) {
    const double min = 0.01;
    bench_roofline roofline;
    bench_plan plan = {.repetitions = run->repetitions, .work = pose_once, .context = work};
    cli_exit code = device_choose_fill(work->device, result->samples * result->bytes_per_sample);
    if (code == CLI_DONE && !work->setup->waits)
        code = bench_choose_count(pose_once, work, min, FRAMES_MAX, &work->count);
    roofline_plan(&roofline, run, work->device, CLOCK_KERNEL, work->count, result, &plan);
    if (base)
        bench_plan_compare(&plan, ROLE_BASELINE, baseline_once, base, 1.0);
    if (code == CLI_DONE)
        code = bench_repeat(&plan, result);
    return code == CLI_DONE ? roofline_find(&roofline, result) : code;
}

/* Poisons the output, poses, checks the results, and then measures. */
static cli_exit run_device(bench_run *run, const bench_case *which, const crowd_setup *setup,
                           bench_result *result) {
    pose_work work = {&run->crowds.device, setup, 1};
    baseline_crowd *base = NULL;
    double once;
    cli_exit code = open_output(run, setup->agents * setup->records * setup->record_bytes);
    if (code == CLI_DONE)
        code = set_crowd(&work);
    if (code == CLI_DONE)
        code = device_poison(work.device);
    if (code == CLI_DONE)
        code = pose_once(&work, &once);
    if (code == CLI_DONE)
        code = crowd_check(setup, check_read_device, work.device, result);
    if (code == CLI_DONE && which->group->scene == SCENE_CROWD)
        code = open_baseline(run, which, setup, &base);
    if (code == CLI_DONE)
        code = measure(run, &work, base, result);
    baseline_crowd_destroy(&base);
    return code;
}

/* ---- on the host --------------------------------------------------------------- */

typedef struct host_work {
    const crowd_setup *setup;
    float *records;
    size_t calls; /* calls of pm_crowd_pose_one in one measurement */
} host_work;

static cli_exit host_once(void *context, double *seconds) {
    const host_work *work = context;
    const crowd_setup *setup = work->setup;
    pm_crowd_job job = setup->job;
    pm_error error = {0};
    pm_crowd_target targets[CROWD_TARGETS];
    device_targets_at(setup->targets, setup->target_count, work->records, targets);
    job.outputs = targets;
    job.output_count = setup->target_count;
    double begun = progress_clock();
    if (pm_crowd_pose(setup->crowd, &job, &error) != PM_OK)
        return cli_fail_error("bench", &error);
    *seconds = progress_clock() - begun;
    return CLI_DONE;
}

static cli_exit one_once(void *context, double *seconds) {
    const host_work *work = context;
    const crowd_setup *setup = work->setup;
    const int64_t frame = setup->plays ? pm_crowd_ticks(1.0 / 60.0) : 0;
    pm_crowd_instance instance = setup->instances[0];
    pm_error error = {0};
    double begun = progress_clock();
    for (size_t i = 0; i < work->calls; i++) {
        if (pm_crowd_pose_one(setup->crowd, &instance, setup->targets[0].output, work->records,
                              &error) != PM_OK)
            return cli_fail_error("bench", &error);
        instance.time_a += frame;
    }
    *seconds = (progress_clock() - begun) / (double)work->calls;
    return CLI_DONE;
}

static cli_exit check_host(const host_work *work, bool one, bench_result *result) {
    return one ? crowd_check_one(work->setup, work->records, result)
               : crowd_check(work->setup, check_read_host, work->records, result);
}

static cli_exit run_host(bench_run *run, const crowd_setup *setup, bool one, bench_result *result) {
    const size_t bytes = setup->agents * setup->records * setup->record_bytes;
    const bench_work once = one ? one_once : host_once;
    host_work work = {setup, bytes > 0 ? malloc(bytes) : NULL, 1};
    double seconds;
    if (!work.records)
        return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    memset(work.records, 0xff, bytes);
    cli_exit code = once(&work, &seconds);
    if (code == CLI_DONE)
        code = check_host(&work, one, result);
    if (code == CLI_DONE && one)
        code = bench_choose_count(once, &work, 1e-3, CALLS_MAX, &work.calls);
    if (code == CLI_DONE) {
        const bench_plan plan = {.repetitions = run->repetitions, .work = once, .context = &work};
        code = bench_repeat(&plan, result);
    }
    free(work.records);
    return code;
}

cli_exit crowds_run(bench_run *run, const bench_case *which, bench_result *result) {
    crowd_setup setup = {0};
    const bench_kind kind = which->group->kind;
    cli_exit code = crowd_scene_make(which->crowd, run->device.engine, which->agents, &setup);
    result->bytes_per_sample = setup.record_bytes;
    result->samples = 0;
    for (size_t i = 0; i < setup.agents && code == CLI_DONE; i++)
        result->samples += crowd_updated(&setup, i) ? setup.records : 0;
    if (code == CLI_DONE) {
        roofline_set_work(work_of_crowd(which->crowd, &setup), result);
        setup.job.on_reference =
            kind == BENCH_CROWD_HOST && which->group->scene != SCENE_STATE_CALL;
        code = kind == BENCH_CROWD ? run_device(run, which, &setup, result)
               : kind == BENCH_CROWD_BASELINE
                   ? run_baseline(run, which, &setup, result)
                   : run_host(run, &setup, kind == BENCH_CROWD_ONE, result);
    }
    crowd_setup_destroy(&setup);
    return code;
}
