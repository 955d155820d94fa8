/* SPDX-License-Identifier: MIT
 *
 * Runs one case after another. Ceiling and baseline are measured with every case, whether or not
 * they were requested as cases.
 */
#include "runner.h"

#include "cases/batches.h"
#include "cases/check.h"
#include "cases/crowds.h"
#include "cases/files.h"
#include "cases/sizes.h"
#include "files/progress.h"
#include "host/base/counts.h"
#include "roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_BYTES = 16 };

cli_exit bench_run_open(bench_run *run, const device_options *device, pm_engine *engine,
                        size_t samples, const bench_limits *limits) {
    memset(run, 0, sizeof *run);
    run->sizes.largest = limits->largest;
    run->crowd_bytes = limits->crowd_bytes;
    run->files.samples = limits->file_samples;
    run->batch_files = limits->batch_files;
    run->device_options = device;
    run->pool = parallel_create();
    cli_exit code = run->pool
                        ? scenes_create(&run->scenes, engine, samples)
                        : cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "threads cannot be created");
    if (code == CLI_DONE) {
        size_t values = 4 * run->scenes.segments * SCENE_TRACKS;
        code = device_open(&run->device, engine, run->pool, values * SAMPLE_BYTES);
    }
    run->repetitions = repetitions_of(limits->quick, run->device.info.type);
    if (code != CLI_DONE)
        bench_run_close(run);
    return code;
}

void bench_run_close(bench_run *run) {
    for (int m = 0; m < PM_METHOD_COUNT; m++)
        baseline_destroy(&run->baselines[m]);
    free(run->baseline_out);
    run->baseline_out = NULL;
    free(run->fill_rates.rates);
    memset(&run->fill_rates, 0, sizeof run->fill_rates);
    sizes_close(&run->sizes);
    crowds_close(&run->crowds);
    files_close(&run->files);
#if POSEMILL_BATCH
    batches_close(&run->batches);
#endif
    device_close(&run->device);
    scenes_destroy(&run->scenes);
    parallel_destroy(&run->pool);
}

/* ---- comparisons --------------------------------------------------------------- */

cli_exit bench_fill_once(void *context, double *seconds) {
    const bench_fill *work = context;
    return device_fill(work->device, work->bytes, work->clock, work->count, seconds);
}

typedef struct baseline_work {
    const baseline *base;
    float *out;
} baseline_work;

static cli_exit baseline_once(void *context, double *seconds) {
    const baseline_work *work = context;
    *seconds = baseline_run(work->base, work->out);
    return CLI_DONE;
}

/* Creates the baseline of a method that has one, and its output. */
static cli_exit prepare_baseline(bench_run *run, pm_method method, baseline_work *work) {
    const scenes *s = &run->scenes;
    if (!run->baseline_out)
        run->baseline_out = baseline_memory(run->device.bytes);
    if (!run->baselines[method])
        run->baselines[method] =
            baseline_create(run->pool, method, false, s->rotations, s->segments + 1);
    *work = (baseline_work){run->baselines[method], run->baseline_out};
    if (!work->base || !work->out)
        return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    return CLI_DONE;
}

/* Keeps the rates of fills if they filled the whole output. */
static cli_exit keep_fill_rates(bench_run *run, size_t bytes, bench_role role,
                                const bench_result *result) {
    bench_fill_rates *kept = &run->fill_rates;
    const bench_times *times = &result->times;
    if (bytes != run->device.bytes)
        return CLI_DONE;
    if (kept->capacity - kept->count < times->count) {
        const size_t capacity = 2 * kept->capacity + times->count;
        double *rates = realloc(kept->rates, capacity * sizeof *rates);
        if (!rates)
            return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
        kept->rates = rates;
        kept->capacity = capacity;
    }
    for (size_t i = 0; i < times->count; i++)
        kept->rates[kept->count++] = (double)bytes / times->of[role][i];
    return CLI_DONE;
}

/* Repeats the work of a case together with a fill of the same size, the other ceilings where its work
 * is known, and the baseline of the method. */
static cli_exit measure(bench_run *run, const bench_case *which, bench_work work, void *context,
                        bench_result *result) {
    const bench_kind kind = which->group->kind;
    bool has_baseline =
        which->group->what == NULL && kind != BENCH_BASELINE && baseline_has(which->method);
    bench_roofline roofline;
    baseline_work base = {NULL, NULL};
    bench_plan plan = {.repetitions = run->repetitions,
                       .work = work,
                       .context = context,
                       .checked_after = kind == BENCH_OBVIOUS};
    cli_exit code = has_baseline ? prepare_baseline(run, which->method, &base) : CLI_DONE;
    roofline_plan(&roofline, run, &run->device, CLOCK_KERNEL, 1, result, &plan);
    if (has_baseline) {
        const double samples = (double)(run->device.bytes / SAMPLE_BYTES);
        bench_plan_compare(&plan, ROLE_BASELINE, baseline_once, &base,
                           (double)result->samples / samples);
    }
    if (code == CLI_DONE)
        code = bench_repeat(&plan, result);
    if (code == CLI_DONE)
        code = keep_fill_rates(run, roofline.fill.bytes, ROLE_CEILING, result);
    return code == CLI_DONE ? roofline_find(&roofline, result) : code;
}

/* Repeats the work of a case that is compared with nothing. */
static cli_exit repeat_alone(const bench_run *run, bench_work work, void *context,
                             bench_result *result) {
    const bench_plan plan = {.repetitions = run->repetitions, .work = work, .context = context};
    return bench_repeat(&plan, result);
}

/* ---- ceilings and baselines as cases of their own ------------------------------ */

static cli_exit copy_once(void *context, double *seconds) {
    const bench_fill *work = context;
    return device_copy(work->device, work->bytes, work->clock, work->count, seconds);
}

static void set_bytes(uint64_t read, uint64_t written, bench_result *result) {
    result->has_bytes = true;
    result->bytes_read = read;
    result->bytes_written = written;
}

static cli_exit run_fill(bench_run *run, bench_result *result) {
    bench_fill work = {&run->device, run->device.bytes, 1, CLOCK_KERNEL};
    result->samples = run->device.bytes / SAMPLE_BYTES;
    result->ceiling_share = 1.0;
    set_bytes(0, run->device.bytes, result);
    cli_exit code = repeat_alone(run, bench_fill_once, &work, result);
    return code == CLI_DONE ? keep_fill_rates(run, work.bytes, ROLE_CASE, result) : code;
}

static cli_exit stores_once(void *context, double *seconds) {
    const bench_fill *work = context;
    return device_stores(work->device, work->bytes, seconds);
}

static cli_exit run_stores(bench_run *run, const bench_case *which, bench_result *result) {
    bench_fill work = {&run->device, run->device.bytes, 1, CLOCK_KERNEL};
    result->samples = run->device.bytes / SAMPLE_BYTES;
    set_bytes(0, work.bytes, result);
    return measure(run, which, stores_once, &work, result);
}

static cli_exit run_copy(bench_run *run, const bench_case *which, bench_result *result) {
    bench_fill work = {&run->device, run->device.bytes, 1, CLOCK_KERNEL};
    result->samples = run->device.bytes / SAMPLE_BYTES;
    set_bytes(work.bytes, work.bytes, result);
    cli_exit code = measure(run, which, copy_once, &work, result);
    result->bytes_per_sample = 2 * (size_t)SAMPLE_BYTES; /* read and written */
    return code;
}

static cli_exit arithmetic_once(void *context, double *seconds) {
    bench_arithmetic *work = context;
    return device_arithmetic(work->device, seconds, &work->operations);
}

/* A sample is an operation; the first run tells how many a measurement has. */
static cli_exit run_arithmetic(bench_run *run, bench_result *result) {
    bench_arithmetic work = {&run->device, 0.0};
    double seconds;
    cli_exit code = arithmetic_once(&work, &seconds);
    result->samples = (size_t)work.operations;
    result->operations = (uint64_t)work.operations;
    result->has_operations = true;
    set_bytes(0, 0, result);
    result->bytes_per_sample = 0;
    return code == CLI_DONE ? repeat_alone(run, arithmetic_once, &work, result) : code;
}

/* Compares results of upsampling by 4 that the library did not compute with the reference path. */
static cli_exit check_against(bench_run *run, const bench_case *which, check_read read,
                              void *context, bench_result *result) {
    pm_clip *clip = NULL;
    bool owned = false;
    size_t values;
    bench_scene scene = which->group->scene;
    pm_sample_job job = scenes_job(&run->scenes, scene, &values);
    cli_exit code = scenes_clip(&run->scenes, scene, which->method, &clip, &owned);
    if (code == CLI_DONE)
        code = check_results(check_sample_clip, clip, &job, read, context, result);
    if (owned)
        pm_clip_destroy(&clip);
    return code;
}

static cli_exit run_baseline(bench_run *run, const bench_case *which, bench_result *result) {
    baseline_work work;
    roofline_set_work(work_of_baseline(&run->scenes, which->method), result);
    cli_exit code = prepare_baseline(run, which->method, &work);
    result->samples = run->device.bytes / SAMPLE_BYTES;
    result->baseline_ratio = 1.0;
    if (code == CLI_DONE) {
        memset(work.out, 0xff, run->device.bytes);
        code = measure(run, which, baseline_once, &work, result);
    }
    if (code == CLI_DONE)
        code = check_against(run, which, check_read_host, work.out, result);
    return code;
}

/* Its results are in memory of its own, because the baseline runs between its repetitions. */
static cli_exit run_simple(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    baseline *base = baseline_create(run->pool, which->method, true, s->rotations, s->segments + 1);
    baseline_work work = {base, baseline_memory(run->device.bytes)};
    cli_exit code;
    roofline_set_work(work_of_baseline(s, which->method), result);
    result->samples = run->device.bytes / SAMPLE_BYTES;
    if (!work.base || !work.out) {
        code = cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    } else {
        memset(work.out, 0xff, run->device.bytes);
        code = measure(run, which, baseline_once, &work, result);
    }
    if (code == CLI_DONE)
        code = check_against(run, which, check_read_host, work.out, result);
    baseline_destroy(&base);
    free(work.out);
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
    return device_job(work->device, work->clip, &work->job, work->clock, 1, seconds);
}

static void set_job_work(const bench_run *run, const bench_case *which, const pm_sample_job *job,
                         bench_result *result) {
    roofline_set_work(
        work_of_job(&run->scenes, which->group->scene, which->method, job->sample_count), result);
}

/* Poisons the output, runs the job once, checks the results, and then measures. */
static cli_exit run_job(bench_run *run, const bench_case *which, bench_result *result) {
    pm_clip *clip = NULL;
    bool owned = false;
    job_work work = {.device = &run->device, .clock = which->group->clock};
    double once;
    work.job = scenes_job(&run->scenes, which->group->scene, &result->samples);
    cli_exit code = scenes_clip(&run->scenes, which->group->scene, which->method, &clip, &owned);
    work.clip = clip;
    set_job_work(run, which, &work.job, result);
    if (code == CLI_DONE)
        code = device_poison(&run->device);
    if (code == CLI_DONE)
        code = job_once(&work, &once);
    if (code == CLI_DONE)
        code = check_results(check_sample_clip, clip, &work.job, check_read_device, &run->device,
                             result);
    if (code == CLI_DONE)
        code = measure(run, which, job_once, &work, result);
    if (owned)
        pm_clip_destroy(&clip);
    return code;
}

/* Samples of a clip or a filter, into host memory. */
typedef struct host_work {
    check_sample sample;
    const void *of;
    pm_sample_job job;
} host_work;

static cli_exit host_once(void *context, double *seconds) {
    const host_work *work = context;
    pm_error error = {0};
    const double begun = progress_clock();
    if (work->sample(work->of, &work->job, &error) != PM_OK)
        return cli_fail_error("bench", &error);
    *seconds = progress_clock() - begun;
    return CLI_DONE;
}

/* Measures into `out`, and then checks the results. */
static cli_exit run_on_host(bench_run *run, const bench_case *which, host_work *work, float *out,
                            bench_result *result) {
    memset(out, 0xff, result->samples * SAMPLE_BYTES);
    work->job.rotations = out;
    cli_exit code = measure(run, which, host_once, work, result);
    work->job.rotations = NULL;
    if (code == CLI_DONE)
        code = check_results(work->sample, work->of, &work->job, check_read_host, out, result);
    return code;
}

/* Samples of scenes into host memory that begins `offset` bytes behind that of a cache line. */
static cli_exit run_into(bench_run *run, const bench_case *which, scenes *s, size_t offset,
                         bench_result *result) {
    pm_clip *clip = NULL;
    bool owned = false;
    const bench_scene scene = which->group->scene;
    host_work work = {.sample = check_sample_clip, .job = scenes_job(s, scene, &result->samples)};
    cli_exit code = scenes_clip(s, scene, which->method, &clip, &owned);
    char *memory = baseline_memory(result->samples * SAMPLE_BYTES + offset);
    work.of = clip;
    roofline_set_work(work_of_job(s, scene, which->method, work.job.sample_count), result);
    if (!memory)
        code = cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    else if (code == CLI_DONE)
        code = run_on_host(run, which, &work, (float *)(memory + offset), result);
    free(memory);
    if (owned)
        pm_clip_destroy(&clip);
    return code;
}

/* The memory begins as that of a large malloc does. */
static cli_exit run_end_to_end(bench_run *run, const bench_case *which, bench_result *result) {
    return run_into(run, which, &run->scenes, 16, result);
}

static cli_exit run_layout(bench_run *run, const bench_case *which, bench_result *result) {
    scenes s;
    cli_exit code = scenes_create_uniform(&s, run->scenes.engine, run->device.bytes / SAMPLE_BYTES,
                                          which->tracks);
    if (code == CLI_DONE)
        code = run_into(run, which, &s, which->offset, result);
    scenes_destroy(&s);
    return code;
}

/* ---- low-passes ---------------------------------------------------------------- */

/* Of both paths from each other: twice what test_filter allows against the oracle. */
static const double lowpass_bound = 2 * 5e-7;

/* Five periods of the cut-off on each side of a sample. */
static size_t weights_of(double cutoff) {
    return 2 * (size_t)ceil(5 / cutoff);
}

/* In cycles per key: 0.45 of a lower rate, else the one of 32 weights. */
static double cutoff_of(bench_scene scene) {
    return scene == SCENE_DOWNSAMPLE_4 ? 0.45 / 4 : 10.0 / 32;
}

static cli_exit run_lowpass(bench_run *run, const bench_case *which, bench_result *result) {
    const bench_scene scene = which->group->scene;
    const scenes *s = &run->scenes;
    const double cutoff = cutoff_of(scene);
    host_work work = {.sample = check_sample_filter, .job = scenes_job(s, scene, &result->samples)};
    pm_timeline timeline;
    const pm_clip_desc desc = scenes_describe(s, scene, which->method, &timeline);
    pm_filter *filter = NULL;
    pm_error error = {0};
    cli_exit code = CLI_DONE;
    float *out = baseline_memory(result->samples * SAMPLE_BYTES);
    roofline_set_work(work_of_lowpass(s, work.job.sample_count, weights_of(cutoff)), result);
    if (!out)
        code = cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    else if (pm_filter_create(s->engine, &desc, cutoff * SCENE_KEY_RATE, &filter, &error) != PM_OK)
        code = cli_fail_error("bench", &error);
    work.of = filter;
    if (code == CLI_DONE)
        code = run_on_host(run, which, &work, out, result);
    pm_filter_destroy(&filter);
    free(out);
    return code;
}

/* ---- clips --------------------------------------------------------------------- */

typedef struct clip_work {
    pm_engine *engine;
    pm_clip_desc desc;
    bool on_device; /* which builds the clip, or the case fails */
} clip_work;

/* Measures from keys in host memory to a clip that is ready to be sampled. */
static cli_exit clip_once(void *context, double *seconds) {
    const clip_work *work = context;
    pm_clip *clip = NULL;
    pm_error error = {0};
    double begun = progress_clock();
    pm_status status = pm_clip_create(work->engine, &work->desc, &clip, &error);
    *seconds = progress_clock() - begun;
    pm_clip_info info = {0};
    if (status == PM_OK)
        pm_clip_get_info(clip, &info);
    pm_clip_destroy(&clip);
    if (status != PM_OK)
        return cli_fail_error("bench", &error);
    return info.built_on_device || !work->on_device
               ? CLI_DONE
               : cli_fail(CLI_DEVICE_FAILED, "bench", "leave out clip-device/*",
                          "the device does not build the clip");
}

static cli_exit run_clip(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    pm_timeline timeline;
    clip_work work = {.engine = s->engine,
                      .desc = scenes_describe(s, which->group->scene, which->method, &timeline)};
    result->samples = s->segments * SCENE_TRACKS;
    result->bytes_per_sample =
        sizeof(float) * pm_method_get_info(which->method)->floats_per_segment;
    if (which->group->kind == BENCH_CLIP)
        return repeat_alone(run, clip_once, &work, result);
    device_options options = *run->device_options;
    options.clip_building = PM_CLIPS_BY_DEVICE;
    work.engine = NULL;
    work.on_device = true;
    cli_exit code = device_options_engine(&options, &work.engine);
    if (code == CLI_DONE)
        code = repeat_alone(run, clip_once, &work, result);
    pm_engine_destroy(&work.engine);
    return code;
}

/* ---- keys to samples ------------------------------------------------------------ */

typedef struct oneshot_work {
    clip_work clip;
    job_work job;
    bool on_device;
} oneshot_work;

/* From keys in host memory to samples in device memory, until the clip is destroyed. */
static cli_exit sample_by_clip(oneshot_work *work) {
    pm_clip *clip = NULL;
    pm_error error = {0};
    double ignored;
    if (pm_clip_create(work->clip.engine, &work->clip.desc, &clip, &error) != PM_OK)
        return cli_fail_error("bench", &error);
    work->job.clip = clip;
    const cli_exit code = job_once(&work->job, &ignored);
    pm_clip_destroy(&clip);
    return code;
}

static cli_exit sample_in_one_pass(oneshot_work *work) {
    pm_error error = {0};
    return pm_resample(&work->clip.desc, &work->job.job, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_error("bench", &error);
}

static cli_exit oneshot_once(void *context, double *seconds) {
    oneshot_work *work = context;
    const double begun = progress_clock();
    const cli_exit code = work->on_device ? sample_by_clip(work) : sample_in_one_pass(work);
    *seconds = progress_clock() - begun;
    return code;
}

/* The least that must be moved: the keys of the description, and the results. */
static void set_oneshot_work(const bench_run *run, const bench_case *which,
                             const pm_sample_job *job, bench_result *result) {
    const uint64_t keys = (run->scenes.segments + 1) * (uint64_t)SCENE_TRACKS;
    set_job_work(run, which, job, result);
    result->bytes_read = keys * SAMPLE_BYTES;
}

static cli_exit run_oneshot(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    const bool on_device = which->group->kind == BENCH_ONESHOT_DEVICE;
    pm_timeline timeline;
    oneshot_work work = {
        .clip = {.engine = s->engine,
                 .desc = scenes_describe(s, which->group->scene, which->method, &timeline)},
        .job = {.device = &run->device, .clock = CLOCK_WALL},
        .on_device = on_device};
    work.job.job = scenes_job(s, which->group->scene, &result->samples);
    const size_t bytes = result->samples * SAMPLE_BYTES;
    float *out = on_device ? NULL : baseline_memory(bytes);
    if (!on_device && !out)
        return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    set_oneshot_work(run, which, &work.job.job, result);
    cli_exit code = on_device ? device_poison(&run->device) : CLI_DONE;
    if (out)
        memset(out, 0xff, bytes);
    work.job.job.rotations = out;
    double once;
    if (code == CLI_DONE)
        code = oneshot_once(&work, &once);
    check_read read = on_device ? check_read_device : check_read_host;
    if (code == CLI_DONE)
        code = check_against(run, which, read, on_device ? (void *)&run->device : out, result);
    if (code == CLI_DONE)
        code = measure(run, which, oneshot_once, &work, result);
    free(out);
    return code;
}

static cli_exit obvious_once(void *context, double *seconds) {
    return device_obvious(context, seconds);
}

static cli_exit run_obvious(bench_run *run, const bench_case *which, bench_result *result) {
    const scenes *s = &run->scenes;
    result->samples = run->device.bytes / SAMPLE_BYTES;
    roofline_set_work(work_of_baseline(s, which->method), result);
    cli_exit code =
        device_set_keys(&run->device, s->rotations, s->segments + 1, (size_t)SCENE_TRACKS);
    if (code == CLI_DONE)
        code = device_poison(&run->device);
    if (code == CLI_DONE)
        code = measure(run, which, obvious_once, &run->device, result);
    if (code == CLI_DONE)
        code = check_against(run, which, check_read_device, &run->device, result);
    return code;
}

/* ---- cases --------------------------------------------------------------------- */

static cli_exit run_kind(bench_run *run, const bench_case *which, bench_result *result) {
    switch (which->group->kind) {
    case BENCH_FILL:
        return run_fill(run, result);
    case BENCH_STORES:
        return run_stores(run, which, result);
    case BENCH_COPY:
        return run_copy(run, which, result);
    case BENCH_ARITHMETIC:
        return run_arithmetic(run, result);
    case BENCH_BASELINE:
        return run_baseline(run, which, result);
    case BENCH_SIMPLE:
        return run_simple(run, which, result);
    case BENCH_OBVIOUS:
        return run_obvious(run, which, result);
    case BENCH_LOWPASS:
        return run_lowpass(run, which, result);
    case BENCH_CLIP:
    case BENCH_CLIP_DEVICE:
        return run_clip(run, which, result);
    case BENCH_ONESHOT:
    case BENCH_ONESHOT_DEVICE:
        return run_oneshot(run, which, result);
    case BENCH_END_TO_END:
        return run_end_to_end(run, which, result);
    case BENCH_LAYOUT:
        return run_layout(run, which, result);
    case BENCH_SIZE:
        return sizes_run(run, which, result);
    case BENCH_PALETTE_FILL:
        return crowds_run_fill(run, result);
    case BENCH_CROWD:
    case BENCH_CROWD_BASELINE:
    case BENCH_CROWD_HOST:
    case BENCH_CROWD_ONE:
        return crowds_run(run, which, result);
    case BENCH_FILE:
        return files_run(run, which, result);
    case BENCH_BATCH:
#if POSEMILL_BATCH
        return batches_run(run, which, result);
#else
        break;
#endif
    case BENCH_JOB:
    case BENCH_COLD:
    case BENCH_FIRST:
    case BENCH_WARM:
        break;
    }
    return run_job(run, which, result);
}

/* The largest error of results of the library. NAN: the case has none. */
static double bound_of(const bench_case *which) {
    const bench_kind kind = which->group->kind;
    if (which->crowd)
        return crowds_bound(which->crowd);
    if (which->file)
        return files_bound(which->file);
#if POSEMILL_BATCH
    if (which->batch)
        return batches_bound(which->batch);
#endif
    if (kind == BENCH_LOWPASS)
        return lowpass_bound;
    return kind == BENCH_JOB || kind == BENCH_END_TO_END || kind == BENCH_LAYOUT ||
                   kind == BENCH_SIZE || kind == BENCH_ONESHOT || kind == BENCH_ONESHOT_DEVICE
               ? 2.0 * pm_method_get_info(which->method)->max_error
               : (double)NAN;
}

cli_exit bench_run_case(bench_run *run, const bench_case *which, bench_result *result) {
    *result = bench_result_of(which);
    cli_exit code = run_kind(run, which, result);
    const double bound = bound_of(which);
    result->wrong = !isnan(bound) && !(result->max_error_rad <= bound);
    return code;
}
