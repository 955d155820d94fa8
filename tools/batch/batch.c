/* SPDX-License-Identifier: MIT
 *
 * Runs a batch: finds the items, plans, starts threads, and counts what they do.
 */
#define _POSIX_C_SOURCE 200809L

#include "batch.h"

#include "batch_file.h"
#include "batch_report/batch_report.h"
#include "files/progress.h"
#include "machine.h"
#include "member_reader.h"
#include "motion/files/atomic_file.h"
#include "motion/open/formats.h"
#include "run_lock.h"
#include "status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct batch {
    const resample_options *options;
    batch_common common;
    batch_plan plan;
    record_file *records;
    int folder; /* the lock on it. -1: none */
    char *records_path;
    resample_options *of_threads;
    size_t jobs;
    uint64_t memory; /* for files */

    member_reader members;
    batch_report *report;       /* NULL: none */
    const char *other_files[2]; /* that it must not overwrite */

    pthread_mutex_t lock; /* of all below */
    batch_status status;
    cli_exit stop; /* a failure that no other file would escape. CLI_DONE: none */
    bool stop_is_told;
    cli_messages failure; /* a record that could not be written */
} batch;

/* The signal that asked for the end. 0: none. */
static atomic_int stopped = 0;
enum { STOPPED_BY_CALL = -1 };

void batch_stop(void) {
    atomic_store(&stopped, STOPPED_BY_CALL);
}

/* ---- threads --------------------------------------------------------------------------- */

static uint64_t need(void *user, size_t task) {
    const batch *b = user;
    return batch_file_need(&b->plan.files[task]);
}

static void prepare(void *user, size_t task) {
    batch *b = user;
    batch_file *file = &b->plan.files[task];
    char reason[ARCHIVE_REASON_SIZE] = "";
    if (file->item->archive != NULL && file->item->fault == NULL &&
        !member_read(&b->members, file->item,
                     motion_kind_of(&b->options->motion.read, file->item->path), &file->data,
                     &file->size, reason)) {
        file->fault = strdup(reason);
    }
}

static bool is_stopped(void *user) {
    (void)user;
    return atomic_load(&stopped) != 0;
}

/* Failures that all later files would have too. */
static bool ends_all(const batch_result *result) {
    const cli_exit code = result->record.code;
    return result->is_full || code == CLI_NO_DEVICE ||
           (code == CLI_DEVICE_FAILED && !result->messages.is_large);
}

static bool run(void *user, size_t thread, size_t task, schedule_ticket *ticket) {
    batch *b = user;
    batch_file *file = &b->plan.files[task];
    batch_result result;
    batch_file_run(&b->common, &b->of_threads[thread], file, ticket, &result);
    if (b->options->json) {
        progress_clear();
    }
    if (b->report != NULL) {
        report_note(b->report, task, &result.record);
    }
    cli_messages messages = {.is_silent = b->common.is_silent};
    cli_keep_messages(&messages);
    const cli_exit recorded = record_file_append(b->records, &result.record, b->options->json);
    cli_keep_messages(NULL);
    pthread_mutex_lock(&b->lock);
    if (recorded != CLI_DONE && b->failure.failure == NULL) {
        b->failure = messages;
        messages = (cli_messages){.failure = NULL};
    }
    status_count(&b->status, &result.record, file->item->bytes);
    status_count_cut(&b->status, result.report.end_cut);
    if (b->stop == CLI_DONE) {
        b->stop = recorded != CLI_DONE ? recorded
                  : ends_all(&result)  ? result.record.code
                                       : CLI_DONE;
    }
    const bool goes_on = b->stop == CLI_DONE;
    pthread_mutex_unlock(&b->lock);
    cli_messages_release(&messages);
    batch_result_release(&result);
    machine_give_memory_back(file->item->bytes);
    return goes_on;
}

static void show(void *user) {
    batch *b = user;
    char line[STATUS_WIDTH];
    const int columns = progress_columns();
    if (atomic_load(&stopped) > 0 && !b->stop_is_told) {
        b->stop_is_told = true;
        progress_clear();
        fprintf(stderr, "posemill: finishes the files in work; a second signal ends it at once\n");
    }
    if (columns > 0) {
        pthread_mutex_lock(&b->lock);
        status_line(&b->status, progress_clock() - b->status.begun, columns, line);
        pthread_mutex_unlock(&b->lock);
        progress_line(line);
    }
}

static bool run_threads(batch *b) {
    const schedule plan = {.task_count = b->plan.count,
                           .threads = b->jobs < b->plan.count ? b->jobs : b->plan.count,
                           .memory = b->memory,
                           .user = b,
                           .need = need,
                           .prepare = prepare,
                           .run = run,
                           .is_stopped = is_stopped,
                           .show = show};
    machine_keep_memory();
    /* A batch before in this process may have run beside one that was killed. */
    atomic_file_look_again();
    atomic_store(&stopped, 0);
    atomic_file_stop_first(b->common.how->ends_at_once ? NULL : &stopped);
    const bool ran = plan.threads == 0 || schedule_run(&plan);
    atomic_file_stop_first(NULL);
    progress_clear();
    return ran;
}

/* ---- the report ------------------------------------------------------------------------ */

static bool has_been_stopped(void) {
    return atomic_load(&stopped) != 0;
}

static cli_exit begin_report(batch *b, const batch_items *items) {
    const batch_options *how = b->common.how;
    b->other_files[0] = b->records_path;
    b->other_files[1] = how->files_from;
    const report_request request = {.folder = how->report,
                                    .pages = how->report_pages,
                                    .command = how->command,
                                    .options = b->options,
                                    .items = items,
                                    .plan = &b->plan,
                                    .others = b->other_files,
                                    .other_count = sizeof b->other_files / sizeof b->other_files[0],
                                    .threads = b->jobs,
                                    .is_stopped = has_been_stopped};
    return how->report != NULL ? report_begin(&request, &b->report) : CLI_DONE;
}

/* After a batch that is complete and recorded. The result of the batch is that of the report only where
 * the report cannot be written. */
static cli_exit write_report(batch *b, cli_exit code) {
    const batch_status *status = &b->status;
    const bool is_complete = status->done + status->kept + status->failed == status->files;
    if (b->report == NULL) {
        return code;
    }
    if (!is_complete || b->stop != CLI_DONE || has_been_stopped()) {
        cli_warn("--report", "nothing is written, because the batch was stopped; "
                             "--resume --report writes it");
        return code;
    }
    const cli_exit written = report_write(b->report, b->memory);
    return code > CLI_PARTIAL || written == CLI_DONE ? code
           : written == CLI_PARTIAL                  ? CLI_PARTIAL
                                                     : CLI_CANNOT_WRITE;
}

/* ---- the run --------------------------------------------------------------------------- */

static cli_exit refuse_memory(void) {
    return cli_fail(CLI_CANNOT_WRITE, "--out-dir", CLI_MEMORY_HINT, "out of memory");
}

static char *default_records(const char *folder, uint64_t shard) {
    static const char form[] = "%s/.posemill/records-%llu.jsonl";
    const size_t size = strlen(folder) + sizeof form + 20;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, form, folder, (unsigned long long)shard);
    }
    return path;
}

/* Records of all shards: the number of shards may have changed. */
static cli_exit read_records(batch *b) {
    const char *folder = b->options->out_dir, *given = b->common.how->records;
    const size_t size = strlen(folder) + sizeof "/.posemill";
    char *hidden = malloc(size);
    size_t dropped = 0;
    b->common.before = record_table_create();
    if (hidden == NULL || b->common.before == NULL) {
        free(hidden);
        return refuse_memory();
    }
    snprintf(hidden, size, "%s/.posemill", folder);
    cli_exit code = record_table_add_folder(b->common.before, hidden);
    free(hidden);
    if (code == CLI_DONE && given != NULL) {
        code = record_table_add(b->common.before, given, true, &dropped);
    }
    return code;
}

/* A copy for each thread: curves load their arrays into it. */
static bool copy_options(batch *b) {
    b->of_threads = calloc(b->jobs, sizeof *b->of_threads);
    for (size_t i = 0; b->of_threads != NULL && i < b->jobs; i++) {
        b->of_threads[i] = *b->options;
        b->of_threads[i].is_batch = true;
        if (i == 0) {
            curve_options *curve = &b->of_threads[0].curve;
            curve_options_warn(curve, curve->authored); /* once, and not for each file */
        }
        b->of_threads[i].curve.is_warned = true;
        b->of_threads[i].curve.is_warned_of_authored = b->of_threads[0].curve.authored;
    }
    return b->of_threads != NULL;
}

/* Without a rate nothing is computed. */
static cli_exit start_engine(batch *b, pm_device_info *info) {
    if (b->options->rate == NULL) {
        b->common.device = "";
        return CLI_DONE;
    }
    device_options device = b->options->device;
    const size_t share = pm_processors() / b->jobs;
    device.host_threads = share > 1 ? (uint32_t)share : 1;
    const cli_exit code = device_options_engine(&device, &b->common.engine);
    if (code == CLI_DONE) {
        pm_engine_get_info(b->common.engine, info, sizeof(pm_device_info));
        b->common.device = info->name;
    }
    return code;
}

static cli_exit result_of(const batch *b) {
    const batch_status *status = &b->status;
    const uint64_t ended = status->done + status->kept + status->failed;
    if (b->stop != CLI_DONE) {
        return b->stop;
    }
    return ended < status->files ? CLI_PARTIAL : status_code(status);
}

static cli_exit run_files(batch *b) {
    b->status =
        (batch_status){.files = b->plan.count, .bytes = b->plan.bytes, .begun = progress_clock()};
    pthread_mutex_init(&b->lock, NULL);
    const bool ran = run_threads(b);
    pthread_mutex_destroy(&b->lock);
    cli_pass_failure(&b->failure);
    cli_messages_release(&b->failure);
    if (!ran) {
        return cli_fail(CLI_CANNOT_WRITE, "--jobs", CLI_MEMORY_HINT, "no thread can be started");
    }
    status_warn(&b->status);
    if (!cli_quiet) {
        status_print(&b->status, progress_clock() - b->status.begun, b->records_path,
                     b->options->json);
    }
    return result_of(b);
}

/* A run that replaces no outputs needs no lock: an output that is there fails. */
static cli_exit lock_folder(batch *b) {
    const batch_options *how = b->common.how;
    options_files_read(b->options, &b->common.files);
    b->common.shared = options_digest(b->options, &b->common.files, NULL);
    return how->resume || how->overwrite
               ? run_lock_take(b->options->out_dir, &b->common.shared, &b->folder)
               : CLI_DONE;
}

static cli_exit start(batch *b, pm_device_info *info) {
    cli_exit code = lock_folder(b);
    if (code == CLI_DONE && b->common.how->resume) {
        code = read_records(b);
    }
    if (code == CLI_DONE && !copy_options(b)) {
        code = refuse_memory();
    }
    if (code == CLI_DONE) {
        code = start_engine(b, info);
    }
    return code == CLI_DONE ? record_file_open(b->records_path, &b->records) : code;
}

static void release(batch *b) {
    for (size_t i = 0; b->of_threads != NULL && i < b->jobs; i++) {
        curve_options_release(&b->of_threads[i].curve);
    }
    free(b->of_threads);
    free(b->records_path);
    report_end(&b->report);
    member_reader_close(&b->members);
    record_table_destroy(&b->common.before);
    status_release(&b->status);
    run_lock_release(b->folder);
    pm_engine_destroy(&b->common.engine);
}

static cli_exit run_share(batch *b, const batch_items *items, batch_shard shard) {
    const batch_options *how = b->common.how;
    const batch_outputs outputs = {.folder = b->options->out_dir,
                                   .format = b->options->to,
                                   .of_input = b->options->motion.read.format,
                                   .may_exist = how->resume || how->overwrite};
    pm_device_info info;
    b->jobs = how->jobs != 0 ? how->jobs : pm_processors();
    b->records_path = how->records != NULL ? strdup(how->records)
                                           : default_records(b->options->out_dir, shard.index);
    cli_exit code = b->records_path != NULL ? CLI_DONE : refuse_memory();
    if (code == CLI_DONE) {
        code = batch_plan_make(items, shard, &outputs, &b->plan);
    }
    if (code == CLI_DONE) {
        code = begin_report(b, items);
    }
    if (code == CLI_DONE) {
        code = start(b, &info);
    }
    const bool begun = code == CLI_DONE;
    if (begun) {
        b->memory = machine_memory(how->memory);
        code = run_files(b);
    }
    const cli_exit closed = record_file_close(&b->records);
    code = closed != CLI_DONE && code <= CLI_PARTIAL ? closed : code;
    if (begun && closed == CLI_DONE) {
        code = write_report(b, code);
    }
    release(b);
    batch_plan_release(&b->plan);
    return code;
}

cli_exit batch_resample(const resample_options *options, const batch_options *how, char **operands,
                        size_t operand_count) {
    const batch_sources sources = {.operands = operands,
                                   .operand_count = operand_count,
                                   .files_from = how->files_from,
                                   .match = how->match,
                                   .skip_folder = options->out_dir,
                                   .skip_report = how->report};
    batch b = {
        .options = options, .common = {.how = how, .is_silent = cli_is_silent()}, .folder = -1};
    batch_items items = {.count = 0};
    batch_shard shard = {0, 1};
    const char *source = NULL;
    cli_exit code = shard_find(how->shard, &shard, &source);
    if (code == CLI_DONE && how->shard != NULL && !cli_quiet) {
        fprintf(stderr, "posemill: shard %llu of %llu, %s\n", (unsigned long long)shard.index,
                (unsigned long long)shard.count, source);
    }
    if (code == CLI_DONE && how->report != NULL && shard.count > 1) {
        code = cli_fail(CLI_USAGE, "--report",
                        "when all shards are done, write it with: "
                        "posemill resample --resume --report DIR, without --shard",
                        "is of the whole batch, not of a shard");
    }
    if (code == CLI_DONE) {
        code = batch_items_find(&sources, &items);
    }
    if (code == CLI_DONE && items.count == 0) {
        code = cli_fail(CLI_BAD_INPUT, "input", "--match picks files of other names",
                        "no motion files were found");
    }
    if (code == CLI_DONE) {
        code = run_share(&b, &items, shard);
    }
    batch_items_release(&items);
    return code;
}
