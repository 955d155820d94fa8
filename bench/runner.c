/* SPDX-License-Identifier: MIT
 *
 * One case after another. Baselines are measured once, when the first case needs them,
 * whether or not they were asked for themselves; ceilings beside every case.
 */
#include "runner.h"

#include "baseline.h"
#include "check.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_BYTES = 16 };

cli_exit bench_run_open(bench_run *run, pm_engine *engine, size_t samples, bool quick) {
    memset(run, 0, sizeof *run);
    cli_exit code = scenes_create(&run->scenes, engine, samples);
    if (code == CLI_DONE) {
        size_t values = 4 * run->scenes.segments * SCENE_TRACKS;
        code = device_open(&run->device, engine, values * SAMPLE_BYTES);
    }
    run->pacing = pacing_of(quick, run->device.info.type);
    if (code != CLI_DONE) {
        bench_run_close(run);
    }
    return code;
}

void bench_run_close(bench_run *run) {
    device_close(&run->device);
    scenes_destroy(&run->scenes);
}

/* ---- ceilings ------------------------------------------------------------------ */

typedef struct fill_work {
    bench_device *device;
    size_t bytes;
} fill_work;

static cli_exit fill_once(void *context, double *seconds) {
    const fill_work *work = context;
    return device_fill(work->device, work->bytes, seconds);
}

static cli_exit copy_once(void *context, double *seconds) {
    const fill_work *work = context;
    return device_copy(work->device, work->bytes, seconds);
}

static cli_exit run_fill(bench_run *run, bench_result *result) {
    fill_work work = {&run->device, run->device.bytes};
    result->samples = run->device.bytes / SAMPLE_BYTES;
    result->ceiling_share = 1.0;
    return bench_repeat(&run->pacing, fill_once, &work, NULL, result);
}

/* Repeats any work but the fill itself, with a fill of the same bytes between. */
static cli_exit measure(bench_run *run, size_t warm_ups, bench_work work, void *context,
                        bench_result *result) {
    fill_work fill = {&run->device, result->samples * SAMPLE_BYTES};
    bench_ceiling ceiling = {fill_once, &fill, 0.0};
    const bench_pacing pacing = {warm_ups, run->pacing.least, run->pacing.seconds};
    cli_exit code = bench_repeat(&pacing, work, context, &ceiling, result);
    if (code == CLI_DONE) {
        result->ceiling_share = ceiling.seconds_median / result->seconds_median;
    }
    return code;
}

static cli_exit run_copy(bench_run *run, bench_result *result) {
    fill_work work = {&run->device, run->device.bytes};
    result->samples = run->device.bytes / SAMPLE_BYTES;
    result->bytes_per_sample = 2 * SAMPLE_BYTES;
    return measure(run, run->pacing.warm_ups, copy_once, &work, result);
}

/* ---- baselines ----------------------------------------------------------------- */

typedef struct baseline_work {
    const baseline *rival;
    float *out;
} baseline_work;

static cli_exit baseline_once(void *context, double *seconds) {
    const baseline_work *work = context;
    double begun = progress_clock();
    if (!baseline_run(work->rival, work->out)) {
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "no thread could be started");
    }
    *seconds = progress_clock() - begun;
    return CLI_DONE;
}

static cli_exit check_against(bench_run *run, bench_scene scene, pm_method method, check_read read,
                              void *context, bench_result *result) {
    pm_clip *clip = NULL;
    bool owned = false;
    size_t values;
    pm_sample_job job = scenes_job(&run->scenes, scene, &values);
    cli_exit code = scenes_clip(&run->scenes, scene, method, &clip, &owned);
    if (code == CLI_DONE) {
        code = check_results(clip, &job, read, context, result);
    }
    if (owned) {
        pm_clip_destroy(&clip);
    }
    return code;
}

static cli_exit run_baseline(bench_run *run, pm_method method, bench_result *result) {
    const scenes *s = &run->scenes;
    baseline *rival = baseline_create(method, s->rotations, s->segments + 1);
    float *out = malloc(run->device.bytes);
    baseline_work work = {rival, out};
    cli_exit code = CLI_DONE;
    result->samples = run->device.bytes / SAMPLE_BYTES;
    result->bytes_per_sample = SAMPLE_BYTES;
    if (rival == NULL || out == NULL) {
        code = cli_fail(CLI_DEVICE_FAILED, "bench", "ask for less with --samples", "out of memory");
        goto cleanup;
    }
    memset(out, 0xff, run->device.bytes);
    code = measure(run, run->pacing.warm_ups, baseline_once, &work, result);
    if (code == CLI_DONE) {
        code = check_against(run, SCENE_UPSAMPLE_4, method, check_read_host, out, result);
    }
    run->baseline_rates[method] = result->samples_per_s;
cleanup:
    free(out);
    baseline_destroy(&rival);
    return code;
}

/* ---- jobs ---------------------------------------------------------------------- */

typedef struct job_work {
    bench_device *device;
    const pm_clip *clip;
    pm_sample_job job;
    bench_clock clock;
} job_work;

static cli_exit job_once(void *context, double *seconds) {
    const job_work *work = context;
    return device_job(work->device, work->clip, &work->job, work->clock, seconds);
}

/* Poisoned, run once, which is its first warm-up, checked, and only then timed. */
static cli_exit run_job(bench_run *run, const bench_case *which, bench_result *result) {
    pm_clip *clip = NULL;
    bool owned = false;
    job_work work = {.device = &run->device, .clock = which->group->clock};
    double once;
    work.job = scenes_job(&run->scenes, which->group->scene, &result->samples);
    cli_exit code = scenes_clip(&run->scenes, which->group->scene, which->method, &clip, &owned);
    work.clip = clip;
    if (code == CLI_DONE) {
        code = device_poison(&run->device);
    }
    if (code == CLI_DONE) {
        code = job_once(&work, &once);
    }
    if (code == CLI_DONE) {
        code = check_results(clip, &work.job, check_read_device, &run->device, result);
    }
    if (code == CLI_DONE) {
        code = measure(run, run->pacing.warm_ups - 1, job_once, &work, result);
    }
    if (owned) {
        pm_clip_destroy(&clip);
    }
    return code;
}

static cli_exit host_once(void *context, double *seconds) {
    const job_work *work = context;
    pm_error error = {0};
    double begun = progress_clock();
    if (pm_sample(work->clip, &work->job, &error) != PM_OK) {
        return cli_fail_error("bench", &error);
    }
    *seconds = progress_clock() - begun;
    return CLI_DONE;
}

static cli_exit run_end_to_end(bench_run *run, const bench_case *which, bench_result *result) {
    pm_clip *clip = NULL;
    bool owned = false;
    job_work work = {.device = &run->device, .clock = CLOCK_WALL};
    work.job = scenes_job(&run->scenes, which->group->scene, &result->samples);
    cli_exit code = scenes_clip(&run->scenes, which->group->scene, which->method, &clip, &owned);
    float *out = malloc(result->samples * SAMPLE_BYTES);
    work.clip = clip;
    work.job.rotations = out;
    if (code == CLI_DONE && out == NULL) {
        code = cli_fail(CLI_DEVICE_FAILED, "bench", "ask for less with --samples", "out of memory");
    }
    if (code == CLI_DONE) {
        memset(out, 0xff, result->samples * SAMPLE_BYTES);
        code = measure(run, run->pacing.warm_ups, host_once, &work, result);
    }
    work.job.rotations = NULL;
    if (code == CLI_DONE) {
        code = check_results(clip, &work.job, check_read_host, out, result);
    }
    free(out);
    if (owned) {
        pm_clip_destroy(&clip);
    }
    return code;
}

static cli_exit obvious_once(void *context, double *seconds) {
    return device_obvious(context, seconds);
}

static cli_exit run_obvious(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    result->samples = run->device.bytes / SAMPLE_BYTES;
    cli_exit code =
        device_set_keys(&run->device, s->rotations, s->segments + 1, (size_t)SCENE_TRACKS);
    if (code == CLI_DONE) {
        code = device_poison(&run->device);
    }
    if (code == CLI_DONE) {
        code = measure(run, run->pacing.warm_ups, obvious_once, &run->device, result);
    }
    if (code == CLI_DONE) {
        code = check_against(run, which->group->scene, which->method, check_read_device,
                             &run->device, result);
    }
    return code;
}

/* ---- cases --------------------------------------------------------------------- */

static cli_exit run_kind(bench_run *run, const bench_case *which, bench_result *result) {
    switch (which->group->kind) {
    case BENCH_FILL:
        return run_fill(run, result);
    case BENCH_COPY:
        return run_copy(run, result);
    case BENCH_BASELINE:
        return run_baseline(run, which->method, result);
    case BENCH_OBVIOUS:
        return run_obvious(run, which, result);
    case BENCH_END_TO_END:
        return run_end_to_end(run, which, result);
    case BENCH_JOB:
    case BENCH_COLD:
    case BENCH_WARM:
        break;
    }
    return run_job(run, which, result);
}

/* The ratio to the baseline of the same method. */
static cli_exit relate(bench_run *run, const bench_case *which, bench_result *result) {
    cli_exit code = CLI_DONE;
    if (which->group->what != NULL || !baseline_has(which->method)) {
        return code;
    }
    if (run->baseline_rates[which->method] <= 0.0) {
        bench_result unused = {.samples = 0};
        code = run_baseline(run, which->method, &unused);
    }
    result->baseline_ratio = result->samples_per_s / run->baseline_rates[which->method];
    return code;
}

cli_exit bench_run_case(bench_run *run, const bench_case *which, bench_result *result) {
    *result = (bench_result){
        .bytes_per_sample = SAMPLE_BYTES,
        .ceiling_share = (double)NAN,
        .baseline_ratio = (double)NAN,
        .max_error_rad = (double)NAN,
    };
    memcpy(result->name, which->name, sizeof result->name);
    cli_exit code = run_kind(run, which, result);
    if (code == CLI_DONE) {
        code = relate(run, which, result);
    }
    bool ours = which->group->kind == BENCH_JOB || which->group->kind == BENCH_END_TO_END;
    double bound = 2.0 * pm_method_describe(which->method)->max_error;
    result->wrong = ours && !(result->max_error_rad <= bound);
    return code;
}
