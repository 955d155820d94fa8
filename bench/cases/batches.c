/* SPDX-License-Identifier: MIT
 *
 * The table of batches, and how each is timed and compared: with storing as many bytes in as many files on
 * as many threads, and two jobs with one. One folder of outputs serves all measurements, each of which
 * begins without it.
 */
#define _POSIX_C_SOURCE 200809L

#include "files.h"

#include "commands/resample_run.h"
#include "files/progress.h"
#include "motion/base/parallel.h"
#include "motion/files/folders.h"
#include "motion/items/items.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct batch_scene {
    const char *name;
    bool is_npz;     /* the files are NPZ of 1 to 4 s, half of them deflated; else BVH of 180 kB */
    bool is_ceiling; /* the files are stored as they are */
    size_t jobs;     /* files at a time */
} batch_scene;

static const batch_scene batches[] = {
    {"batch/storage", false, true, 1},     {"batch/bvh-jobs-1", false, false, 1},
    {"batch/bvh-jobs-2", false, false, 2},
#if POSEMILL_NPZ
    {"batch/npz-jobs-1", true, false, 1},  {"batch/npz-jobs-2", true, false, 2},
#endif
};

typedef struct batch_work {
    const device_options *device;
    const char *rate;
    size_t jobs;
    char folder[SCRATCH_PATH], out[SCRATCH_PATH];
    batch_items inputs, outputs; /* of the first run; of the ceiling, the inputs */
} batch_work;

/* ---- inputs -------------------------------------------------------------------- */

static cli_exit list(char *folder, batch_items *items) {
    const char *paths[] = {folder};
    const pm_motion_batch_sources sources = {.paths = paths, .path_count = 1};
    pm_error error = {.status = PM_OK};
    batch_items_release(items);
    return cli_done(batch_items_find(&sources, items, &error), &error);
}

static cli_exit write_input(const char *folder, bool is_npz, size_t i, size_t *rotations) {
    uint64_t state = UINT64_C(1000003) + i;
    file_source source = {.seed = state};
    pm_error error = {0};
    const file_content content = !is_npz                       ? FILE_BVH
                                 : scenes_random(&state) < 0.5 ? FILE_NPZ_STORED
                                                               : FILE_NPZ_DEFLATED;
    const size_t frames = is_npz ? 120 + (size_t)(361 * scenes_random(&state)) : 100;
    const int length = snprintf(source.path, sizeof source.path, "%s/%02zu/%02zu.%s", folder,
                                i / 14, i % 14, file_extension(content));
    if (length < 0 || (size_t)length >= sizeof source.path)
        return cli_fail(CLI_CANNOT_WRITE, folder, NULL, "the path in TMPDIR is too long");
    if (folders_make_for(source.path, &error) != PM_OK)
        return cli_fail_file(&error);
    *rotations += frames * file_joints(content);
    return file_content_write(content, frames * file_joints(content), &source);
}

/* Writes and lists the files of a folder, unless they are there already. */
static cli_exit open_inputs(bench_run *run, bool is_npz, batch_work *work, size_t *rotations) {
    cli_exit code = scratch_open(&run->folder);
    if (code == CLI_DONE)
        code = scratch_path(&run->folder, is_npz ? "npz" : "bvh", work->folder);
    if (code == CLI_DONE)
        code = scratch_path(&run->folder, "out", work->out);
    if (code == CLI_DONE)
        code = scratch_empty(work->folder);
    for (size_t i = 0; code == CLI_DONE && i < run->limits.batch_files; i++)
        code = write_input(work->folder, is_npz, i, rotations);
    return code == CLI_DONE ? list(work->folder, &work->inputs) : code;
}

static size_t bytes_of(const batch_items *items) {
    size_t bytes = 0;
    for (size_t i = 0; i < items->count; i++)
        bytes += (size_t)items->items[i].bytes;
    return bytes;
}

/* ---- what is measured ---------------------------------------------------------- */

typedef struct storage_work {
    const batch_work *batch;
    atomic_bool failed;
} storage_work;

static void store_file(void *user, size_t task) {
    storage_work *all = user;
    const batch_work *work = all->batch;
    const batch_item *input = &work->inputs.items[task];
    const batch_items *sizes = work->outputs.count > 0 ? &work->outputs : &work->inputs;
    file_storage storage = {.input = input->path,
                            .bytes_read = (size_t)input->bytes,
                            .bytes_written = (size_t)sizes->items[task].bytes};
    const size_t room = sizeof storage.part;
    double seconds;
    if ((size_t)snprintf(storage.part, room, "%s/%zu.part", work->out, task) >= room ||
        (size_t)snprintf(storage.output, room, "%s/%zu", work->out, task) >= room ||
        file_storage_once(&storage, &seconds) != CLI_DONE)
        atomic_store(&all->failed, true);
}

static cli_exit storage_once(void *context, double *seconds) {
    const batch_work *work = context;
    storage_work storage = {work, false};
    const motion_work all = {.item = store_file, .user = &storage};
    const cli_exit code = scratch_empty(work->out);
    if (code != CLI_DONE)
        return code;
    const double begun = progress_clock();
    motion_run_parallel(work->jobs, work->inputs.count, &all);
    *seconds = progress_clock() - begun;
    return atomic_load(&storage.failed) ? CLI_CANNOT_WRITE : CLI_DONE; /* printed by the thread */
}

/* With the options that the command has by default, but those files are not limited by what the bench
 * holds in memory. */
static cli_exit resample_once(void *context, double *seconds) {
    batch_work *work = context;
    const bool quiet = cli_quiet;
    char *operands[] = {work->folder};
    resample_options options = {.batch = {.run = {.out_dir = work->out,
                                                  .task = {.rate = work->rate, .decimals = 6},
                                                  .jobs = work->jobs,
                                                  .memory = UINT64_MAX},
                                          .ends_at_once = true},
                                .device = *work->device};
    cli_exit code = scratch_remove(work->out);
    if (code == CLI_DONE) {
        options.device.in_background = true;
        cli_quiet = true;
        const double begun = progress_clock();
        code = batch_resample(&options, operands, 1);
        *seconds = progress_clock() - begun;
        cli_quiet = quiet;
    }
    return code;
}

/* ---- cases --------------------------------------------------------------------- */

/* Runs the batch once and compares every output with its input; there must be no others. */
static cli_exit check(const bench_run *run, file_content content, pm_rational ratio,
                      batch_work *work, bench_result *result) {
    double seconds;
    cli_exit code = resample_once(work, &seconds);
    result->samples = 0;
    if (code == CLI_DONE)
        code = list(work->out, &work->outputs);
    if (code == CLI_DONE && work->outputs.count != work->inputs.count)
        result->max_error_rad = (double)INFINITY;
    for (size_t i = 0;
         code == CLI_DONE && i < work->outputs.count && work->outputs.count == work->inputs.count;
         i++) {
        file_resampled file = {run->device.engine, work->inputs.items[i].path,
                               work->outputs.items[i].path, ratio, 0};
        code = file_check_resampled(&file, result);
        result->samples += file.frames * file_joints(content);
    }
    return code;
}

static cli_exit run_resample(bench_run *run, const batch_scene *scene, batch_work *work,
                             bench_result *result) {
    const pm_rational ratio = scene->is_npz ? (pm_rational){1, 4} : (pm_rational){4, 1};
    batch_work one = *work;
    bench_plan plan = bench_plan_of(run, resample_once, work);
    work->rate = one.rate = scene->is_npz ? "/4" : "x4";
    one.jobs = 1;
    cli_exit code = check(run, scene->is_npz ? FILE_NPZ_STORED : FILE_BVH, ratio, work, result);
    result->bytes_written = bytes_of(&work->outputs);
    result->error_bound = FILE_BOUND;
    batch_work storage = *work;
    bench_plan_compare(&plan, ROLE_CEILING, storage_once, &storage, 1.0);
    if (scene->jobs > 1)
        bench_plan_compare(&plan, ROLE_BASELINE, resample_once, &one, 1.0);
    return code == CLI_DONE ? bench_repeat(&plan, result) : code;
}

static cli_exit run_batch(bench_run *run, const bench_case *which, bench_result *result) {
    const batch_scene *scene = which->row;
    batch_work work = {.device = run->device_options, .jobs = scene->jobs};
    cli_exit code = open_inputs(run, scene->is_npz, &work, &result->samples);
    result->files = work.inputs.count;
    result->has_bytes = true;
    result->bytes_read = result->bytes_written = bytes_of(&work.inputs);
    if (code == CLI_DONE && scene->is_ceiling) {
        const bench_plan plan = bench_plan_of(run, storage_once, &work);
        result->ceiling_share = 1.0;
        code = bench_repeat(&plan, result);
    } else if (code == CLI_DONE) {
        code = run_resample(run, scene, &work, result);
    }
    batch_items_release(&work.inputs);
    batch_items_release(&work.outputs);
    if (code == CLI_DONE)
        result->bytes_per_sample =
            (size_t)((result->bytes_read + result->bytes_written) / result->samples);
    return code;
}

case_table batches_table(void) {
    return (case_table){run_batch, BENCH_ROWS(batches), NULL};
}
