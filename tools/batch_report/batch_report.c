/* SPDX-License-Identifier: MIT
 *
 * Files are compared on the threads of a schedule, as they were resampled. The pages of the worst are
 * made afterwards, one at a time, because a page takes much memory.
 */
#define _POSIX_C_SOURCE 200809L

#include "batch_report.h"

#include "batch/machine.h"
#include "batch/member_reader.h"
#include "batch/schedule.h"
#include "files/progress.h"
#include "motion/base/printable.h"
#include "motion/files/folders.h"
#include "report_index.h"
#include "report_names.h"
#include "report_page.h"
#include "report_pair.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch_report {
    report_request request;
    report_file *files; /* of the plan, in its order */
    member_reader members;
    atomic_size_t done;       /* files that are compared */
    atomic_bool lacks_memory; /* for a row */
    report_row **rows;        /* in their order */
    size_t row_count;
};

static cli_exit refuse_memory(void) {
    return cli_fail(CLI_CANNOT_WRITE, "--report", CLI_MEMORY_HINT, "out of memory");
}

static cli_exit check_folder(const report_request *r) {
    return report_check_folder(r->folder, r->items, r->plan, r->others, r->other_count);
}

cli_exit report_begin(const report_request *request, batch_report **report) {
    cli_exit code = check_folder(request);
    if (code != CLI_DONE) {
        return code;
    }
    batch_report *r = calloc(1, sizeof *r);
    report_file *files = calloc(request->plan->count + 1, sizeof *files);
    if (r == NULL || files == NULL) {
        free(r);
        free(files);
        return refuse_memory();
    }
    *r = (batch_report){.request = *request, .files = files};
    for (size_t i = 0; i < request->plan->count; i++) {
        files[i].file = &request->plan->files[i];
    }
    *report = r;
    return CLI_DONE;
}

void report_note(batch_report *report, size_t file, const batch_record *record) {
    report_file *f = &report->files[file];
    f->has_record = true;
    f->status = record->status;
    f->rate = record->rate;
    f->bytes_written = record->bytes_written;
    f->input = record->input;
    f->output = record->output;
    f->error = record->error != NULL ? strdup(record->error) : NULL;
}

void report_end(batch_report **report) {
    batch_report *r = *report;
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < r->request.plan->count; i++) {
        report_file_release(&r->files[i]);
    }
    member_reader_close(&r->members);
    free(r->files);
    free(r->rows);
    free(r);
    *report = NULL;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* Why a file is not to be compared. NULL: it is. */
static const char *find_refusal(const report_file *f) {
    if (f->status == RECORD_FAILED) {
        return f->error != NULL ? f->error : "out of memory for the message";
    }
    if (f->file->fault != NULL) {
        return f->file->fault;
    }
    return strcmp(f->file->item->path, "-") == 0 ? "standard input cannot be read again" : NULL;
}

/* As of a file that is resampled, for both files. */
static uint64_t need(void *user, size_t task) {
    enum { FIXED_BYTES = 8 << 20, TIMES_BYTES = 6 };
    const report_file *f = &((const batch_report *)user)->files[task];
    const double source = fmax((double)f->file->item->bytes, (double)f->file->unpacked);
    const double bytes = source + fmax((double)f->bytes_written, (double)f->file->unpacked);
    return FIXED_BYTES + (uint64_t)fmin(TIMES_BYTES * bytes, 0x1p60);
}

static void prepare(void *user, size_t task) {
    batch_report *r = user;
    batch_file *file = &r->request.plan->files[task];
    char reason[ARCHIVE_REASON_SIZE] = "";
    if (file->item->archive != NULL && find_refusal(&r->files[task]) == NULL &&
        !member_read(&r->members, file->item, NULL, &file->data, &file->size, reason)) {
        file->fault = strdup(reason);
    }
}

static bool run(void *user, size_t thread, size_t task, schedule_ticket *ticket) {
    (void)thread, (void)ticket;
    batch_report *r = user;
    report_file *f = &r->files[task];
    batch_file *file = &r->request.plan->files[task];
    const char *refusal = find_refusal(f);
    bool done = false;
    if (refusal != NULL) {
        done = report_rows_refuse(f, refusal);
    } else if (file->item->archive == NULL || file->data != NULL) {
        char *data = file->data;
        file->data = NULL;
        done = report_compare(f, r->request.options, data, file->size);
    }
    if (!done) {
        atomic_store(&r->lacks_memory, true);
    }
    atomic_fetch_add(&r->done, 1);
    machine_give_memory_back(file->item->bytes);
    return done;
}

static bool is_stopped(void *user) {
    const batch_report *r = user;
    return r->request.is_stopped();
}

static void show(void *user) {
    batch_report *r = user;
    char line[64];
    snprintf(line, sizeof line, "report: %zu/%zu files", atomic_load(&r->done),
             r->request.plan->count);
    if (progress_columns() > (int)strlen(line)) {
        progress_line(line);
    }
}

static cli_exit compare_all(batch_report *r, uint64_t memory) {
    const size_t count = r->request.plan->count;
    const schedule plan = {.task_count = count,
                           .threads = r->request.threads < count ? r->request.threads : count,
                           .memory = memory,
                           .user = r,
                           .need = need,
                           .prepare = prepare,
                           .run = run,
                           .is_stopped = is_stopped,
                           .show = show};
    const bool ran = plan.threads == 0 || schedule_run(&plan);
    member_reader_close(&r->members);
    progress_clear();
    if (!ran || atomic_load(&r->lacks_memory)) {
        return refuse_memory();
    }
    return atomic_load(&r->done) < count ? CLI_PARTIAL : CLI_DONE;
}

/* ---- the index ----------------------------------------------------------------------------- */

static bool sort_rows(batch_report *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->request.plan->count; i++) {
        count += r->files[i].row_count;
    }
    r->rows = calloc(count + 1, sizeof *r->rows);
    for (size_t i = 0; r->rows != NULL && i < r->request.plan->count; i++) {
        for (size_t k = 0; k < r->files[i].row_count; k++) {
            r->rows[r->row_count++] = &r->files[i].rows[k];
        }
    }
    if (r->rows != NULL) {
        qsort(r->rows, r->row_count, sizeof(report_row *), report_rows_compare);
    }
    return r->rows != NULL;
}

static cli_exit write_pages(batch_report *r) {
    cli_exit code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < r->row_count && i < r->request.pages; i++) {
        if (r->rows[i]->error == NULL) {
            char line[64];
            snprintf(line, sizeof line, "report: page %zu", i + 1);
            progress_note(line);
            code = report_page_write(r->request.folder, i + 1, r->rows[i], r->request.options,
                                     r->request.command);
        }
    }
    progress_clear();
    return code;
}

static report_index make_index(const batch_report *r) {
    report_index index = {.options = r->request.options,
                          .command = r->request.command,
                          .rows = (const report_row *const *)r->rows,
                          .row_count = r->row_count,
                          .files = r->request.plan->count};
    for (size_t i = 0; i < index.files; i++) {
        const report_file *f = &r->files[i];
        bool has_numbers = false;
        for (size_t k = 0; k < f->row_count; k++) {
            has_numbers = has_numbers || f->rows[k].error == NULL;
        }
        index.compared += has_numbers;
        index.failed += f->status == RECORD_FAILED;
    }
    return index;
}

static void print(const batch_report *r, const report_index *index, const char *path) {
    FILE *file = r->request.options->json ? stderr : stdout;
    const size_t others = index->files - index->compared;
    char not_compared[48] = "";
    if (cli_quiet) {
        return;
    }
    if (others > 0) {
        snprintf(not_compared, sizeof not_compared, ", %zu not", others);
    }
    if (index->compared == 0) {
        printable_line(file, "report: no file compared%s; %s", not_compared, path);
        return;
    }
    printable_line(file, "report: %zu file%s compared%s, worst %.4g degrees in %s; %s",
                   index->compared, index->compared == 1 ? "" : "s", not_compared,
                   r->rows[0]->values[MEASURE_ANGLE].max, r->rows[0]->file->file->name, path);
}

static cli_exit write_and_print(const batch_report *r, const report_index *index) {
    char *json = report_path(r->request.folder, "index.json");
    char *html = report_path(r->request.folder, "index.html");
    cli_exit code = json != NULL && html != NULL ? CLI_DONE : refuse_memory();
    if (code == CLI_DONE) {
        code = report_json_write(json, index);
    }
    if (code == CLI_DONE) {
        code = report_index_write(html, index);
    }
    if (code == CLI_DONE) {
        print(r, index, html);
    }
    free(json);
    free(html);
    return code;
}

static cli_exit make_folder(const batch_report *r) {
    char *path = report_page_name(1, "", NULL);
    char *page = path != NULL ? report_path(r->request.folder, path) : NULL;
    pm_error error = {.status = PM_OK};
    cli_exit code = page != NULL ? CLI_DONE : refuse_memory();
    if (code == CLI_DONE && folders_make_for(page, &error) != PM_OK) {
        code = cli_fail_file(&error);
    }
    free(path);
    free(page);
    return code;
}

cli_exit report_write(batch_report *r, uint64_t memory) {
    cli_exit code = make_folder(r);
    /* Names in folders that did not exist may have led elsewhere. */
    if (code == CLI_DONE) {
        code = check_folder(&r->request);
    }
    if (code == CLI_DONE) {
        code = compare_all(r, memory);
    }
    if (code == CLI_DONE && !sort_rows(r)) {
        code = refuse_memory();
    }
    if (code == CLI_DONE) {
        code = write_pages(r);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const report_index index = make_index(r);
    return write_and_print(r, &index);
}
