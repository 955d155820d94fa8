/* SPDX-License-Identifier: MIT
 *
 * The table of files, and how each case is timed and compared: one that writes a file with storing
 * as many bytes, one that only opens a file with reading its bytes.
 */
#include "files.h"

#include "files/progress.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct file_scene {
    const char *name;
    cli_exit (*run)(bench_run *run, const struct file_scene *scene, const file_source *source,
                    bench_result *result);
    file_content content;
    pm_rational ratio; /* of the rates, in lowest terms */
} file_scene;

/* Contents can have one extension, so the names have the number of the content. */
static cli_exit open_source(bench_run *run, file_content content, file_source **opened) {
    char name[32];
    if (!run->files)
        run->files = calloc(FILE_CONTENT_COUNT, sizeof *run->files);
    if (!run->files)
        return bench_out_of_memory();
    file_source *source = *opened = &run->files[content];
    if (source->bytes > 0)
        return CLI_DONE;
    cli_exit code = scratch_open(&run->folder);
    snprintf(name, sizeof name, "input%d.%s", (int)content, file_extension(content));
    if (code == CLI_DONE)
        code = scratch_path(&run->folder, name, source->path);
    snprintf(name, sizeof name, "output%d.%s", (int)content, file_extension(content));
    if (code == CLI_DONE)
        code = scratch_path(&run->folder, name, source->output);
    return code == CLI_DONE ? file_content_write(content, run->limits.file_samples, source) : code;
}

/* ---- ceilings ------------------------------------------------------------------ */

/* Storing in place of a case that reads and writes these numbers of bytes. */
static cli_exit open_storage(const bench_run *run, const file_source *source, size_t bytes_written,
                             file_storage *storage) {
    *storage = (file_storage){
        .input = source->path, .bytes_read = source->bytes, .bytes_written = bytes_written};
    const cli_exit code = scratch_path(&run->folder, "storage.part", storage->part);
    return code == CLI_DONE ? scratch_path(&run->folder, "storage", storage->output) : code;
}

static cli_exit run_cat(bench_run *run, const file_scene *scene, const file_source *source,
                        bench_result *result) {
    file_source cat = *source;
    const bench_plan plan = bench_plan_of(run, file_cat_once, &cat);
    (void)scene;
    result->bytes_written = source->bytes;
    result->ceiling_share = 1.0;
    return bench_repeat(&plan, result);
}

static cli_exit run_storage(bench_run *run, const file_scene *scene, const file_source *source,
                            bench_result *result) {
    file_storage storage;
    cli_exit code = open_storage(run, source, source->bytes, &storage);
    const bench_plan plan = bench_plan_of(run, file_storage_once, &storage);
    (void)scene;
    result->bytes_written = source->bytes;
    result->ceiling_share = 1.0;
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}

/* ---- resampling ---------------------------------------------------------------- */

typedef struct resample_work {
    file_resampled file;
    pm_motion_resample_report report;
} resample_work;

static cli_exit resample_once(void *context, double *seconds) {
    resample_work *work = context;
    const file_resampled *file = &work->file;
    pm_motion *motion = NULL;
    pm_error error = {0};
    const pm_motion_read_options read = {.resample_only = true}; /* as the command reads */
    const double begun = progress_clock();
    pm_status status = pm_motion_open(file->input, &read, &motion, &error);
    if (status == PM_OK) {
        const pm_motion_resample_options options = file_options(motion, file->ratio);
        status =
            pm_motion_resample(motion, file->engine, &options, file->output, &work->report, &error);
    }
    pm_motion_destroy(&motion);
    *seconds = progress_clock() - begun;
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

/* The first call shows how many bytes are written. */
static cli_exit run_resample(bench_run *run, const file_scene *scene, const file_source *source,
                             bench_result *result) {
    resample_work work = {
        .file = {run->device.engine, source->path, source->output, scene->ratio, 0}};
    file_storage storage;
    double seconds;
    bench_plan plan = bench_plan_of(run, resample_once, &work);
    cli_exit code = resample_once(&work, &seconds);
    result->samples = (size_t)work.report.samples * source->joints;
    result->bytes_written = (size_t)work.report.bytes_written;
    result->error_bound = FILE_BOUND;
    if (code == CLI_DONE)
        code = file_check_resampled(&work.file, result);
    if (code == CLI_DONE)
        code = open_storage(run, source, result->bytes_written, &storage);
    bench_plan_compare(&plan, ROLE_CEILING, file_storage_once, &storage, 1.0);
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}

/* ---- opening ------------------------------------------------------------------- */

#if POSEMILL_GLTF
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
    file_source cat = *source;
    pm_motion *wanted = file_content_motion(scene->content, source);
    double seconds;
    bench_plan plan = bench_plan_of(run, open_once, &work);
    bench_plan_compare(&plan, ROLE_CEILING, file_cat_once, &cat, 1.0);
    result->samples = source->joints;
    result->error_bound = 0.0;
    cli_exit code = wanted ? open_once(&work, &seconds) : bench_out_of_memory();
    if (code == CLI_DONE)
        file_check_same(work.motion, wanted, result);
    pm_motion_destroy(&wanted);
    if (code == CLI_DONE)
        code = bench_repeat(&plan, result);
    pm_motion_destroy(&work.motion);
    return code;
}

#endif
/* ---- cases --------------------------------------------------------------------- */

static const file_scene files[] = {
    {"files/cat", run_cat, FILE_BVH, {1, 1}},
    {"files/storage", run_storage, FILE_BVH, {1, 1}},
    {"files/bvh-x1", run_resample, FILE_BVH, {1, 1}},
    {"files/bvh-x4", run_resample, FILE_BVH, {4, 1}},
#if POSEMILL_NPZ
    {"files/npz-stored-x1", run_resample, FILE_NPZ_STORED, {1, 1}},
    {"files/npz-stored-120-to-30", run_resample, FILE_NPZ_STORED, {1, 4}},
    {"files/npz-deflated-x1", run_resample, FILE_NPZ_DEFLATED, {1, 1}},
    {"files/npz-deflated-120-to-30", run_resample, FILE_NPZ_DEFLATED, {1, 4}},
#endif
#if POSEMILL_GLTF
    {"files/glb-open", run_open, FILE_GLB, {1, 1}},
    {"files/glb-open-own-times", run_open, FILE_GLB_TIMES, {1, 1}},
#endif
};

static cli_exit run_file(bench_run *run, const bench_case *which, bench_result *result) {
    const file_scene *scene = which->row;
    file_source *source = NULL;
    cli_exit code = open_source(run, scene->content, &source);
    if (code != CLI_DONE)
        return code;
    result->samples = source->frames * source->joints;
    result->has_bytes = true;
    result->bytes_read = source->bytes;
    code = scene->run(run, scene, source, result);
    if (code == CLI_DONE)
        result->bytes_per_sample =
            (size_t)((result->bytes_read + result->bytes_written) / result->samples);
    return code;
}

case_table files_table(void) {
    return (case_table){run_file, BENCH_ROWS(files), NULL};
}
