/* SPDX-License-Identifier: MIT
 *
 * Cases that sample the tracks of a scene, on a device, on the host or by the baseline, and cases that build
 * clips. Each poisons its output, computes it once, checks it, and is measured then.
 */
#include "baseline.h"
#include "check.h"
#include "files/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_BYTES = 16 };

typedef struct sample_work {
    bench_run *run;
    pm_timeline timeline;
    pm_clip_desc desc;
    const pm_clip *clip; /* of the scene; NULL: a filter is sampled */
    pm_filter *filter;
    pm_sample_job job;
    bench_clock clock;
    char *memory; /* of `out`; NULL: the results are those of the device */
    float *out;
    const baseline *base; /* what computes them, in C */
    bool is_oneshot;      /* from keys to samples in one call */
} sample_work;

/* ---- what is measured ---------------------------------------------------------- */

static cli_exit device_once(void *context, double *seconds) {
    const sample_work *w = context;
    bench_device *device = &w->run->device;
    return device->verbs->sample(device, w->clip, &w->job, w->clock, 1, seconds);
}

static cli_exit host_once(void *context, double *seconds) {
    const sample_work *w = context;
    pm_error error = {0};
    pm_sample_job job = w->job;
    job.rotations = w->out;
    const double begun = progress_clock();
    const pm_status status = w->is_oneshot ? pm_resample(&w->desc, &job, &error)
                             : w->filter   ? pm_filter_sample(w->filter, &job, &error)
                                           : pm_sample(w->clip, &job, &error);
    *seconds = progress_clock() - begun;
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit clip_once(void *context, double *seconds) {
    const sample_work *w = context;
    pm_clip *clip = NULL;
    pm_error error = {0};
    const double begun = progress_clock();
    const pm_status status = pm_clip_create(w->run->device.engine, &w->desc, &clip, &error);
    *seconds = progress_clock() - begun;
    if (status != PM_OK)
        return cli_fail_error("bench", &error);
    pm_clip_destroy(&clip);
    return CLI_DONE;
}

static cli_exit baseline_once(void *context, double *seconds) {
    const sample_work *w = context;
    *seconds = baseline_run(w->base, w->out);
    return CLI_DONE;
}

static cli_exit obvious_once(void *context, double *seconds) {
    const sample_work *w = context;
    return w->run->device.verbs->obvious(&w->run->device, SCENE_TRACKS, seconds);
}

/* ---- beginning and ending ------------------------------------------------------ */

/* The job of a scene and a clip for it, which checks results that others compute, too. */
static cli_exit begin(bench_run *run, scenes *s, const bench_case *which, bench_result *result,
                      sample_work *w) {
    *w = (sample_work){
        .run = run, .job = scenes_job(s, which->scene, &result->samples), .clock = which->clock};
    w->desc = scenes_describe(s, which->scene, which->method, &w->timeline);
    bench_set_work(work_of_job(s, which->scene, which->method, w->job.sample_count), result);
    result->error_bound = 2.0 * pm_method_get_info(which->method)->max_error;
    return scenes_clip(s, which->scene, which->method, &w->clip);
}

/* Results in host memory that begins `offset` bytes behind that of a cache line. */
static cli_exit open_host(sample_work *w, size_t samples, size_t offset) {
    w->memory = baseline_memory(samples * SAMPLE_BYTES + offset);
    w->out = w->memory ? (float *)(void *)(w->memory + offset) : NULL;
    return w->memory ? CLI_DONE : bench_out_of_memory();
}

static void end(sample_work *w) {
    pm_filter_destroy(&w->filter);
    free(w->memory);
}

/* Creates the baseline of a method that has one, and its output. */
static cli_exit prepare_baseline(bench_run *run, pm_method method, sample_work *w) {
    const scenes *s = &run->scenes;
    baseline **base = &run->baselines[method];
    if (!run->baseline_out)
        run->baseline_out = baseline_memory(run->samples * SAMPLE_BYTES);
    if (!*base)
        *base = baseline_create(run->pool, method, s->rotations, s->segments + 1);
    w->base = *base;
    w->out = run->baseline_out;
    return *base && run->baseline_out ? CLI_DONE : bench_out_of_memory();
}

static cli_exit poison(const sample_work *w, size_t bytes) {
    bench_device *device = &w->run->device;
    if (!w->out) {
        const cli_exit code = device->verbs->reserve(device, bytes);
        return code == CLI_DONE ? device->verbs->poison(device, bytes) : code;
    }
    memset(w->out, 0xff, bytes);
    return CLI_DONE;
}

/* `method`: that of the baseline; none: PM_METHOD_COUNT. */
static cli_exit measure(sample_work *w, bench_work once, int method, bench_result *result) {
    bench_run *run = w->run;
    bench_plan plan = bench_plan_of(run, once, w);
    sample_work base = {.run = run};
    cli_exit code = CLI_DONE;
    if (method < PM_METHOD_COUNT && baseline_has((pm_method)method)) {
        code = prepare_baseline(run, (pm_method)method, &base);
        bench_plan_compare(&plan, ROLE_BASELINE, baseline_once, &base,
                           (double)result->samples / (double)run->samples);
    }
    return code == CLI_DONE ? bench_measure(run, &plan, CLOCK_KERNEL, 1, result) : code;
}

static cli_exit check_and_measure(sample_work *w, bench_work once, int method,
                                  bench_result *result) {
    const check_output output = {&w->run->device, w->out};
    double seconds;
    cli_exit code = poison(w, result->samples * SAMPLE_BYTES);
    if (code == CLI_DONE)
        code = once(w, &seconds);
    if (code == CLI_DONE)
        code = check_samples(w->clip, w->filter, &w->job, output, result);
    return code == CLI_DONE ? measure(w, once, method, result) : code;
}

/* ---- jobs ---------------------------------------------------------------------- */

size_t samples_largest(size_t samples, const pm_device_info *info) {
    size_t wanted = samples <= SIZE_MAX / 8 ? 4 * samples : samples;
    if (info->type != PM_DEVICE_REFERENCE) {
        uint64_t buffer = info->max_allocation_bytes / SAMPLE_BYTES;
        uint64_t share = info->memory_bytes / 4 / SAMPLE_BYTES;
        uint64_t granted = buffer < share ? buffer : share;
        wanted = granted < wanted ? (size_t)granted : wanted;
    }
    size_t largest = SCENE_TRACKS;
    while (largest <= wanted / 2)
        largest *= 2;
    return largest;
}

cli_exit samples_run(bench_run *run, const bench_case *which, bench_result *result) {
    sample_work w;
    const cli_exit code = begin(run, &run->scenes, which, result, &w);
    return code == CLI_DONE ? check_and_measure(&w, device_once, (int)which->method, result) : code;
}

static cli_exit run_into(bench_run *run, scenes *s, const bench_case *which, size_t offset,
                         bench_result *result) {
    sample_work w;
    cli_exit code = begin(run, s, which, result, &w);
    if (code == CLI_DONE)
        code = open_host(&w, result->samples, offset);
    if (code == CLI_DONE)
        code = check_and_measure(&w, host_once, (int)which->method, result);
    end(&w);
    return code;
}

cli_exit samples_run_to_host(bench_run *run, const bench_case *which, bench_result *result) {
    return run_into(run, &run->scenes, which, 16, result);
}

/* The least that must be moved: the keys of the description, and the results. */
cli_exit samples_run_oneshot(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    sample_work w;
    cli_exit code = begin(run, &run->scenes, which, result, &w);
    w.is_oneshot = true;
    result->bytes_read = (s->segments + 1) * s->tracks * (uint64_t)SAMPLE_BYTES;
    if (code == CLI_DONE)
        code = open_host(&w, result->samples, 0);
    if (code == CLI_DONE)
        code = check_and_measure(&w, host_once, (int)which->method, result);
    end(&w);
    return code;
}

/* ---- clips --------------------------------------------------------------------- */

cli_exit samples_run_clip(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    sample_work w = {.run = run};
    const bench_plan plan = bench_plan_of(run, clip_once, &w);
    w.desc = scenes_describe(s, which->scene, which->method, &w.timeline);
    result->samples = s->segments * s->tracks;
    result->bytes_per_sample =
        sizeof(float) * pm_method_get_info(which->method)->floats_per_segment;
    return bench_repeat(&plan, result);
}

/* ---- what the library is compared with ----------------------------------------- */

/* Begins a case that the library does not compute. */
static cli_exit begin_other(bench_run *run, const bench_case *which, bench_result *result,
                            sample_work *w) {
    const cli_exit code = begin(run, &run->scenes, which, result, w);
    bench_set_work(work_of_baseline(&run->scenes, which->method), result);
    result->error_bound = (double)NAN;
    return code;
}

/* Without a comparison: its ratio is 1. */
cli_exit samples_run_baseline(bench_run *run, const bench_case *which, bench_result *result) {
    sample_work w;
    cli_exit code = begin_other(run, which, result, &w);
    result->baseline_ratio = 1.0;
    if (code == CLI_DONE)
        code = prepare_baseline(run, which->method, &w);
    return code == CLI_DONE ? check_and_measure(&w, baseline_once, PM_METHOD_COUNT, result) : code;
}

cli_exit samples_run_obvious(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    sample_work w;
    cli_exit code = begin_other(run, which, result, &w);
    if (code == CLI_DONE)
        code = run->device.verbs->set_keys(&run->device, s->rotations, s->segments + 1, s->tracks);
    return code == CLI_DONE ? check_and_measure(&w, obvious_once, (int)which->method, result)
                            : code;
}

/* ---- the table ----------------------------------------------------------------- */

typedef struct sample_row {
    const char *name;
    bench_runner *run;
    bench_scene scene;
    pm_method method;
    size_t tracks, offset; /* of layouts: bytes behind the begin of a cache line */
} sample_row;

/* Scenes of their own for the number of tracks. */
static cli_exit run_layout(bench_run *run, const bench_case *which, bench_result *result) {
    const sample_row *row = which->row;
    scenes s;
    cli_exit code = scenes_create(&s, run->device.engine, run->samples, row->tracks, false);
    if (code == CLI_DONE)
        code = run_into(run, &s, which, row->offset, result);
    scenes_destroy(&s);
    return code;
}

/* The cut-off in cycles per key is 0.45 of a lower rate, else the one of 32 weights: a sample has five
 * periods of the cut-off on each side. The bound is of both paths from each other: twice what test_filter
 * allows against the oracle. */
static cli_exit run_lowpass(bench_run *run, const bench_case *which, bench_result *result) {
    const double cutoff = which->scene == SCENE_DOWNSAMPLE_4 ? 0.45 / 4 : 10.0 / 32;
    const size_t weights = 2 * (size_t)ceil(5 / cutoff);
    sample_work w;
    pm_error error = {0};
    cli_exit code = begin(run, &run->scenes, which, result, &w);
    bench_set_work(work_of_lowpass(&run->scenes, w.job.sample_count, weights), result);
    result->error_bound = 2 * 5e-7;
    w.clip = NULL;
    if (code == CLI_DONE && pm_filter_create(run->device.engine, &w.desc, cutoff * SCENE_KEY_RATE,
                                             &w.filter, &error) != PM_OK)
        code = cli_fail_error("bench", &error);
    if (code == CLI_DONE)
        code = open_host(&w, result->samples, 0);
    if (code == CLI_DONE)
        code = check_and_measure(&w, host_once, PM_METHOD_COUNT, result);
    end(&w);
    return code;
}

#define LAYOUT(what, tracks, offset, method)                                                       \
    { "layout/" what, run_layout, SCENE_UPSAMPLE_4, PM_METHOD_##method, tracks, offset }

static const sample_row rows[] = {
    {.name = "ceiling/fill", .run = bench_run_fill},
    {.name = "ceiling/stores", .run = bench_run_stores},
    {.name = "ceiling/copy", .run = bench_run_copy},
    {.name = "ceiling/arithmetic", .run = bench_run_arithmetic},
    {.name = "ceiling/palette-fill", .run = bench_run_palette_fill},
    {.name = "lowpass/taps-32", .run = run_lowpass, .scene = SCENE_UPSAMPLE_2},
    {.name = "lowpass/down-4", .run = run_lowpass, .scene = SCENE_DOWNSAMPLE_4},
    LAYOUT("offset-0", 64, 0, SLERP),
    LAYOUT("offset-4", 64, 4, SLERP),
    LAYOUT("offset-8", 64, 8, SLERP),
    LAYOUT("offset-12", 64, 12, SLERP),
    LAYOUT("offset-16", 64, 16, SLERP),
    LAYOUT("offset-20", 64, 20, SLERP),
    LAYOUT("squad-offset-0", 64, 0, SQUAD),
    LAYOUT("squad-offset-4", 64, 4, SQUAD),
    LAYOUT("tracks-16", 16, 0, SLERP),
    LAYOUT("tracks-16-offset-4", 16, 4, SLERP),
    LAYOUT("tracks-4", 4, 0, SLERP),
    LAYOUT("tracks-1", 1, 0, SLERP),
};

static bool has_row(const void *row, bool opencl, const bench_limits *limits, bool asked) {
    const sample_row *r = row;
    (void)limits, (void)asked;
    return opencl || r->run != bench_run_stores;
}

static cli_exit run_row(bench_run *run, const bench_case *which, bench_result *result) {
    const sample_row *row = which->row;
    bench_case one = *which;
    one.scene = row->scene;
    one.method = row->method;
    return row->run(run, &one, result);
}

case_table samples_table(void) {
    return (case_table){run_row, BENCH_ROWS(rows), has_row};
}
