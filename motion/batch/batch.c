/* SPDX-License-Identifier: MIT
 *
 * Runs a batch: plans, starts threads, and counts what they do.
 */
#include "motion/batch/batch.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/batch/batch_file.h"
#include "motion/batch/guesses.h"
#include "motion/batch/plan.h"
#include "motion/batch/schedule.h"
#include "motion/files/atomic_file.h"
#include "motion/files/output.h"
#include "motion/items/archive.h"
#include "motion/open/formats.h"
#include "motion/steps/steps.h"

/* What a file gives the digest of all. */
typedef struct named_output {
    const char *name; /* NULL: nothing */
    digest output;
} named_output;

struct batch {
    const pm_motion_batch_list *list;
    const pm_motion_batch_options *options;
    batch_common common;
    task_engines engines;
    batch_plan plan;
    record_file *records;
    int folder; /* the lock on it. -1: none */
    char *records_path;
    task_curve *curves; /* of the threads */
    size_t jobs;
    uint64_t memory; /* for files */

    member_reader members;
    batch_report *report;       /* NULL: none */
    const char *other_files[2]; /* that it must not overwrite */
    bool is_recorded;           /* the run has ended with all its records */
    double begun;

    pthread_mutex_t lock; /* of all below, and of the caller's functions */
    pm_motion_batch_result counts;
    named_output *outputs; /* of the files of the plan */
    batch_guess *guesses;  /* likewise */
    pm_error stop;         /* a failure that no other file would escape. PM_OK: none */
};

static uint64_t need(void *user, size_t task) {
    const batch *b = user;
    return batch_file_need(&b->plan.files[task]);
}

static void prepare(void *user, size_t task) {
    batch *b = user;
    batch_file *file = &b->plan.files[task];
    char reason[ARCHIVE_REASON_SIZE] = "";
    if (file->item->archive && !file->item->fault &&
        !member_read(&b->members, file->item,
                     motion_kind_of(&b->options->task.read, file->item->path), &file->data,
                     &file->size, reason))
        file->fault = strdup(reason);
}

static bool is_stopped(void *user) {
    const pm_motion_batch_options *o = ((const batch *)user)->options;
    return o->is_stopped != NULL && o->is_stopped(o->is_stopped_user);
}

/* Failures that all later files would have too: a full disk, and those of devices but for their memory,
 * which says nothing of other files. */
static bool ends_all(const pm_error *error) {
    return error->hint == motion_full_hint || error->status == PM_ERROR_NO_PLATFORM ||
           error->status == PM_ERROR_NO_DEVICE || error->status == PM_ERROR_BUILD ||
           error->status == PM_ERROR_DEVICE;
}

static void count(pm_motion_batch_result *counts, const batch_record *record, uint64_t bytes,
                  double end_cut) {
    counts->bytes_ended += bytes;
    counts->cut_ends += end_cut > 0;
    counts->longest_cut = fmax(counts->longest_cut, end_cut);
    counts->failed += record->status == RECORD_FAILED;
    counts->kept += record->status == RECORD_KEPT;
    if (record->status == RECORD_DONE) {
        counts->done++;
        counts->frames += record->frames;
        counts->joint_samples += record->frames * record->joints;
        counts->bytes_read += record->bytes_read;
        counts->bytes_written += record->bytes_written;
    }
}

static void tell_end(const batch *b, const batch_result *result, const char *line) {
    const batch_record *record = &result->record;
    const pm_motion_batch_file file = {.name = record->name,
                                       .in = record->in,
                                       .out = record->out,
                                       .state = (pm_motion_batch_state)record->status,
                                       .error =
                                           record->status == RECORD_FAILED ? &result->error : NULL,
                                       .record = line};
    if (b->options->ended)
        b->options->ended(b->options->ended_user, &file);
}

static void stop(batch *b, const pm_error *error, bool is_of_file) {
    if (b->stop.status == PM_OK) {
        b->stop = *error;
        b->counts.ended_by_file = is_of_file;
    }
}

static bool run(void *user, size_t thread, size_t task, schedule_ticket *ticket) {
    batch *b = user;
    batch_file *file = &b->plan.files[task];
    batch_result result;
    pm_error unrecorded = {.status = PM_OK};
    char *line = NULL;
    batch_file_run(&b->common, &b->curves[thread], file, ticket, &result);
    const batch_record *record = &result.record;
    if (b->report)
        report_note(b->report, task, record);
    const pm_status recorded = record_file_append(b->records, record, &line, &unrecorded);
    pthread_mutex_lock(&b->lock);
    count(&b->counts, record, file->item->bytes, result.report.end_cut);
    if (record->status != RECORD_FAILED)
        b->outputs[task] = (named_output){file->name, record->output};
    guess_note(&b->guesses[task], &result.report, file->name);
    tell_end(b, &result, line);
    if (recorded != PM_OK)
        stop(b, &unrecorded, false);
    else if (record->status == RECORD_FAILED && ends_all(&result.error))
        stop(b, &result.error, true);
    const bool goes_on = b->stop.status == PM_OK;
    pthread_mutex_unlock(&b->lock);
    free(line);
    batch_result_release(&result);
    machine_give_memory_back(file->item->bytes + file->unpacked);
    return goes_on;
}

static void show(void *user) {
    batch *b = user;
    if (b->options->progress) {
        pthread_mutex_lock(&b->lock);
        b->counts.seconds = os_seconds() - b->begun;
        b->options->progress(b->options->progress_user, &b->counts);
        pthread_mutex_unlock(&b->lock);
    }
}

static bool run_threads(batch *b) {
    const schedule plan = {.task_count = b->plan.count,
                           .threads = b->jobs,
                           .memory = b->memory,
                           .user = b,
                           .need = need,
                           .prepare = prepare,
                           .run = run,
                           .is_stopped = is_stopped,
                           .show = show};
    /* A batch before in this process may have run beside one that was killed. */
    atomic_file_look_again();
    return schedule_run(&plan);
}

static void hear(void *user, pm_log_level level, const pm_error *remark) {
    batch *b = user;
    pthread_mutex_lock(&b->lock);
    if (b->options->log)
        b->options->log(b->options->log_user, level, remark);
    pthread_mutex_unlock(&b->lock);
}

/* Records of all shards: the number of shards may have changed. */
static pm_status read_records(batch *b, pm_error *error) {
    const char *folder = b->options->out_dir, *given = b->options->records;
    FREED char *hidden = compose_format("%s/.posemill", folder);
    b->common.before = record_table_create();
    if (!hidden || !b->common.before)
        return motion_refuse_output_memory(error);
    MOTION_TRY(record_table_add_folder(b->common.before, hidden, error));
    return given ? record_table_add(b->common.before, given, true, NULL, error) : PM_OK;
}

/* Warnings about the curve are given once, and not for each file. */
static bool make_curves(batch *b) {
    const pm_motion_curve *curve = &b->options->task.curve;
    b->curves = calloc(b->jobs, sizeof *b->curves);
    if (b->curves)
        task_curve_warn(curve, curve->authored, &b->curves[0], b->common.log, b->common.log_user);
    for (size_t i = 0; b->curves && i < b->jobs; i++) {
        b->curves[i].is_warned = true;
        b->curves[i].is_warned_of_authored = curve->authored;
    }
    return b->curves != NULL;
}

static pm_status begin_report(batch *b, pm_error *error) {
    b->other_files[0] = b->records_path;
    b->other_files[1] = b->list->files_from;
    const report_request request = {.options = b->options,
                                    .items = &b->list->items,
                                    .plan = &b->plan,
                                    .others = b->other_files,
                                    .other_count = sizeof b->other_files / sizeof b->other_files[0],
                                    .threads = b->jobs};
    return b->options->report ? report_begin(&request, &b->report, error) : PM_OK;
}

/* A run that replaces no outputs needs no lock: an output that is there fails. */
static pm_status lock_folder(batch *b, pm_error *error) {
    const pm_motion_batch_options *o = b->options;
    options_files_read(&o->task, &b->common.files);
    b->common.shared = options_digest(&o->task, &b->common.files, NULL);
    return o->resume || o->overwrite ? run_lock_take(o->out_dir, &b->common.shared, b->common.log,
                                                     b->common.log_user, &b->folder, error)
                                     : PM_OK;
}

static pm_status prepare_batch(batch *b, pm_error *error) {
    const pm_motion_batch_options *o = b->options;
    b->records_path =
        o->records ? strdup(o->records)
                   : compose_format("%s/.posemill/records-%" PRIu64 ".jsonl", o->out_dir, o->shard);
    if (!b->records_path)
        return motion_refuse_output_memory(error);
    MOTION_TRY(batch_plan_of(b->list, o, &b->plan, error));
    const size_t files = b->plan.count > 1 ? b->plan.count : 1;
    b->jobs = o->jobs != 0 ? o->jobs : pm_processors();
    b->jobs = b->jobs < files ? b->jobs : files;
    MOTION_TRY(begin_report(b, error));
    MOTION_TRY(lock_folder(b, error));
    if (o->resume)
        MOTION_TRY(read_records(b, error));
    b->outputs = calloc(b->plan.count + 1, sizeof *b->outputs);
    b->guesses = calloc(b->plan.count + 1, sizeof *b->guesses);
    return b->outputs && b->guesses && make_curves(b) ? PM_OK : motion_refuse_output_memory(error);
}

pm_status batch_begin(const pm_motion_batch_list *list, const pm_motion_batch_options *options,
                      batch **made, pm_error *error) {
    batch *b = calloc(1, sizeof *b);
    *made = NULL;
    if (!b)
        return motion_refuse_output_memory(error);
    b->list = list;
    b->options = options;
    b->folder = -1;
    b->common.options = options;
    b->common.engines = &b->engines;
    b->common.log = hear;
    b->common.log_user = b;
    pthread_mutex_init(&b->lock, NULL);
    const pm_status status = prepare_batch(b, error);
    if (status == PM_OK)
        *made = b;
    else
        batch_end(&b);
    return status;
}

size_t batch_jobs(const batch *b) {
    return b->jobs;
}

const char *batch_records(const batch *b) {
    return b->records_path;
}

/* Records have a warning for each file. */
static void warn_of_ends(batch *b) {
    const pm_motion_batch_result *counts = &b->counts;
    if (counts->cut_ends > 0)
        motion_warn_about(&(motion_warnings){.log = b->common.log, .user = b->common.log_user},
                          task_about_end,
                          "up to %.3g s are left out at the ends of %" PRIu64
                          " file%s, on which no multiple of the rate falls",
                          counts->longest_cut, counts->cut_ends, counts->cut_ends == 1 ? "" : "s");
}

static int by_name(const void *left, const void *right) {
    const named_output *a = left, *b = right;
    return !a->name || !b->name ? (a->name == NULL) - (b->name == NULL) : strcmp(a->name, b->name);
}

/* As that of a merge. "" where memory is exhausted. */
static void digest_outputs(batch *b) {
    digest_state *hash = digest_begin();
    if (b->plan.count > 1)
        qsort(b->outputs, b->plan.count, sizeof *b->outputs, by_name);
    for (size_t i = 0; hash && i < b->plan.count && b->outputs[i].name; i++)
        digest_add_result(hash, b->outputs[i].name, &b->outputs[i].output);
    const digest found = digest_end(&hash);
    memcpy(b->counts.digest, found.text, sizeof found.text);
}

static pm_status run_files(batch *b, pm_error *error) {
    if (!run_threads(b)) {
        motion_report(error, PM_ERROR_OUTPUT, "no thread can be started");
        motion_hint(error, MOTION_MEMORY_HINT);
        return PM_ERROR_OUTPUT;
    }
    b->counts.seconds = os_seconds() - b->begun;
    warn_of_ends(b);
    guesses_tell(b->guesses, b->plan.count,
                 &(motion_warnings){.log = b->common.log, .user = b->common.log_user});
    digest_outputs(b);
    if (b->stop.status != PM_OK)
        *error = b->stop;
    return b->stop.status;
}

pm_status batch_run(batch *b, pm_engine *engine, pm_motion_batch_result *result, pm_error *error) {
    task_engines_begin(&b->engines, engine, b->options->automatic);
    b->counts = (pm_motion_batch_result){.files = b->plan.count, .bytes = b->plan.bytes};
    b->begun = os_seconds();
    pm_status status = record_file_open(b->records_path, &b->records, error);
    if (status == PM_OK) {
        b->memory = machine_memory(b->options->memory);
        status = run_files(b, error);
        pm_error unclosed;
        const pm_status closed = record_file_close(&b->records, &unclosed);
        b->is_recorded = closed == PM_OK;
        if (status == PM_OK && closed != PM_OK)
            *error = unclosed;
        status = status == PM_OK ? closed : status;
    }
    task_engines_end(&b->engines);
    *result = b->counts;
    return status;
}

pm_status batch_write_report(batch *b, const report_summary **summary, pm_error *error) {
    const pm_motion_batch_result *counts = &b->counts;
    bool stopped = counts->done + counts->kept + counts->failed < counts->files ||
                   b->stop.status != PM_OK || is_stopped(b);
    *summary = NULL;
    if (!b->report || !b->is_recorded)
        return PM_OK;
    if (stopped) {
        motion_warn_about(
            &(motion_warnings){.log = b->common.log, .user = b->common.log_user},
            (motion_about){
                .option = "report", .cure = "resume", .cure_value = "true", .hint = "writes it"},
            "nothing is written, because the batch was stopped");
        return PM_OK;
    }
    const pm_status status = report_write(b->report, b->memory, &stopped, error);
    *summary = status == PM_OK && !stopped ? report_summarise(b->report) : NULL;
    return status;
}

void batch_end(batch **made) {
    batch *b = *made;
    if (!b)
        return;
    for (size_t i = 0; b->curves && i < b->jobs; i++)
        task_curve_release(&b->curves[i]);
    MOTION_FREE(b->curves, b->records_path, b->outputs);
    guesses_release(b->guesses, b->plan.count);
    report_end(&b->report);
    member_reader_close(&b->members);
    record_table_destroy(&b->common.before);
    run_lock_release(b->folder);
    batch_plan_release(&b->plan);
    pthread_mutex_destroy(&b->lock);
    free(b);
    *made = NULL;
}
