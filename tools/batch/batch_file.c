/* SPDX-License-Identifier: MIT
 *
 * Keeping, resampling and recording one file.
 */
#define _POSIX_C_SOURCE 200809L

#include "batch_file.h"

#include "files/progress.h"
#include "motion/open/open.h"
#include "resample/resample_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t time_of_day(void) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    return nanoseconds(now);
}

/* ---- memory ---------------------------------------------------------------------------- */

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
    if (needed > before) {
        schedule_grow(g->ticket, needed - before);
    }
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
    if (format != PM_MOTION_BVH && format != PM_MOTION_CSV) {
        grow_to(g, of_file > of_unpacked ? of_file : of_unpacked,
                FIXED_BYTES + times((double)bytes, TIMES_OUTPUT * ratio));
    }
}

/* ---- what was done before -------------------------------------------------------------- */

static void see(void *user, const void *data, size_t size) {
    if (user != NULL) {
        digest_add(user, data, size);
    }
}

static void see_input(void *user, const void *data, size_t size) {
    see(((const growing *)user)->digest, data, size);
}

/* Whether a .gltf file may refer to others, whose bytes belong to its input. */
static bool has_parts(const batch_file *file) {
    return file->data == NULL && pm_motion_find_format(file->item->path) == PM_MOTION_GLTF;
}

/* Opens a motion for nothing but the bytes that are read for it. */
static digest digest_of_parts(const resample_options *options, const char *path) {
    digest_state *state = digest_begin();
    const motion_observer observer = {.see = see, .user = state};
    const pm_motion_read_options *read = &options->motion.read;
    pm_motion *motion = NULL;
    pm_error error;
    const pm_status status = motion_open_observed(path, NULL, 0, read, &observer, &motion, &error);
    pm_motion_destroy(&motion);
    const digest found = digest_end(&state);
    return status == PM_OK ? found : (digest){""};
}

/* "" if the input cannot be read, or cannot be read twice. */
static digest digest_of_input(const resample_options *options, const batch_file *file) {
    digest found = {""};
    if (file->data != NULL) {
        return digest_of(file->data, file->size);
    }
    if (strcmp(file->item->path, "-") == 0) {
        return found;
    }
    if (has_parts(file)) {
        return digest_of_parts(options, file->item->path);
    }
    return digest_of_file(file->item->path, &found) ? found : (digest){""};
}

static bool is_unchanged(const batch_record *record, const struct stat *output) {
    return S_ISREG(output->st_mode) && (uint64_t)output->st_size == record->bytes_written &&
           nanoseconds(output->st_mtim) == record->output_time;
}

static bool has_recorded_content(const batch_record *record, const char *path) {
    digest found;
    return digest_of_file(path, &found) && digest_equal(&found, &record->output);
}

/* The record that proves that the output is what would be written. NULL: none. */
static const batch_record *find_proof(const batch_common *common, const resample_options *options,
                                      const batch_file *file, const digest *wanted) {
    size_t count = 0;
    struct stat output;
    const batch_record *const *records =
        common->before != NULL ? record_table_find(common->before, file->name, &count) : NULL;
    if (records == NULL || wanted->text[0] == '\0' || stat(file->out, &output) != 0) {
        return NULL;
    }
    digest input = {""};
    for (size_t i = 0; i < count; i++) {
        const batch_record *record = records[i];
        if (record->status == RECORD_FAILED || strcmp(record->version, pm_version()) != 0 ||
            !digest_equal(&record->options, wanted) || !is_unchanged(record, &output)) {
            continue;
        }
        if (input.text[0] == '\0') {
            input = digest_of_input(options, file);
        }
        if (input.text[0] != '\0' && digest_equal(&record->input, &input) &&
            (!common->how->verify || has_recorded_content(record, file->out))) {
            return record;
        }
    }
    return NULL;
}

/* ---- resampling ------------------------------------------------------------------------ */

/* A change of a file shows in its time if the last one is older than a step of the system's clock. One
 * that was changed just now is looked at again after such a step. */
static cli_exit wait_for_writer(const char *path) {
    enum { STEP = 20000000 }; /* nanoseconds; Linux has steps of 1 to 10 ms */
    struct stat status, later;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return CLI_DONE;
    }
    const int64_t age = time_of_day() - nanoseconds(status.st_mtim);
    if (age <= -STEP || age >= STEP) {
        return CLI_DONE;
    }
    nanosleep(&(struct timespec){.tv_nsec = STEP}, NULL);
    if (stat(path, &later) != 0 || nanoseconds(later.st_mtim) == nanoseconds(status.st_mtim)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_BAD_INPUT, path, "run it again with --resume when the file is complete",
                    "changed while it was read");
}

/* A pipe or a device would hold up a thread, and signals wait for files in work. */
static bool is_special(const batch_file *file) {
    struct stat status;
    return file->data == NULL && strcmp(file->item->path, "-") != 0 &&
           stat(file->item->path, &status) == 0 && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

static cli_exit refuse(const batch_file *file) {
    const char *fault = file->item->fault != NULL ? file->item->fault
                        : file->fault != NULL     ? file->fault
                        : is_special(file)        ? "is no regular file"
                                                  : NULL;
    return fault == NULL ? CLI_DONE : cli_fail(CLI_BAD_INPUT, file->item->path, NULL, "%s", fault);
}

static cli_exit find_output(const batch_file *file, batch_record *record) {
    struct stat status;
    if (stat(file->out, &status) != 0) {
        return cli_fail(CLI_CANNOT_WRITE, file->out, NULL, "is not there after it was written");
    }
    record->bytes_written = (uint64_t)status.st_size;
    record->output_time = nanoseconds(status.st_mtim);
    return CLI_DONE;
}

/* Takes the data of the file. */
static cli_exit resample_digested(const batch_common *common, resample_options *options,
                                  batch_file *file, schedule_ticket *ticket, batch_result *result) {
    digest_state *in = digest_begin(), *out = digest_begin();
    growing grows = {.file = file, .ticket = ticket, .digest = in};
    const motion_observer sees_in = {see_input, &grows, expect},
                          sees_out = {.see = see, .user = out};
    const resample_input input = {.path = file->item->path,
                                  .data = file->data,
                                  .size = file->size,
                                  .source_rate = file->item->source_rate,
                                  .layout = file->item->layout,
                                  .observer = &sees_in,
                                  .opened = opened,
                                  .opened_user = &grows};
    const resample_output output = {.path = file->out,
                                    .must_be_new = !common->how->resume && !common->how->overwrite,
                                    .observer = &sees_out};
    const bool has_memory = in != NULL && out != NULL;
    cli_exit code = CLI_CANNOT_WRITE;
    if (has_memory) {
        file->data = NULL;
        code = resample_file(options, common->engine, &input, &output, &result->report);
    } else {
        cli_fail(code, file->item->path, CLI_MEMORY_HINT, "out of memory for digests");
    }
    result->record.input = digest_end(&in);
    const digest written = digest_end(&out);
    result->record.output = code == CLI_DONE ? written : (digest){""};
    return code;
}

static cli_exit resample(const batch_common *common, resample_options *options, batch_file *file,
                         schedule_ticket *ticket, batch_result *result) {
    cli_exit code = refuse(file);
    if (code == CLI_DONE && file->data == NULL) {
        code = resample_check_input(options, file->item->path);
    }
    if (code == CLI_DONE) {
        code = resample_check_output(options, file->out);
    }
    if (code == CLI_DONE && file->data == NULL) {
        code = wait_for_writer(file->item->path);
    }
    if (code == CLI_DONE) {
        code = resample_digested(common, options, file, ticket, result);
    }
    return code == CLI_DONE ? find_output(file, &result->record) : code;
}

/* ---- records --------------------------------------------------------------------------- */

static char *note(const char *what, const char *names) {
    const size_t size = strlen(what) + strlen(names) + 1;
    char *text = names[0] != '\0' ? malloc(size) : NULL;
    if (text != NULL) {
        snprintf(text, size, "%s%s", what, names);
    }
    return text;
}

static void gather_warnings(batch_result *result) {
    const cli_messages *messages = &result->messages;
    result->notes[0] = note("left out: ", result->report.left_out);
    result->notes[1] = note("resampled though no layout names them: ", result->report.other_arrays);
    result->warnings = malloc((messages->warning_count + 2) * sizeof *result->warnings);
    if (result->warnings == NULL) {
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < messages->warning_count; i++) {
        result->warnings[count++] = messages->warnings[i];
    }
    for (size_t i = 0; i < 2; i++) {
        if (result->notes[i] != NULL) {
            result->warnings[count++] = result->notes[i];
        }
    }
    result->record.warnings = result->warnings;
    result->record.warning_count = count;
}

static void describe(const batch_common *common, batch_result *result) {
    batch_record *record = &result->record;
    const resample_report *report = &result->report;
    record->source_rate = report->source_rate;
    record->rate = report->rate;
    record->frames = report->frames;
    record->joints = report->joint_count;
    record->method = report->method;
    record->device = common->device;
    record->bytes_read = report->bytes_read;
    record->checked = report->checked;
    record->identical = report->identical;
    record->max_error = report->max_error;
    gather_warnings(result);
}

static void keep(const batch_record *proof, const batch_file *file, batch_result *result) {
    const digest shared = result->record.shared;
    result->record = *proof;
    result->record.status = RECORD_KEPT;
    result->record.shared = shared;
    result->record.in = file->item->path;
    result->record.out = file->out;
}

static void make(const batch_common *common, resample_options *options, batch_file *file,
                 schedule_ticket *ticket, batch_result *result) {
    batch_record *record = &result->record;
    record->code = resample(common, options, file, ticket, result);
    record->status = record->code == CLI_DONE ? RECORD_DONE : RECORD_FAILED;
    describe(common, result);
    record->error = record->code == CLI_DONE           ? NULL
                    : result->messages.failure != NULL ? result->messages.failure
                                                       : "out of memory for the message";
    result->is_full = record->code != CLI_DONE && result->messages.is_full;
}

void batch_file_run(const batch_common *common, resample_options *options, batch_file *file,
                    schedule_ticket *ticket, batch_result *result) {
    const double begun = progress_clock();
    const digest wanted = options_digest(options, &common->files, file->item);
    *result = (batch_result){.record = {.name = file->name,
                                        .in = file->item->path,
                                        .out = file->out,
                                        .options = wanted,
                                        .shared = common->shared,
                                        .version = pm_version(),
                                        .method = ""}};
    result->messages.is_silent = common->is_silent;
    cli_keep_messages(&result->messages);
    const batch_record *proof = find_proof(common, options, file, &wanted);
    if (proof != NULL) {
        keep(proof, file, result);
    } else {
        make(common, options, file, ticket, result);
    }
    cli_keep_messages(NULL);
    free(file->data);
    file->data = NULL;
    result->record.seconds = progress_clock() - begun;
    result->record.time = time_of_day();
}

void batch_result_release(batch_result *result) {
    cli_messages_release(&result->messages);
    free(result->warnings);
    free(result->notes[0]);
    free(result->notes[1]);
    *result = (batch_result){.is_full = false};
}
