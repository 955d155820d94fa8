/* SPDX-License-Identifier: MIT
 *
 * The table of files, and how each case is timed and compared: one that writes a file with storing
 * as many bytes, one that only opens a file with moving its bytes through a pipe, and one that
 * compresses also with zlib.
 */
#include "files.h"

#include "file_ceilings.h"
#include "file_check.h"
#include "files/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const file_scene files[] = {
    {"cat", FILE_BVH, FILE_CAT, {1, 1}},
    {"storage", FILE_BVH, FILE_STORAGE, {1, 1}},
    {"bvh-x1", FILE_BVH, FILE_RESAMPLE, {1, 1}},
    {"bvh-x4", FILE_BVH, FILE_RESAMPLE, {4, 1}},
#if POSEMILL_NPZ
    {"npz-stored-x1", FILE_NPZ_STORED, FILE_RESAMPLE, {1, 1}},
    {"npz-stored-120-to-30", FILE_NPZ_STORED, FILE_RESAMPLE, {1, 4}},
    {"zlib", FILE_NPZ_DEFLATED, FILE_ZLIB, {1, 1}},
    {"npz-deflated-x1", FILE_NPZ_DEFLATED, FILE_RESAMPLE, {1, 1}},
    {"npz-deflated-120-to-30", FILE_NPZ_DEFLATED, FILE_RESAMPLE, {1, 4}},
#endif
#if POSEMILL_GLTF
    {"glb-open", FILE_GLB, FILE_OPEN, {1, 1}},
    {"glb-open-own-times", FILE_GLB_TIMES, FILE_OPEN, {1, 1}},
#endif
};

#define ROWS(table) (sizeof(table) / sizeof(table)[0])
_Static_assert(ROWS(files) <= BENCH_FILES_MAX, "BENCH_FILES_MAX is too small");

const file_scene *file_scenes_of(bench_scene scene, size_t *count) {
    *count = scene == SCENE_FILES ? ROWS(files) : 0;
    return files;
}

double files_bound(const file_scene *scene) {
    return scene->job == FILE_RESAMPLE ? FILE_BOUND : scene->job == FILE_OPEN ? 0.0 : (double)NAN;
}

/* ---- inputs -------------------------------------------------------------------- */

/* Contents can have one extension, so the names have the number of the content. */
static cli_exit open_source(bench_files *all, file_content content, const file_source **opened) {
    file_source *source = &all->sources[content];
    char name[32];
    *opened = source;
    if (source->bytes > 0)
        return CLI_DONE;
    cli_exit code = scratch_open(&all->folder);
    snprintf(name, sizeof name, "input%d.%s", (int)content, file_extension(content));
    if (code == CLI_DONE)
        code = scratch_file(&all->folder, name, source->path);
    snprintf(name, sizeof name, "output%d.%s", (int)content, file_extension(content));
    if (code == CLI_DONE)
        code = scratch_file(&all->folder, name, source->output);
    return code == CLI_DONE ? file_content_write(content, all->samples, source) : code;
}

void files_close(bench_files *all) {
    scratch_close(&all->folder);
}

/* ---- ceilings ------------------------------------------------------------------ */

/* Storing in place of a case that reads and writes these numbers of bytes. */
static cli_exit open_storage(bench_files *all, const file_source *source, size_t bytes_written,
                             file_storage *storage) {
    cli_exit code = CLI_DONE;
    if (all->storage[0] == '\0')
        code = scratch_file(&all->folder, "storage.part", all->storage_part);
    if (code == CLI_DONE && all->storage[0] == '\0')
        code = scratch_file(&all->folder, "storage", all->storage);
    *storage =
        (file_storage){source->path, all->storage_part, all->storage, source->bytes, bytes_written};
    return code;
}

static cli_exit run_cat(bench_run *run, const file_source *source, bench_result *result) {
    file_cat cat = {source->path, source->bytes};
    const bench_plan plan = {
        .repetitions = run->repetitions, .work = file_cat_once, .context = &cat};
    result->bytes_read = result->bytes_written = source->bytes;
    result->ceiling_share = 1.0;
    return bench_repeat(&plan, result);
}

static cli_exit run_storage(bench_run *run, const file_source *source, bench_result *result) {
    file_storage storage;
    cli_exit code = open_storage(&run->files, source, source->bytes, &storage);
    const bench_plan plan = {
        .repetitions = run->repetitions, .work = file_storage_once, .context = &storage};
    result->bytes_read = result->bytes_written = source->bytes;
    result->ceiling_share = 1.0;
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}

#if POSEMILL_NPZ
static cli_exit run_zlib(bench_run *run, const file_source *source, bench_result *result) {
    file_zlib *zlib = NULL;
    cli_exit code = file_zlib_create(source->path, source->path, &zlib);
    result->bytes_read = result->bytes_written = source->bytes;
    result->baseline_ratio = 1.0;
    if (code == CLI_DONE) {
        const bench_plan plan = {
            .repetitions = run->repetitions, .work = file_zlib_once, .context = zlib};
        code = bench_repeat(&plan, result);
    }
    file_zlib_destroy(&zlib);
    return code;
}
#endif

/* ---- resampling ---------------------------------------------------------------- */

static cli_exit resample_once(void *context, double *seconds) {
    file_resampled *work = context;
    pm_motion *motion = NULL;
    pm_error error = {0};
    const pm_motion_read_options read = {.resample_only = true}; /* as the command reads */
    const double begun = progress_clock();
    pm_status status = pm_motion_open(work->source->path, &read, &motion, &error);
    if (status == PM_OK) {
        const pm_motion_resample_options options = file_options(motion, work->ratio);
        status = pm_motion_resample(motion, work->engine, &options, work->source->output,
                                    &work->report, &error);
    }
    pm_motion_destroy(&motion);
    *seconds = progress_clock() - begun;
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit measure(bench_run *run, file_resampled *work, file_zlib *zlib,
                        bench_result *result) {
    file_storage storage;
    bench_plan plan = {.repetitions = run->repetitions,
                       .work = resample_once,
                       .context = work,
                       .checked_after = true};
    cli_exit code =
        open_storage(&run->files, work->source, (size_t)work->report.bytes_written, &storage);
    bench_plan_compare(&plan, ROLE_CEILING, file_storage_once, &storage, 1.0);
#if POSEMILL_NPZ
    if (zlib)
        bench_plan_compare(&plan, ROLE_BASELINE, file_zlib_once, zlib, 1.0);
#else
    (void)zlib; /* NULL */
#endif
    if (code == CLI_DONE)
        code = bench_repeat(&plan, result);
    return code == CLI_DONE ? file_check_resampled(work, result) : code;
}

/* The first call shows how many bytes are written. The last output is checked. */
static cli_exit run_resample(bench_run *run, const file_scene *scene, const file_source *source,
                             bench_result *result) {
    file_resampled work = {.engine = run->device.engine, .source = source, .ratio = scene->ratio};
    file_zlib *zlib = NULL;
    double seconds;
    cli_exit code = resample_once(&work, &seconds);
#if POSEMILL_NPZ
    if (code == CLI_DONE && scene->content == FILE_NPZ_DEFLATED)
        code = file_zlib_create(source->path, source->output, &zlib);
#endif
    result->samples = (size_t)work.report.samples * source->joints;
    result->bytes_read = source->bytes;
    result->bytes_written = (size_t)work.report.bytes_written;
    if (code == CLI_DONE)
        code = measure(run, &work, zlib, result);
#if POSEMILL_NPZ
    file_zlib_destroy(&zlib);
#endif
    return code;
}

/* ---- opening ------------------------------------------------------------------- */

typedef struct open_work {
    const char *path;
    pm_motion *motion; /* of the last call */
} open_work;

static cli_exit open_once(void *context, double *seconds) {
    open_work *work = context;
    pm_error error = {0};
    pm_motion_destroy(&work->motion);
    const double begun = progress_clock();
    const pm_status status = pm_motion_open(work->path, NULL, &work->motion, &error);
    *seconds = progress_clock() - begun;
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit run_open(bench_run *run, const file_scene *scene, const file_source *source,
                         bench_result *result) {
    open_work work = {source->path, NULL};
    file_cat cat = {source->path, source->bytes};
    bench_plan plan = {.repetitions = run->repetitions, .work = open_once, .context = &work};
    bench_plan_compare(&plan, ROLE_CEILING, file_cat_once, &cat, 1.0);
    result->bytes_read = source->bytes;
    cli_exit code = bench_repeat(&plan, result);
    if (code == CLI_DONE)
        code = file_check_glb(work.motion, scene->content == FILE_GLB_TIMES, result);
    pm_motion_destroy(&work.motion);
    return code;
}

/* ---- cases --------------------------------------------------------------------- */

static cli_exit run_job(bench_run *run, const file_scene *scene, const file_source *source,
                        bench_result *result) {
    switch (scene->job) {
    case FILE_CAT:
        return run_cat(run, source, result);
    case FILE_STORAGE:
        return run_storage(run, source, result);
    case FILE_ZLIB:
#if POSEMILL_NPZ
        return run_zlib(run, source, result);
#else
        break;
#endif
    case FILE_RESAMPLE:
        return run_resample(run, scene, source, result);
    case FILE_OPEN:
        return run_open(run, scene, source, result);
    }
    return CLI_DEVICE_FAILED;
}

cli_exit files_run(bench_run *run, const bench_case *which, bench_result *result) {
    const file_scene *scene = which->file;
    const file_source *source;
    cli_exit code = open_source(&run->files, scene->content, &source);
    result->samples = scene->job == FILE_OPEN ? source->joints : source->frames * source->joints;
    if (code == CLI_DONE)
        code = run_job(run, scene, source, result);
    result->has_bytes = true;
    if (code == CLI_DONE)
        result->bytes_per_sample =
            (size_t)((result->bytes_read + result->bytes_written) / result->samples);
    return code;
}
