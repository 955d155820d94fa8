/* SPDX-License-Identifier: MIT
 *
 * The table of batches, and how each case is timed and compared: with storing as many bytes in as many
 * files on as many threads, and several jobs with one.
 */
#define _POSIX_C_SOURCE 200809L

#include "batches.h"

#include "batch_tree.h"
#include "commands/resample_run.h"
#include "file_ceilings.h"
#include "file_check.h"
#include "files/progress.h"
#include "motion/batch/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const batch_scene batches[] = {
    {"cp", FOLDER_BVH, BATCH_CP, 1},
    {"storage", FOLDER_BVH, BATCH_STORAGE, 1},
    {"bvh-jobs-1", FOLDER_BVH, BATCH_RESAMPLE, 1},
    {"bvh-jobs-2", FOLDER_BVH, BATCH_RESAMPLE, 2},
#if POSEMILL_NPZ
    {"npz-jobs-1", FOLDER_NPZ, BATCH_RESAMPLE, 1},
    {"npz-jobs-2", FOLDER_NPZ, BATCH_RESAMPLE, 2},
#endif
};

#define ROWS(table) (sizeof(table) / sizeof(table)[0])
_Static_assert(ROWS(batches) <= BENCH_BATCHES_MAX, "BENCH_BATCHES_MAX is too small");

static const batch_content contents[FOLDER_COUNT] = {
    [FOLDER_BVH] = {"bvh", "bvh", FILE_BVH, {4, 1}, "x4"},
    [FOLDER_NPZ] = {"npz", "amass", FILE_NPZ_STORED, {1, 4}, "/4"},
};

/* One folder of outputs serves all measurements, each of which begins without it. */
struct bench_batches {
    scratch_tree root;
    batch_tree trees[FOLDER_COUNT];
    char out[SCRATCH_PATH];
};

const batch_scene *batch_scenes(size_t *count) {
    *count = ROWS(batches);
    return batches;
}

double batches_bound(const batch_scene *scene) {
    return scene->job == BATCH_RESAMPLE ? FILE_BOUND : (double)NAN;
}

/* ---- ceilings ------------------------------------------------------------------ */

typedef struct copy_work {
    const bench_batches *all;
    const batch_tree *tree;
} copy_work;

static cli_exit copy_once(void *context, double *seconds) {
    const copy_work *work = context;
    const char *const argv[] = {"cp", "-r", work->tree->folder, work->all->out, NULL};
    cli_exit code = scratch_tree_remove(&work->all->root, work->all->out);
    if (code == CLI_DONE) {
        const double begun = progress_clock();
        code = scratch_tree_run(&work->all->root, argv);
        *seconds = progress_clock() - begun;
    }
    return code;
}

typedef struct storage_work {
    const bench_batches *all;
    const batch_tree *tree;
    size_t jobs;
    bool stores_outputs; /* as many bytes as the outputs have; else the inputs */
    atomic_bool failed;
} storage_work;

static bool store_file(void *user, size_t thread, size_t task, schedule_ticket *ticket) {
    storage_work *work = user;
    const batch_item *input = &work->tree->inputs.items[task];
    char part[SCRATCH_PATH + 32], output[SCRATCH_PATH + 32];
    file_storage storage = {input->path, part, output, (size_t)input->bytes,
                            work->stores_outputs ? work->tree->outputs[task].bytes
                                                 : (size_t)input->bytes};
    double seconds;
    (void)ticket;
    snprintf(part, sizeof part, "%s/%zu.part", work->all->out, thread);
    snprintf(output, sizeof output, "%s/%zu", work->all->out, task);
    const bool stored = file_storage_once(&storage, &seconds) == CLI_DONE;
    if (!stored)
        atomic_store(&work->failed, true);
    return stored;
}

static uint64_t need_nothing(void *user, size_t task) {
    (void)user, (void)task;
    return 0;
}

static bool is_never_stopped(void *user) {
    (void)user;
    return false;
}

static void show_nothing(void *user) {
    (void)user;
}

static cli_exit storage_once(void *context, double *seconds) {
    storage_work *work = context;
    const char *out = work->all->out;
    const schedule plan = {.task_count = work->tree->inputs.count,
                           .threads = work->jobs,
                           .memory = UINT64_MAX,
                           .user = work,
                           .need = need_nothing,
                           .run = store_file,
                           .is_stopped = is_never_stopped,
                           .show = show_nothing};
    const cli_exit code = scratch_tree_remove(&work->all->root, out);
    if (code != CLI_DONE)
        return code;
    if (mkdir(out, 0777) != 0)
        return cli_fail(CLI_CANNOT_WRITE, out, NULL, "%s", strerror(errno));
    const double begun = progress_clock();
    if (!schedule_run(&plan))
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "thread cannot be created");
    *seconds = progress_clock() - begun;
    return atomic_load(&work->failed) ? CLI_CANNOT_WRITE : CLI_DONE; /* printed by the thread */
}

/* ---- batches ------------------------------------------------------------------- */

typedef struct batch_work {
    const bench_batches *all;
    batch_tree *tree;
    const device_options *device;
    const char *rate;
    size_t jobs;
} batch_work;

/* With the options that the command has by default, but those files are not limited by what the bench
 * holds in memory. */
static cli_exit resample_once(void *context, double *seconds) {
    const batch_work *work = context;
    const bool quiet = cli_quiet;
    char *operands[] = {work->tree->folder};
    resample_options options = {.batch = {.run = {.out_dir = work->all->out,
                                                  .task = {.rate = work->rate, .decimals = 6},
                                                  .jobs = work->jobs,
                                                  .memory = UINT64_MAX},
                                          .ends_at_once = true},
                                .device = *work->device};
    cli_exit code = scratch_tree_remove(&work->all->root, work->all->out);
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

static cli_exit measure_resample(bench_run *run, const batch_scene *scene, batch_tree *tree,
                                 bench_result *result) {
    const bench_batches *all = run->batches;
    const char *rate = contents[scene->folder].rate;
    storage_work storage = {all, tree, scene->jobs, true, false};
    batch_work one = {all, tree, run->device_options, rate, 1};
    batch_work work = {all, tree, run->device_options, rate, scene->jobs};
    bench_plan plan = {.repetitions = run->repetitions,
                       .work = resample_once,
                       .context = &work,
                       .checked_after = true};
    bench_plan_compare(&plan, ROLE_CEILING, storage_once, &storage, 1.0);
    if (scene->jobs > 1)
        bench_plan_compare(&plan, ROLE_BASELINE, resample_once, &one, 1.0);
    const cli_exit code = bench_repeat(&plan, result);
    return code == CLI_DONE ? batch_tree_check(tree, all->out, result) : code;
}

static cli_exit run_resample(bench_run *run, const batch_scene *scene, batch_tree *tree,
                             bench_result *result) {
    const cli_exit code = batch_tree_resample(&run->batches->root, &contents[scene->folder],
                                              run->device.engine, tree);
    if (code != CLI_DONE)
        return code;
    result->samples = tree->rotations_written;
    result->bytes_written = tree->bytes_written;
    return measure_resample(run, scene, tree, result);
}

static cli_exit run_ceiling(bench_run *run, const batch_scene *scene, const batch_tree *tree,
                            bench_result *result) {
    copy_work copy = {run->batches, tree};
    storage_work storage = {run->batches, tree, scene->jobs, false, false};
    result->samples = (size_t)tree->size.rotations;
    result->bytes_written = result->bytes_read;
    if (scene->job == BATCH_CP) {
        const bench_plan plan = {
            .repetitions = run->repetitions, .work = copy_once, .context = &copy};
        return bench_repeat(&plan, result);
    }
    const bench_plan plan = {
        .repetitions = run->repetitions, .work = storage_once, .context = &storage};
    result->ceiling_share = 1.0;
    return bench_repeat(&plan, result);
}

static cli_exit open_tree(bench_run *run, batch_folder folder) {
    if (!run->batches)
        run->batches = calloc(1, sizeof *run->batches);
    bench_batches *all = run->batches;
    if (!all)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    cli_exit code = scratch_tree_open(&all->root);
    if (code == CLI_DONE)
        code = scratch_tree_path(&all->root, "out", all->out);
    return code == CLI_DONE ? batch_tree_write(&all->root, &contents[folder], run->batch_files,
                                               &all->trees[folder])
                            : code;
}

cli_exit batches_run(bench_run *run, const bench_case *which, bench_result *result) {
    const batch_scene *scene = which->batch;
    cli_exit code = open_tree(run, scene->folder);
    if (code != CLI_DONE)
        return code;
    batch_tree *tree = &run->batches->trees[scene->folder];
    result->files = tree->inputs.count;
    result->has_bytes = true;
    result->bytes_read = (size_t)tree->size.bytes;
    code = scene->job == BATCH_RESAMPLE ? run_resample(run, scene, tree, result)
                                        : run_ceiling(run, scene, tree, result);
    if (code == CLI_DONE)
        result->bytes_per_sample =
            (size_t)((result->bytes_read + result->bytes_written) / result->samples);
    return code;
}

void batches_close(bench_batches **closed) {
    bench_batches *all = *closed;
    if (!all)
        return;
    for (size_t i = 0; i < FOLDER_COUNT; i++)
        batch_tree_release(&all->trees[i]);
    scratch_tree_close(&all->root);
    free(all);
    *closed = NULL;
}
