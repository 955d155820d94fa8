/* SPDX-License-Identifier: MIT
 *
 * Cases that pose a crowd, each compared with a fill of the same size. Each poisons its output, poses,
 * checks the results, and is measured then.
 */
#include "baseline.h"
#include "check.h"
#include "files/progress.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of frames or calls that are timed together: a driver need not accept any number of
 * commands while none of them may run yet. */
enum { FRAMES_MAX = 256, CALLS_MAX = 65536 };

typedef struct crowd_work {
    bench_device *device;
    const crowd_scene *scene;
    const crowd_setup *setup;
    float *records; /* of the host; NULL: in the output of the device */
    baseline_crowd *base;
    size_t count; /* of frames, queued one after another, or of calls in one measurement */
} crowd_work;

/* ---- what is measured ---------------------------------------------------------- */

static cli_exit baseline_once(void *context, double *seconds) {
    const crowd_work *work = context;
    *seconds = baseline_crowd_run(work->base);
    return CLI_DONE;
}

static cli_exit device_once(void *context, double *seconds) {
    const crowd_work *work = context;
    const crowd_setup *setup = work->setup;
    return work->device->verbs->pose(work->device, setup->crowd, setup->targets,
                                     setup->target_count, work->count, seconds);
}

static cli_exit host_once(void *context, double *seconds) {
    const crowd_work *work = context;
    const crowd_setup *setup = work->setup;
    pm_crowd_job job = setup->job;
    pm_crowd_target targets[CROWD_TARGETS];
    pm_error error = {0};
    device_targets_at(setup->targets, setup->target_count, work->records, targets);
    job.on_reference = work->scene->way == CROWD_HOST;
    job.outputs = targets;
    job.output_count = setup->target_count;
    const double begun = progress_clock();
    const pm_status status = pm_crowd_pose(setup->crowd, &job, &error);
    *seconds = progress_clock() - begun;
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit one_once(void *context, double *seconds) {
    const crowd_work *work = context;
    const crowd_setup *setup = work->setup;
    const int64_t frame = work->scene->plays ? pm_crowd_ticks(1.0 / 60.0) : 0;
    pm_crowd_instance instance = setup->instances[0];
    pm_error error = {0};
    const double begun = progress_clock();
    for (size_t i = 0; i < work->count; i++) {
        if (pm_crowd_pose_one(
                setup->crowd,
                &(pm_crowd_one){.instance = &instance, .output = setup->targets[0].output},
                work->records, &error) != PM_OK)
            return cli_fail_error("bench", &error);
        instance.time_a += frame;
    }
    *seconds = (progress_clock() - begun) / (double)work->count;
    return CLI_DONE;
}

/* ---- cases --------------------------------------------------------------------- */

/* The output, and what is posed into it. Fills store whole units. */
static cli_exit open_work(const bench_run *run, size_t bytes, crowd_work *work) {
    const crowd_scene *scene = work->scene;
    const size_t unit = 2048;
    bench_device *device = work->device;
    pm_crowd_info info;
    cli_exit code = device->verbs->reserve(device, (bytes + unit - 1) / unit * unit);
    if (scene->way == CROWD_BASELINE || scene->is_compared) {
        work->base = baseline_crowd_create(run->pool, scene, work->setup);
        if (!work->base)
            return bench_out_of_memory();
    }
    if (scene->way == CROWD_BASELINE)
        work->records = baseline_crowd_records(work->base);
    else if (scene->way != CROWD_DEVICE && !(work->records = malloc(bytes)))
        return bench_out_of_memory();
    if (work->records) {
        memset(work->records, 0xff, bytes);
        return code;
    }
    pm_crowd_get_info(work->setup->crowd, &info);
    if (code == CLI_DONE)
        code = device->verbs->set_crowd(device, &work->setup->job, &info);
    return code == CLI_DONE ? device->verbs->poison(device, bytes) : code;
}

/* Whether results go to memory of the host, as callers of the library have them. */
static bool is_call(crowd_way way) {
    return way == CROWD_HOST || way == CROWD_CALL || way == CROWD_ONE;
}

/* A renderer has several frames in flight. If the queue ran dry between frames, a small crowd would
 * measure the wake-up time of threads. */
static cli_exit measure(bench_run *run, crowd_work *work, bench_work once, bench_result *result) {
    const crowd_way way = work->scene->way;
    bench_plan plan = bench_plan_of(run, once, work);
    cli_exit code = CLI_DONE;
    if (way == CROWD_DEVICE && !work->scene->waits)
        code = bench_choose_count(once, work, 0.01, FRAMES_MAX, &work->count);
    else if (way == CROWD_ONE)
        code = bench_choose_count(once, work, 1e-3, CALLS_MAX, &work->count);
    if (code != CLI_DONE)
        return code;
    if (work->scene->is_compared)
        bench_plan_compare(&plan, ROLE_BASELINE, baseline_once, work, 1.0);
    return is_call(way) ? bench_repeat(&plan, result)
                        : bench_measure(run, &plan, CLOCK_KERNEL, work->count, result);
}

static cli_exit run_work(bench_run *run, crowd_work *work, bench_result *result) {
    static const bench_work ways[] = {[CROWD_DEVICE] = device_once,
                                      [CROWD_HOST] = host_once,
                                      [CROWD_CALL] = host_once,
                                      [CROWD_ONE] = one_once,
                                      [CROWD_BASELINE] = baseline_once};
    const crowd_setup *setup = work->setup;
    const bench_work once = ways[work->scene->way];
    double seconds;
    cli_exit code = open_work(run, setup->agents * setup->records * setup->record_bytes, work);
    if (code == CLI_DONE)
        code = once(work, &seconds);
    if (code == CLI_DONE)
        code = check_crowd(setup, work->scene->way == CROWD_ONE,
                           (check_output){work->device, work->records}, result);
    return code == CLI_DONE ? measure(run, work, once, result) : code;
}

/* Halves differ by their last place, for numbers below 4. For the others the difference of two
 * roundings of a rotation accumulates over the joints of a chain; angular velocities are these
 * differences at up to 60 keys per second, and velocities the former times a reach of some metres. */
static double bound_of(const crowd_scene *scene) {
    return scene->states ? 1e-3 : crowd_output_is_half(scene->output) ? 0x1p-9 : 1e-5;
}

static cli_exit run_crowd(bench_run *run, const bench_case *which, bench_result *result) {
    const crowd_scene *scene = which->row;
    crowd_setup setup = {0};
    crowd_work work = {.device = &run->device, .scene = scene, .setup = &setup, .count = 1};
    cli_exit code = crowd_scene_make(scene, run->device.engine,
                                     crowd_scene_agents(scene, run->limits.crowd_bytes), &setup);
    result->bytes_per_sample = setup.record_bytes;
    result->error_bound = bound_of(scene);
    if (scene->way == CROWD_BASELINE)
        result->baseline_ratio = 1.0;
    for (size_t i = 0; i < setup.agents && code == CLI_DONE; i++)
        result->samples += crowd_updated(&setup, i) ? setup.records : 0;
    /* Operations for goals and transitions are not counted: such cases have no bound. */
    if (code == CLI_DONE && scene->goals == GOALS_NONE && !scene->changes)
        bench_set_work(work_of_crowd(scene, &setup), result);
    if (code == CLI_DONE)
        code = run_work(run, &work, result);
    baseline_crowd_destroy(&work.base);
    if (is_call(scene->way))
        free(work.records);
    crowd_setup_destroy(&setup);
    return code;
}

/* Those whose results fit; plain C beside a device. A quick run has those of few clips, and variants only if
 * they are asked for. */
static bool has_crowd(const void *row, bool opencl, const bench_limits *limits, bool asked) {
    const crowd_scene *scene = row;
    const bool is_plain = scene->is_compared || scene->way == CROWD_BASELINE;
    return (opencl || (scene->way != CROWD_HOST && scene->way != CROWD_CALL)) &&
           !(limits->quick && (scene->brief || !(asked || is_plain))) &&
           crowd_scene_agents(scene, limits->crowd_bytes) > 0;
}

case_table crowds_table(void) {
    return (case_table){run_crowd, crowd_scenes, sizeof *crowd_scenes, crowd_scene_count,
                        has_crowd};
}
