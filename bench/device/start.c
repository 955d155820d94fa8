/* SPDX-License-Identifier: MIT
 *
 * Starts: cold, cold with programs built in the background, and warm. Every cache of the library or a
 * known driver is redirected to a temporary folder; the caches of the user are neither read nor
 * written.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "files/progress.h"
#include "runner/runner.h"
#include "runner/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL_SAMPLES = 30720, NO_OPENCL = 100 };

/* ---- the measured process ------------------------------------------------------ */

typedef struct start_work {
    const device_options *device;
    const bench_case *which;
    scenes scenes;
    float *out;
    scratch folder;
    char caches[SCRATCH_PATH]; /* the folder of all caches */
    bool no_opencl;
    double *shared_seconds;
} start_work;

static void move_caches(const char *folder) {
    static const char *const names[] = {"XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH",
                                        "MESA_SHADER_CACHE_DIR", "NEO_CACHE_DIR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        setenv(names[i], folder, 1);
}

static int first_result(start_work *work, double *seconds) {
    pm_engine_desc desc = device_options_desc(work->device);
    pm_engine *engine = NULL;
    const pm_clip *clip = NULL;
    pm_error error = {0};
    pm_device_info info;
    size_t values;
    desc.cache_folder = NULL; /* NULL: the folder in XDG_CACHE_HOME */
    desc.build_in_background = work->which->start == START_FIRST;
    double begun = progress_clock();
    if (pm_engine_create(&desc, &engine, &error) != PM_OK)
        return (int)cli_fail_error("device", &error);
    pm_engine_get_info(engine, &info);
    if (info.type == PM_DEVICE_REFERENCE)
        return NO_OPENCL;
    work->scenes.engine = engine;
    cli_exit code = scenes_clip(&work->scenes, SCENE_UPSAMPLE_4, work->which->method, &clip);
    if (code != CLI_DONE)
        return (int)code;
    pm_sample_job job = scenes_job(&work->scenes, SCENE_UPSAMPLE_4, &values);
    job.rotations = work->out;
    if (pm_sample(clip, &job, &error) != PM_OK)
        return (int)cli_fail_error("bench", &error);
    *seconds = progress_clock() - begun;
    return CLI_DONE;
}

/* The time is left in memory that both processes share. */
static cli_exit run_process(start_work *work, double *seconds) {
    fflush(NULL);
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        move_caches(work->caches);
        /* no exit handlers: those of drivers are not part of the measurement */
        _exit(first_result(work, work->shared_seconds));
    }
    if (child < 0)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "process cannot be started");
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "the measured process crashed");
    const int code = WEXITSTATUS(status);
    *seconds = *work->shared_seconds;
    work->no_opencl = work->no_opencl || code == NO_OPENCL;
    return code == NO_OPENCL ? CLI_DONE : (cli_exit)code;
}

static cli_exit start_once(void *context, double *seconds) {
    start_work *work = context;
    if (work->no_opencl)
        return CLI_DONE;
    cli_exit code = work->which->start == START_WARM ? CLI_DONE : scratch_empty(work->caches);
    return code == CLI_DONE ? run_process(work, seconds) : code;
}

cli_exit start_measure(const device_options *device, const bench_case *which, bool quick,
                       bool *opencl, bench_result *result) {
    start_work work = {.device = device, .which = which};
    const bool is_warm = which->start == START_WARM;
    /* A warm start is preceded by one call that fills the caches. A cold start has no warm-up. */
    const bench_plan plan = {.repetitions = {is_warm ? 1 : 0, quick ? (is_warm ? 3 : 1) : 10, 0.0},
                             .work = start_once,
                             .context = &work};
    *result = bench_result_of(which->name);
    cli_exit code = scenes_create(&work.scenes, NULL, SMALL_SAMPLES, SCENE_TRACKS, false);
    (void)scenes_job(&work.scenes, SCENE_UPSAMPLE_4, &result->samples);
    work.out = malloc(result->samples * 4 * sizeof(float));
    work.shared_seconds =
        mmap(NULL, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (code == CLI_DONE)
        code = work.out && work.shared_seconds != MAP_FAILED ? scratch_open(&work.folder)
                                                             : bench_out_of_memory();
    if (code == CLI_DONE)
        code = scratch_path(&work.folder, "caches", work.caches);
    if (code == CLI_DONE)
        code = scratch_empty(work.caches);
    if (code == CLI_DONE) {
        code = bench_repeat(&plan, result);
        *opencl = !work.no_opencl;
    }
    scratch_close(&work.folder);
    if (work.shared_seconds != MAP_FAILED)
        munmap(work.shared_seconds, sizeof(double));
    free(work.out);
    scenes_destroy(&work.scenes);
    return code;
}
