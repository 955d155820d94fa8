/* SPDX-License-Identifier: MIT
 *
 * Files are compared on the threads of a schedule, as they were resampled. The pages of the worst are
 * made afterwards, one at a time, because a page takes much memory.
 */
#include "motion/batch/batch_report.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/batch/schedule.h"
#include "motion/files/folders.h"
#include "motion/items/archive.h"

struct batch_report {
    report_request request;
    report_file *files; /* of the plan, in its order */
    member_reader members;
    atomic_size_t done;       /* files that are compared */
    atomic_bool lacks_memory; /* for a row */
    report_row **rows;        /* in their order */
    size_t row_count;
    report_summary summary;
};

pm_status report_begin(const report_request *request, batch_report **report, pm_error *error) {
    MOTION_TRY(report_check_folder(request, error));
    batch_report *r = calloc(1, sizeof *r);
    report_file *files = calloc(request->plan->count + 1, sizeof *files);
    if (!r || !files) {
        MOTION_FREE(r, files);
        return motion_refuse_output_memory(error);
    }
    *r = (batch_report){.request = *request, .files = files};
    for (size_t i = 0; i < request->plan->count; i++)
        files[i].file = &request->plan->files[i];
    *report = r;
    return PM_OK;
}

void report_note(batch_report *report, size_t file, const batch_record *record) {
    report_file *f = &report->files[file];
    f->has_record = true;
    f->status = record->status;
    f->rate = record->rate;
    f->bytes_written = record->bytes_written;
    f->input = record->input;
    f->output = record->output;
    f->error = record->error ? strdup(record->error) : NULL;
}

void report_end(batch_report **report) {
    batch_report *r = *report;
    if (!r)
        return;
    for (size_t i = 0; i < r->request.plan->count; i++)
        report_file_release(&r->files[i]);
    member_reader_close(&r->members);
    MOTION_FREE(r->files, r->rows, r->summary.path, r);
    *report = NULL;
}

/* Why a file is not to be compared. NULL: it is. */
static const char *find_refusal(const report_file *f) {
    if (f->status == RECORD_FAILED)
        return f->error ? f->error : "out of memory for the message";
    if (f->file->fault)
        return f->file->fault;
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
    if (file->item->archive && !find_refusal(&r->files[task]) &&
        !member_read(&r->members, file->item, NULL, &file->data, &file->size, reason))
        file->fault = strdup(reason);
}

static bool run(void *user, size_t thread, size_t task, schedule_ticket *ticket) {
    (void)thread, (void)ticket;
    batch_report *r = user;
    report_file *f = &r->files[task];
    batch_file *file = &r->request.plan->files[task];
    const char *refusal = find_refusal(f);
    bool done = false;
    if (refusal) {
        done = report_rows_refuse(f, refusal);
    } else if (!file->item->archive || file->data) {
        done = report_compare(f, r->request.options);
        free(file->data);
        file->data = NULL;
    }
    if (!done)
        atomic_store(&r->lacks_memory, true);
    atomic_fetch_add(&r->done, 1);
    machine_give_memory_back(file->item->bytes + file->unpacked);
    return done;
}

static bool is_stopped(void *user) {
    const pm_motion_batch_options *o = ((const batch_report *)user)->request.options;
    return o->is_stopped != NULL && o->is_stopped(o->is_stopped_user);
}

static void tell(const batch_report *r, size_t pages) {
    const pm_motion_batch_options *o = r->request.options;
    const pm_motion_batch_result result = {.files = r->request.plan->count,
                                           .is_reporting = true,
                                           .compared = atomic_load(&r->done),
                                           .pages = pages};
    if (o->progress)
        o->progress(o->progress_user, &result);
}

static void show(void *user) {
    tell(user, 0);
}

static pm_status compare_all(batch_report *r, uint64_t memory, bool *stopped, pm_error *error) {
    const size_t count = r->request.plan->count;
    const schedule plan = {.task_count = count,
                           .threads = r->request.threads,
                           .memory = memory,
                           .user = r,
                           .need = need,
                           .prepare = prepare,
                           .run = run,
                           .is_stopped = is_stopped,
                           .show = show};
    const bool ran = schedule_run(&plan);
    member_reader_close(&r->members);
    if (!ran || atomic_load(&r->lacks_memory))
        return motion_refuse_output_memory(error);
    *stopped = atomic_load(&r->done) < count;
    return PM_OK;
}

static bool sort_rows(batch_report *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->request.plan->count; i++)
        count += r->files[i].row_count;
    r->rows = calloc(count + 1, sizeof *r->rows);
    for (size_t i = 0; r->rows && i < r->request.plan->count; i++)
        for (size_t k = 0; k < r->files[i].row_count; k++)
            r->rows[r->row_count++] = &r->files[i].rows[k];
    if (r->rows)
        qsort(r->rows, r->row_count, sizeof(report_row *), report_rows_compare);
    return r->rows != NULL;
}

static pm_status write_pages(batch_report *r, pm_error *error) {
    const pm_motion_batch_options *o = r->request.options;
    const char *made_by = o->made_by ? o->made_by : "pm_motion_batch_run";
    for (size_t i = 0; i < r->row_count && i < o->report_pages; i++) {
        if (!r->rows[i]->error) {
            tell(r, i + 1);
            MOTION_TRY(report_page_write(o, i + 1, r->rows[i], made_by, error));
        }
    }
    return PM_OK;
}

static report_index make_index(const batch_report *r) {
    const pm_motion_batch_options *o = r->request.options;
    report_index index = {.out_dir = o->out_dir,
                          .made_by = o->made_by ? o->made_by : "pm_motion_batch_run",
                          .rows = (const report_row *const *)r->rows,
                          .row_count = r->row_count,
                          .files = r->request.plan->count};
    for (size_t i = 0; i < index.files; i++) {
        const report_file *f = &r->files[i];
        bool has_numbers = false;
        for (size_t k = 0; k < f->row_count; k++)
            has_numbers = has_numbers || f->rows[k].error == NULL;
        index.compared += has_numbers;
        index.failed += f->status == RECORD_FAILED;
    }
    return index;
}

static pm_status write_index(batch_report *r, pm_error *error) {
    const char *folder = r->request.options->report;
    const report_index index = make_index(r);
    FREED char *json = report_path(folder, "index.json");
    char *html = report_path(folder, "index.html");
    pm_status status = json && html ? PM_OK : motion_refuse_output_memory(error);
    if (status == PM_OK)
        status = report_json_write(json, &index, error);
    if (status == PM_OK)
        status = report_index_write(html, &index, error);
    r->summary = (report_summary){.files = index.files, .compared = index.compared, .path = html};
    if (index.compared > 0) {
        r->summary.degrees = r->rows[0]->values[MEASURE_ANGLE].max;
        r->summary.name = r->rows[0]->file->file->name;
    }
    return status;
}

pm_status report_make_folder(const char *folder, pm_error *error) {
    FREED char *name = report_page_name(1, "", NULL);
    FREED char *page = name ? report_path(folder, name) : NULL;
    return page ? folders_make_for(page, error) : motion_refuse_output_memory(error);
}

pm_status report_write(batch_report *r, uint64_t memory, bool *stopped, pm_error *error) {
    *stopped = false;
    MOTION_TRY(report_make_folder(r->request.options->report, error));
    /* Names in folders that did not exist may have led elsewhere. */
    MOTION_TRY(report_check_folder(&r->request, error));
    MOTION_TRY(compare_all(r, memory, stopped, error));
    if (*stopped)
        return PM_OK;
    if (!sort_rows(r))
        return motion_refuse_output_memory(error);
    MOTION_TRY(write_pages(r, error));
    return write_index(r, error);
}

const report_summary *report_summarise(const batch_report *report) {
    return &report->summary;
}
