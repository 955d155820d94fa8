/* SPDX-License-Identifier: MIT
 *
 * All sizes of a method share one clip: a smaller job samples its beginning.
 */
#include "sizes.h"

#include "check.h"
#include "runner/roofline.h"

#include <string.h>

enum { SAMPLE_BYTES = 16, QUEUED_MAX = 1024 };

size_t sizes_largest(size_t samples, const pm_device_info *info) {
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

static cli_exit open_sizes(bench_run *run) {
    bench_sizes *sizes = &run->sizes;
    if (sizes->opened)
        return CLI_DONE;
    cli_exit code =
        scenes_create_uniform(&sizes->scenes, run->device.engine, sizes->largest, SCENE_TRACKS);
    if (code == CLI_DONE)
        code = device_open(&sizes->device, run->device.engine, run->pool,
                           sizes->largest * SAMPLE_BYTES);
    if (code != CLI_DONE)
        sizes_close(sizes);
    sizes->opened = code == CLI_DONE;
    return code;
}

void sizes_close(bench_sizes *sizes) {
    device_close(&sizes->device);
    scenes_destroy(&sizes->scenes);
    sizes->opened = false;
}

/* ---- one size ------------------------------------------------------------------ */

typedef struct size_work {
    bench_device *device;
    const pm_clip *clip;
    pm_sample_job job;
    size_t bytes;
    size_t queued; /* jobs in one measurement */
} size_work;

static cli_exit jobs_once(void *context, double *seconds) {
    const size_work *work = context;
    return device_job(work->device, work->clip, &work->job, CLOCK_WALL, work->queued, seconds);
}

/* A pose takes a few microseconds, less than the resolution of clock and scheduler, so as many jobs
 * are timed together as take a millisecond. */
static cli_exit measure(bench_run *run, size_work *work, bench_result *result) {
    const double min = 1e-3;
    bench_roofline roofline;
    bench_plan plan = {.repetitions = run->repetitions, .work = jobs_once, .context = work};
    cli_exit code = device_choose_fill(work->device, work->bytes);
    if (code == CLI_DONE)
        code = bench_choose_count(jobs_once, work, min, QUEUED_MAX, &work->queued);
    if (code == CLI_DONE) {
        roofline_plan(&roofline, run, work->device, CLOCK_WALL, work->queued, result, &plan);
        code = bench_repeat(&plan, result);
    }
    return code == CLI_DONE ? roofline_find(&roofline, result) : code;
}

/* Upsampling by 4 that ends after the given number of samples. */
static cli_exit prepare(bench_run *run, const bench_case *which, size_work *work) {
    bench_sizes *sizes = &run->sizes;
    const bench_scene scene = which->group->scene;
    pm_clip *clip = NULL;
    bool owned = false;
    size_t values;
    cli_exit code = open_sizes(run);
    if (code == CLI_DONE)
        code = scenes_clip(&sizes->scenes, scene, which->method, &clip, &owned);
    if (code != CLI_DONE)
        return code;
    *work = (size_work){.device = &sizes->device,
                        .clip = clip,
                        .job = scenes_job(&sizes->scenes, scene, &values),
                        .bytes = which->samples * SAMPLE_BYTES,
                        .queued = 1};
    work->job.sample_count = which->samples / SCENE_TRACKS;
    return CLI_DONE;
}

cli_exit sizes_run(bench_run *run, const bench_case *which, bench_result *result) {
    size_work work;
    double once;
    cli_exit code = prepare(run, which, &work);
    result->samples = which->samples;
    if (code == CLI_DONE) {
        roofline_set_work(work_of_job(&run->sizes.scenes, which->group->scene, which->method,
                                      work.job.sample_count),
                          result);
        code = device_poison(work.device);
    }
    if (code == CLI_DONE)
        code = jobs_once(&work, &once);
    if (code == CLI_DONE)
        code = check_results(check_sample_clip, work.clip, &work.job, check_read_device,
                             work.device, result);
    if (code == CLI_DONE)
        code = measure(run, &work, result);
    return code;
}
