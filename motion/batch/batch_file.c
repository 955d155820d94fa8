/* SPDX-License-Identifier: MIT
 *
 * Keeping, resampling and recording one file.
 */
#include "motion/batch/batch_file.h"

#include <stdlib.h>
#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/steps/steps.h"
#include "motion/task/task_files.h"

/* Measured: text and its numbers take 4 times the bytes of a BVH file with the reference path and 6
 * times with a device, and less of other formats. docs/batch.md has the figures. */
enum { FIXED_BYTES = 8 << 20, TIMES_INPUT = 6, TIMES_UNPACKED = 2, TIMES_OUTPUT = 3 };

static uint64_t times(double bytes, double factor) {
    const double product = bytes * factor;
    return product < 0x1p60 ? (uint64_t)product : UINT64_C(1) << 60;
}

uint64_t batch_file_need(const batch_file *file) {
    return FIXED_BYTES + times((double)file->item->bytes, TIMES_INPUT);
}

typedef struct growing {
    batch_file *file;
    schedule_ticket *ticket;
    digest_state *digest; /* of the input */
} growing;

static void grow_to(const growing *g, uint64_t before, uint64_t needed) {
    if (needed > before)
        schedule_grow(g->ticket, needed - before);
}

/* Compressed files are larger in memory than any factor of their bytes. */
static void expect(void *user, uint64_t bytes) {
    const growing *g = user;
    g->file->unpacked = bytes;
    grow_to(g, batch_file_need(g->file), FIXED_BYTES + times((double)bytes, TIMES_UNPACKED));
}

/* Text is written as it is computed; other outputs are in memory before they are written. */
static void opened(void *user, double ratio) {
    const growing *g = user;
    const pm_motion_format format = pm_motion_find_format(g->file->out);
    const uint64_t of_file = batch_file_need(g->file), packed = g->file->item->bytes;
    const uint64_t of_unpacked = FIXED_BYTES + times((double)g->file->unpacked, TIMES_UNPACKED);
    const uint64_t bytes = packed > g->file->unpacked ? packed : g->file->unpacked;
    if (format != PM_MOTION_BVH && format != PM_MOTION_CSV && format != PM_MOTION_TUM)
        grow_to(g, of_file > of_unpacked ? of_file : of_unpacked,
                FIXED_BYTES + times((double)bytes, TIMES_OUTPUT * ratio));
}

static void see(void *user, const void *data, size_t size) {
    if (user)
        digest_add(user, data, size);
}

static void see_input(void *user, const void *data, size_t size) {
    see(((const growing *)user)->digest, data, size);
}

/* Whether a .gltf file may refer to others, whose bytes belong to its input. */
static bool has_parts(const batch_file *file) {
    return file->data == NULL && pm_motion_find_format(file->item->path) == PM_MOTION_GLTF;
}

/* Opens a motion for nothing but the bytes that are read for it. */
static digest digest_of_parts(const pm_motion_batch_task *task, const char *path) {
    digest_state *state = digest_begin();
    const pm_motion_observer observer = {.see = see, .user = state};
    pm_motion_read_options read = task->read;
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    pm_error error;
    read.log = NULL;
    read.observer = &observer;
    const pm_status status = pm_motion_open(path, &read, &motion, &error);
    const digest found = digest_end(&state);
    return status == PM_OK ? found : (digest){""};
}

/* "" if the input cannot be read, or cannot be read twice. */
static digest digest_of_input(const pm_motion_batch_task *task, const batch_file *file) {
    digest found = {""};
    if (file->data)
        return digest_of(file->data, file->size);
    if (strcmp(file->item->path, "-") == 0)
        return found;
    if (has_parts(file))
        return digest_of_parts(task, file->item->path);
    return digest_of_file(file->item->path, &found) ? found : (digest){""};
}

/* File systems of Windows count in steps of 100 ns: another system may read a time that it shows so. */
static bool is_unchanged(const batch_record *record, const os_info *output) {
    return output->kind == OS_REGULAR && output->size == record->bytes_written &&
           output->time / 100 == record->output_time / 100;
}

static bool has_recorded_content(const batch_record *record, const char *path) {
    digest found;
    return digest_of_file(path, &found) && digest_equal(&found, &record->output);
}

/* The record that proves that the output is what would be written. NULL: none. */
static const batch_record *find_proof(const batch_common *common, const batch_file *file,
                                      const digest *wanted) {
    size_t count = 0;
    os_info output;
    const batch_record *const *records =
        common->before ? record_table_find(common->before, file->name, &count) : NULL;
    if (!records || wanted->text[0] == '\0' || !os_look(file->out, &output))
        return NULL;
    digest input = {""};
    for (size_t i = 0; i < count; i++) {
        const batch_record *record = records[i];
        if (record->status == RECORD_FAILED || strcmp(record->version, pm_version()) != 0 ||
            !digest_equal(&record->options, wanted) || !is_unchanged(record, &output))
            continue;
        if (input.text[0] == '\0')
            input = digest_of_input(&common->options->task, file);
        if (input.text[0] != '\0' && digest_equal(&record->input, &input) &&
            (!common->options->verify || has_recorded_content(record, file->out)))
            return record;
    }
    return NULL;
}

/* A change of a file shows in its time if the last one is older than a step of the system's clock. One
 * that was changed just now is looked at again after such a step. */
static pm_status wait_for_writer(const char *path, pm_error *error) {
    enum { STEP = 20 }; /* milliseconds; Linux has steps of 1 to 10 */
    os_info info, later;
    if (strcmp(path, "-") == 0 || !os_look(path, &info) || info.kind != OS_REGULAR)
        return PM_OK;
    const int64_t age = (os_time_of_day() - info.time) / 1000000;
    if (age <= -STEP || age >= STEP)
        return PM_OK;
    os_sleep(STEP);
    if (!os_look(path, &later) || later.time == info.time)
        return PM_OK;
    motion_fail_at(error, PM_ERROR_FILE, path, NULL, "changed while it was read");
    motion_cure(error, "resume", "true", "does it again when the file is complete");
    return PM_ERROR_FILE;
}

/* A pipe or a device would hold up a thread, and signals wait for files in work. */
static bool is_special(const batch_file *file) {
    os_info info;
    return file->data == NULL && strcmp(file->item->path, "-") != 0 &&
           os_look(file->item->path, &info) && info.kind != OS_REGULAR && info.kind != OS_FOLDER;
}

pm_status batch_file_refuse(const batch_file *file, pm_error *error) {
    const char *fault = file->item->fault  ? file->item->fault
                        : file->fault      ? file->fault
                        : is_special(file) ? "is no regular file"
                                           : NULL;
    return !fault ? PM_OK
                  : motion_fail_at(error, PM_ERROR_FILE, file->item->path, NULL, "%s", fault);
}

static pm_status find_output(const batch_file *file, batch_record *record, pm_error *error) {
    os_info info;
    if (!os_look(file->out, &info))
        return motion_fail_at(error, PM_ERROR_OUTPUT, file->out, NULL,
                              "is not there after it was written");
    record->bytes_written = info.size;
    record->output_time = info.time;
    return PM_OK;
}

static pm_status run_task(const task_how *how, const task_input *in, const task_output *out,
                          batch_result *result) {
    SCOPED(task_close) task_work work;
    MOTION_TRY(task_open(&work, how, in, out, &result->report, &result->error));
    return task_write(&work, &result->error);
}

static pm_status resample_digested(const batch_common *common, const task_how *how,
                                   batch_file *file, schedule_ticket *ticket,
                                   batch_result *result) {
    const pm_motion_batch_options *o = common->options;
    digest_state *in = digest_begin(), *out = digest_begin();
    growing grows = {.file = file, .ticket = ticket, .digest = in};
    const pm_motion_observer sees_in = {.see = see_input, .expect = expect, .user = &grows},
                             sees_out = {.see = see, .user = out};
    const task_input input = {.path = file->item->path,
                              .data = file->data,
                              .size = file->size,
                              .source_rate = file->item->source_rate,
                              .layout = file->item->layout,
                              .observer = &sees_in,
                              .opened = opened,
                              .opened_user = &grows};
    const task_output output = {
        .path = file->out, .must_be_new = !o->resume && !o->overwrite, .observer = &sees_out};
    pm_status status = PM_ERROR_OUTPUT;
    if (in && out)
        status = run_task(how, &input, &output, result);
    else
        motion_fail_at(&result->error, status, file->item->path, MOTION_MEMORY_HINT,
                       "out of memory for digests");
    result->record.input = digest_end(&in);
    const digest written = digest_end(&out);
    result->record.output = status == PM_OK ? written : (digest){""};
    return status;
}

static pm_status resample(const batch_common *common, const task_how *how, batch_file *file,
                          schedule_ticket *ticket, batch_result *result) {
    const pm_motion_batch_task *task = how->task;
    pm_error *error = &result->error;
    MOTION_TRY(batch_file_refuse(file, error));
    if (!file->data)
        MOTION_TRY(task_check_input(task, file->item->path, error));
    MOTION_TRY(task_check_output(task, true, file->out, error));
    if (!file->data)
        MOTION_TRY(wait_for_writer(file->item->path, error));
    MOTION_TRY(resample_digested(common, how, file, ticket, result));
    return find_output(file, &result->record, error);
}

/* Two texts as one warning of the record. What memory is exhausted for is lost. */
static void keep_warning(batch_result *result, const char *what, const char *text) {
    char **grown =
        realloc(result->warnings, (result->warning_count + 1) * sizeof *result->warnings);
    char *copy = compose_format("%s%s", what, text);
    result->warnings = grown ? grown : result->warnings;
    if (grown && copy)
        grown[result->warning_count++] = copy;
    else
        free(copy);
}

typedef struct listener {
    const batch_common *common;
    batch_result *result;
} listener;

static void hear(void *user, pm_log_level level, const pm_error *remark) {
    const listener *l = user;
    char text[PM_ERROR_TEXT_SIZE];
    pm_error_text(remark, l->common->options->spelling, text, sizeof text);
    if (level == PM_LOG_WARNING)
        keep_warning(l->result, "", text);
    l->common->log(l->common->log_user, level, remark);
}

/* Each jump by its name: a record is all that is said of a file. */
static void keep_jumps(batch_result *result) {
    static const char *const words[2] = {"jump repaired", "jump stays"};
    const task_report *report = &result->report;
    bool begins = false;
    for (size_t i = 0; i < report->jump_count; i++) {
        char text[2 * MOTION_PRINTABLE];
        jumps_describe(&report->jumps[i], 1, 1, words, text, sizeof text);
        if (text[0] != '\0')
            keep_warning(result, "", text);
        begins = begins || text[0] == '\0';
    }
    if (begins)
        keep_warning(result, "", "key 0 is apart, as a T-pose is");
}

/* Of many files the end is told once, by their number. */
static void gather_warnings(const batch_file *file, pm_spelling spelling, batch_result *result) {
    const task_report *report = &result->report;
    const char *path = file->item->path;
    if (report->end_cut > 0) {
        char end[PM_ERROR_TEXT_SIZE + 2] = ": ";
        pm_error warning;
        task_describe_end(report->rate, report->end_cut, &warning);
        pm_error_text(&warning, spelling, end + 2, PM_ERROR_TEXT_SIZE);
        keep_warning(result, strcmp(path, "-") == 0 ? "standard input" : path, end);
    }
    if (report->left_out[0] != '\0')
        keep_warning(result, "left out: ", report->left_out);
    if (strstr(report->converted, "(estimated)"))
        keep_warning(result, "converted: ", report->converted);
    if (report->other_arrays[0] != '\0')
        keep_warning(result, "resampled though no layout names them: ", report->other_arrays);
    keep_jumps(result);
    result->record.warnings = (const char *const *)result->warnings;
    result->record.warning_count = result->warning_count;
}

static void describe(const batch_file *file, pm_spelling spelling, batch_result *result) {
    batch_record *record = &result->record;
    const task_report *report = &result->report;
    record->source_rate = report->source_rate;
    record->rate = report->rate;
    record->frames = report->frames;
    record->joints = report->joint_count;
    record->method = report->method;
    record->device = report->device.name;
    record->bytes_read = report->bytes_read;
    record->checked = report->checked;
    record->identical = report->identical;
    record->max_error = report->max_error;
    record->reduced = report->reduced;
    gather_warnings(file, spelling, result);
}

static void keep(const batch_record *proof, const batch_file *file, batch_result *result) {
    const digest shared = result->record.shared;
    result->record = *proof;
    result->record.status = RECORD_KEPT;
    result->record.shared = shared;
    result->record.in = file->item->path;
    result->record.out = file->out;
}

static void make(const batch_common *common, task_curve *curve, batch_file *file,
                 schedule_ticket *ticket, batch_result *result) {
    listener listens = {common, result};
    const task_how how = {.task = &common->options->task,
                          .curve = curve,
                          .engines = common->engines,
                          .is_batch = true,
                          .log = hear,
                          .log_user = &listens};
    batch_record *record = &result->record;
    const pm_status status = resample(common, &how, file, ticket, result);
    record->status = status == PM_OK ? RECORD_DONE : RECORD_FAILED;
    record->code = record_code(status);
    if (status != PM_OK)
        motion_write_line(&result->error, common->options->spelling, result->error_text);
    record->error = status == PM_OK ? NULL : result->error_text;
    describe(file, common->options->spelling, result);
}

void batch_file_run(const batch_common *common, task_curve *curve, batch_file *file,
                    schedule_ticket *ticket, batch_result *result) {
    const double begun = os_seconds();
    const digest wanted = options_digest(&common->options->task, &common->files, file->item);
    *result = (batch_result){.record = {.name = file->name,
                                        .in = file->item->path,
                                        .out = file->out,
                                        .options = wanted,
                                        .shared = common->shared,
                                        .version = pm_version(),
                                        .method = ""}};
    const batch_record *proof = find_proof(common, file, &wanted);
    if (proof)
        keep(proof, file, result);
    else
        make(common, curve, file, ticket, result);
    free(file->data);
    file->data = NULL;
    result->record.seconds = os_seconds() - begun;
    result->record.time = os_time_of_day();
}

void batch_result_release(batch_result *result) {
    for (size_t i = 0; i < result->warning_count; i++)
        free(result->warnings[i]);
    MOTION_FREE(result->warnings, result->report.jumps);
    *result = (batch_result){.warnings = NULL};
}
