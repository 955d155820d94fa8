/* SPDX-License-Identifier: MIT
 *
 * One crowd after another. Its results lie in an output of their own, which is filled, as a
 * ceiling, the way that is fastest for as many bytes.
 */
#include "crowds.h"

#include "crowd_check.h"
#include "files/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fills store so many bytes at once, at most, one after another. */
enum { FILL_BYTES = 2048 };

/* Frames, and calls, that are timed together at most: a driver need not take any number of
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
        code = device_open(&crowds->device, run->device.engine,
                           (bytes + FILL_BYTES - 1) / FILL_BYTES * FILL_BYTES);
        crowds->bytes = code == CLI_DONE ? bytes : 0;
    }
    return code;
}

/* Those of halves differ by their last place, of numbers below 4. The others add up, over the
 * joints of a chain, what two roundings of its rotations differ by. */
double crowds_bound(const crowd_scene *scene) {
    return crowd_output_is_half(scene->output) ? 0x1p-9 : 1e-5;
}

/* ---- the ceiling --------------------------------------------------------------- */

cli_exit crowds_run_fill(bench_run *run, bench_result *result) {
    const crowd_scene palette = {.output = PM_CROWD_PALETTE};
    bench_fill work = {&run->crowds.device, 0, 1, CLOCK_KERNEL};
    result->samples = CROWD_JOINTS * crowd_scene_agents(&palette, run->crowd_bytes);
    result->bytes_per_sample = pm_crowd_record_bytes(palette.output);
    result->ceiling_share = 1.0;
    work.bytes = result->samples * result->bytes_per_sample;
    cli_exit code = open_output(run, work.bytes);
    if (code == CLI_DONE) {
        code = device_choose_fill(work.device, work.bytes);
    }
    return code == CLI_DONE ? bench_repeat(&run->pacing, bench_fill_once, &work, NULL, 0, result)
                            : code;
}

/* ---- on the device ------------------------------------------------------------- */

typedef struct pose_work {
    bench_device *device;
    const crowd_made *made;
    size_t count; /* of frames, one behind another */
} pose_work;

static cli_exit pose_once(void *context, double *seconds) {
    const pose_work *work = context;
    return device_crowd(work->device, work->made->crowd, work->made->output, work->count, seconds);
}

/* A renderer has frames in flight; between those of a queue that runs dry, a small crowd would
 * tell how long threads take to wake up. */
static cli_exit measure(bench_run *run, pose_work *work, bench_result *result) {
    const double min = 0.01;
    bench_fill fill = {work->device, result->samples * result->bytes_per_sample, 1, CLOCK_KERNEL};
    bench_yardstick ceiling = {bench_fill_once, &fill, 0.0};
    /* The run that was checked has warmed up once. */
    const bench_pacing pacing = {run->pacing.warm_ups - 1, run->pacing.min, run->pacing.seconds};
    cli_exit code = device_choose_fill(fill.device, fill.bytes);
    if (code == CLI_DONE && !work->made->waits) {
        code = bench_choose_count(pose_once, work, min, FRAMES_MAX, &work->count);
    }
    fill.count = work->count;
    if (code == CLI_DONE) {
        code = bench_repeat(&pacing, pose_once, work, &ceiling, 1, result);
    }
    if (code == CLI_DONE) {
        result->ceiling_share = ceiling.seconds_median / result->seconds_median;
    }
    return code;
}

/* Poisoned, posed, checked, and only then timed. */
static cli_exit run_device(bench_run *run, const crowd_made *made, bench_result *result) {
    pose_work work = {&run->crowds.device, made, 1};
    double once;
    cli_exit code = open_output(run, made->agents * made->joints * made->record_bytes);
    if (code == CLI_DONE) {
        code = device_set_instances(work.device, made->instances, made->agents);
    }
    if (code == CLI_DONE) {
        code = device_poison(work.device);
    }
    if (code == CLI_DONE) {
        code = pose_once(&work, &once);
    }
    if (code == CLI_DONE) {
        code = crowd_check(made, check_read_device, work.device, result);
    }
    return code == CLI_DONE ? measure(run, &work, result) : code;
}

/* ---- on the host --------------------------------------------------------------- */

typedef struct host_work {
    const crowd_made *made;
    float *records;
    size_t calls; /* of pm_crowd_pose_one, in one timing */
} host_work;

static cli_exit host_once(void *context, double *seconds) {
    const host_work *work = context;
    const crowd_made *made = work->made;
    pm_crowd_job job = {
        .instances = made->instances, .instance_count = made->agents, .on_reference = true};
    pm_error error = {0};
    job.outputs[made->output].memory = work->records;
    double begun = progress_clock();
    if (pm_crowd_pose(made->crowd, &job, &error) != PM_OK) {
        return cli_fail_error("bench", &error);
    }
    *seconds = progress_clock() - begun;
    return CLI_DONE;
}

static cli_exit one_once(void *context, double *seconds) {
    const host_work *work = context;
    const crowd_made *made = work->made;
    pm_error error = {0};
    double begun = progress_clock();
    for (size_t i = 0; i < work->calls; i++) {
        if (pm_crowd_pose_one(made->crowd, made->instances, made->output, work->records, &error) !=
            PM_OK) {
            return cli_fail_error("bench", &error);
        }
    }
    *seconds = (progress_clock() - begun) / (double)work->calls;
    return CLI_DONE;
}

static cli_exit check_host(const host_work *work, bool one, bench_result *result) {
    return one ? crowd_check_one(work->made, work->records, result)
               : crowd_check(work->made, check_read_host, work->records, result);
}

static cli_exit run_host(bench_run *run, const crowd_made *made, bool one, bench_result *result) {
    const size_t bytes = made->agents * made->joints * made->record_bytes;
    const bench_work once = one ? one_once : host_once;
    host_work work = {made, bytes > 0 ? malloc(bytes) : NULL, 1};
    double seconds;
    if (work.records == NULL) {
        return cli_fail(CLI_DEVICE_FAILED, "bench", "ask for less with --samples", "out of memory");
    }
    memset(work.records, 0xff, bytes);
    cli_exit code = once(&work, &seconds);
    if (code == CLI_DONE) {
        code = check_host(&work, one, result);
    }
    if (code == CLI_DONE && one) {
        code = bench_choose_count(once, &work, 1e-3, CALLS_MAX, &work.calls);
    }
    if (code == CLI_DONE) {
        code = bench_repeat(&run->pacing, once, &work, NULL, 0, result);
    }
    free(work.records);
    return code;
}

cli_exit crowds_run(bench_run *run, const bench_case *which, bench_result *result) {
    crowd_made made = {0};
    const bench_kind kind = which->group->kind;
    cli_exit code = crowd_scene_make(which->crowd, run->device.engine, which->agents, &made);
    result->bytes_per_sample = made.record_bytes;
    result->samples = 0;
    for (size_t i = 0; i < made.agents && code == CLI_DONE; i++) {
        result->samples += crowd_updated(&made, i) ? made.joints : 0;
    }
    if (code == CLI_DONE) {
        code = kind == BENCH_CROWD ? run_device(run, &made, result)
                                   : run_host(run, &made, kind == BENCH_CROWD_ONE, result);
    }
    crowd_made_destroy(&made);
    return code;
}
