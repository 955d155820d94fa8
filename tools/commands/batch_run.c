/* SPDX-License-Identifier: MIT
 *
 * Runs a batch: its inputs, the device, signals, and what is printed meanwhile and at the end.
 */
#include "files/progress.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/batch/batch.h"
#include "motion/batch/schedule.h"
#include "motion/files/atomic_file.h"
#include "motion/steps/steps.h"
#include "options/shard_option.h"
#include "print/print.h"
#include "resample_run.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The signal that asked for the end. 0: none. */
static atomic_int stopped = 0;

static bool is_stopped(void *user) {
    (void)user;
    return atomic_load(&stopped) != 0;
}

typedef struct listener {
    bool json, is_told;
    batch_failures failures;
} listener;

static void hear_end(void *user, const pm_motion_batch_file *file) {
    listener *l = user;
    if (file->error) {
        char text[PM_ERROR_TEXT_SIZE];
        motion_write_line(file->error, PM_SPELLING_COMMAND, text);
        failures_add(&l->failures, file->name, text, cli_fail_file(file->error));
    }
    if (l->json && file->record) {
        progress_clear();
        fputs(file->record, stdout);
        fflush(stdout);
    }
}

static void show_report(const pm_motion_batch_result *status, int columns) {
    char line[64];
    if (status->pages > 0) {
        snprintf(line, sizeof line, "report: page %llu", (unsigned long long)status->pages);
        progress_note(line);
        return;
    }
    snprintf(line, sizeof line, "report: %llu/%llu files", (unsigned long long)status->compared,
             (unsigned long long)status->files);
    if (columns > (int)strlen(line))
        progress_line(line);
}

static void show(void *user, const pm_motion_batch_result *status) {
    listener *l = user;
    char line[STATUS_WIDTH];
    const int columns = progress_columns();
    if (status->is_reporting) {
        show_report(status, columns);
        return;
    }
    if (is_stopped(NULL) && !l->is_told) {
        l->is_told = true;
        progress_clear();
        fprintf(stderr, "posemill: finishes the files in work; a second signal ends it at once\n");
    }
    if (columns > 0) {
        status_line(status, columns, line);
        progress_line(line);
    }
}

/* Without a rate nothing is computed. */
static cli_exit start_engine(const command_options *options, const device_options *device,
                             pm_engine **engine) {
    const bool opens =
        task_computes(&options->set->batch.task) && !device_options_automatic(device);
    return opens ? device_options_engine(device, engine) : CLI_DONE;
}

static cli_exit run_files(const command_options *options, batch *b, pm_engine *engine,
                          listener *l) {
    pm_motion_batch_result status;
    pm_error error = {.status = PM_OK};
    atomic_store(&stopped, 0);
    atomic_file_stop_first(&stopped);
    const bool done = batch_run(b, engine, &status, &error) == PM_OK;
    atomic_file_stop_first(NULL);
    progress_clear();
    const cli_exit code = done                   ? status_code(&status, &l->failures)
                          : status.ended_by_file ? cli_code(&error)
                                                 : cli_fail_file(&error);
    if (!cli_quiet && (done || status.done + status.kept + status.failed > 0))
        status_print(&status, &l->failures, batch_records(b), options->json);
    return code;
}

static void print_report(const report_summary *found, bool json) {
    FILE *file = json ? stderr : stdout;
    const size_t others = found->files - found->compared;
    char not_compared[48] = "";
    if (others > 0)
        snprintf(not_compared, sizeof not_compared, ", %zu not", others);
    if (found->compared == 0) {
        printable_line(file, "report: no file compared%s; %s", not_compared, found->path);
        return;
    }
    printable_line(file, "report: %zu file%s compared%s, worst %.4g degrees in %s; %s",
                   found->compared, found->compared == 1 ? "" : "s", not_compared, found->degrees,
                   found->name, found->path);
}

/* The result of the batch is that of the report only where the report cannot be written. */
static cli_exit write_report(const command_options *options, batch *b, cli_exit code) {
    const report_summary *found = NULL;
    pm_error error = {.status = PM_OK};
    if (!options->set->batch.report)
        return code;
    const bool failed = batch_write_report(b, &found, &error) != PM_OK;
    progress_clear();
    if (failed) {
        cli_fail_file(&error);
        return code > CLI_PARTIAL ? code : CLI_CANNOT_WRITE;
    }
    if (found && !cli_quiet)
        print_report(found, options->json);
    return !found && code == CLI_DONE ? CLI_PARTIAL : code;
}

static cli_exit run_list(const command_options *options, const pm_motion_batch_list *list,
                         batch_shard shard) {
    listener l = {.json = options->json};
    pm_motion_batch_options run = options->set->batch;
    device_options device = options->device;
    pm_engine_desc automatic;
    pm_engine *engine = NULL;
    pm_error error = {.status = PM_OK};
    batch *b = NULL;
    run.shard = shard.index;
    run.shard_count = shard.count;
    run.log = cli_log;
    run.spelling = PM_SPELLING_COMMAND;
    run.ended = hear_end;
    run.progress = show;
    run.is_stopped = is_stopped;
    run.automatic = &automatic;
    run.ended_user = run.progress_user = &l;
    os_keep_memory();
    cli_exit code = cli_done(batch_begin(list, &run, &b, &error), &error);
    if (code == CLI_DONE) {
        const size_t share = pm_processors() / batch_jobs(b);
        device.host_threads = share > 1 ? (uint32_t)share : 1;
        automatic = device_options_desc(&device);
        code = start_engine(options, &device, &engine);
        if (code == CLI_DONE) {
            code = run_files(options, b, engine, &l);
            code = write_report(options, b, code);
        }
    }
    batch_end(&b);
    pm_engine_destroy(&engine);
    failures_release(&l.failures);
    return code;
}

static cli_exit find_shard(const command_options *o, batch_shard *shard) {
    const char *source = NULL;
    pm_error error = {.status = PM_OK};
    CLI_TRY(cli_done(shard_find(o->shard, shard, &source, &error), &error));
    if (o->shard && !cli_quiet)
        fprintf(stderr, "posemill: shard %llu of %llu, %s\n", (unsigned long long)shard->index,
                (unsigned long long)shard->count, source);
    return o->set->batch.report && shard->count > 1
               ? cli_fail(CLI_USAGE, "--report",
                          "when all shards are done, write it with: "
                          "posemill resample --resume --report DIR, without --shard",
                          "is of the whole batch, not of a shard")
               : CLI_DONE;
}

cli_exit batch_resample(const command_options *options, char **operands, size_t operand_count) {
    pm_motion_batch_sources sources = options->set->sources;
    sources.paths = (const char *const *)operands;
    sources.path_count = operand_count;
    sources.out_dir = options->set->batch.out_dir;
    sources.report = options->set->batch.report;
    SCOPED(pm_motion_batch_list_destroy) pm_motion_batch_list *list = NULL;
    pm_error error = {.status = PM_OK};
    batch_shard shard = {0, 1};
    size_t count = 0;
    CLI_TRY(find_shard(options, &shard));
    CLI_TRY(cli_done(pm_motion_batch_list_create(&sources, &list, &error), &error));
    (void)pm_motion_batch_list_get_items(list, &count);
    return count > 0 ? run_list(options, list, shard)
                     : cli_fail(CLI_BAD_INPUT, "input", "--match picks files of other names",
                                "no motion files were found");
}
