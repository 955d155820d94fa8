/* SPDX-License-Identifier: MIT
 *
 * posemill view --out-dir: a page of each file, one after another, because a page takes much memory, and
 * an index. There are no records: a run writes all pages anew.
 */
#include "view_batch.h"

#include "files/progress.h"
#include "motion/base/composed.h"
#include "motion/base/printable.h"
#include "motion/batch/batch_file.h"
#include "motion/batch/batch_report.h"
#include "motion/batch/view_index.h"
#include "motion/compare/outcome.h"
#include "motion/items/archive.h"
#include "motion/items/batch_list.h"
#include "motion/model/summary.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct view_run {
    const command_options *options;
    const batch_items *items;
    view_row *rows; /* of the items, in their order */
    member_reader members;
    batch_failures failures;
    unsigned formats; /* bit n: pm_motion_format n was read */
} view_run;

static void add_remark(void *user, const char *text) {
    view_row_remark(user, text);
}

static void fill_row(view_row *row, const open_clip *clip) {
    const pm_motion_content *content = &clip->motion->content;
    view_row_fill(row, clip->motion, clip->clip, PM_SPELLING_COMMAND);
    for (size_t i = 0; i < content->clip_count; i++)
        if (!content->clips[i].fault)
            info_odd(content, i, motion_summarise(&content->clips[i]).first_step, add_remark, row);
}

static pm_status write_page(view_run *r, const open_clip *clip, const char *page, view_row *row,
                            pm_error *error) {
    char *path = report_path(r->options->set->batch.out_dir, page);
    if (!path)
        return motion_refuse_output_memory(error);
    r->formats |= 1u << clip->motion->content.format;
    pm_status status = view_write(r->options, clip, path, &row->joints, error);
    free(path);
    if (status == PM_OK)
        status = scene_note(clip->motion, clip->path, error);
    if (status == PM_OK)
        fill_row(row, clip);
    return status;
}

static pm_status view_data(view_run *r, const batch_item *item, const char *data, size_t size,
                           const char *page, view_row *row, pm_error *error) {
    pm_motion_read_options read = r->options->set->batch.task.read;
    open_clip clip = {.path = item->path};
    read.examine = true;
    if (item->source_rate.den != 0)
        read.source_rate = item->source_rate;
    if (item->layout)
        read.layout = item->layout;
    pm_status status = open_clip_read(&read, data, size, r->options->clip, &clip, error);
    if (status == PM_OK)
        status = write_page(r, &clip, page, row, error);
    close_clip(&clip);
    return status;
}

static pm_status view_item(view_run *r, const batch_item *item, const char *page, view_row *row,
                           pm_error *error) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    batch_file file = {.item = item};
    if (item->archive && !item->fault &&
        !member_read(&r->members, item, NULL, &file.data, &file.size, reason))
        file.fault = reason;
    pm_status status = batch_file_refuse(&file, error);
    if (status == PM_OK)
        status = view_data(r, item, file.data, file.size, page, row, error);
    free(file.data);
    return status;
}

/* False: memory is exhausted, or nothing can be written; then `error` says why. */
static bool view_row_of(view_run *r, size_t index, pm_error *error) {
    const batch_item *item = &r->items->items[index];
    view_row *row = &r->rows[index];
    char *page = report_page_name(index + 1, item->name, NULL);
    row->name = item->name;
    if (!page) {
        motion_refuse_output_memory(error);
        return false;
    }
    const pm_status status = view_item(r, item, page, row, error);
    if (status == PM_OK) {
        row->page = page;
        return true;
    }
    free(page);
    if (status == PM_ERROR_OUTPUT)
        return false;
    char text[PM_ERROR_TEXT_SIZE];
    motion_write_line(error, PM_SPELLING_COMMAND, text);
    row->error = strdup(text);
    failures_add(&r->failures, item->name, text, cli_fail_file(error));
    return row->error != NULL;
}

/* Files, then members of archives in the order in which they are read. */
static int compare_reading(const void *left, const void *right) {
    const batch_item *a = *(const batch_item *const *)left;
    const batch_item *b = *(const batch_item *const *)right;
    if (!a->archive || !b->archive)
        return (a->archive != NULL) - (b->archive != NULL);
    const int order = strcmp(a->archive, b->archive);
    return order != 0 ? order : (a->member > b->member) - (a->member < b->member);
}

static bool view_items(view_run *r, pm_error *error) {
    const size_t count = r->items->count;
    FREED const batch_item **order = calloc(count, sizeof *order);
    progress bar;
    bool done = order != NULL;
    if (!done)
        motion_refuse_output_memory(error);
    for (size_t i = 0; done && i < count; i++)
        order[i] = &r->items->items[i];
    if (done)
        qsort(order, count, sizeof *order, compare_reading);
    progress_begin(&bar, "view", count);
    for (size_t i = 0; done && i < count; i++) {
        done = view_row_of(r, (size_t)(order[i] - r->items->items), error);
        progress_advance(&bar, 1);
    }
    progress_end(&bar);
    member_reader_close(&r->members);
    return done;
}

static void print_end(const view_run *r) {
    const size_t count = r->items->count, failed = (size_t)r->failures.count;
    char others[48] = "";
    if (failed > 0)
        snprintf(others, sizeof others, ", %zu failed", failed);
    printable_line(stdout, "view: %zu page%s%s; %s/index.html", count - failed,
                   count - failed == 1 ? "" : "s", others, r->options->set->batch.out_dir);
}

static cli_exit end(const view_run *r) {
    const size_t count = r->items->count, failed = (size_t)r->failures.count;
    const view_index index = {.folder = r->options->set->batch.out_dir,
                              .made_by = r->options->line,
                              .rows = r->rows,
                              .row_count = count,
                              .failed = failed};
    const pm_motion_batch_result result = {
        .files = count, .done = count - failed, .failed = failed};
    pm_error error = {.status = PM_OK};
    const cli_exit code = cli_done(view_index_write(&index, &error), &error);
    motion_options_warn(r->options, r->formats);
    if (code == CLI_DONE && !cli_quiet)
        print_end(r);
    return code == CLI_DONE ? status_code(&result, &r->failures) : code;
}

static pm_status prepare(const view_run *r, pm_error *error) {
    const char *folder = r->options->set->batch.out_dir;
    MOTION_TRY(view_check_folder(folder, r->items, error));
    MOTION_TRY(report_make_folder(folder, error));
    /* Names in folders that did not exist may have led elsewhere. */
    return view_check_folder(folder, r->items, error);
}

static cli_exit run_list(const command_options *options, const batch_items *items) {
    view_run r = {.options = options, .items = items};
    pm_error error = {.status = PM_OK};
    if (items->count == 0)
        return cli_fail(CLI_BAD_INPUT, "input", "--match picks files of other names",
                        "no motion files were found");
    cli_exit code = cli_done(prepare(&r, &error), &error);
    if (code != CLI_DONE)
        return code;
    r.rows = calloc(items->count, sizeof *r.rows);
    if (r.rows && view_items(&r, &error))
        code = end(&r);
    else if (r.rows)
        code = cli_fail_file(&error);
    else
        code = cli_fail(CLI_BAD_INPUT, "input", CLI_MEMORY_HINT, "memory is exhausted");
    for (size_t i = 0; r.rows && i < items->count; i++)
        view_row_release(&r.rows[i]);
    free(r.rows);
    failures_release(&r.failures);
    return code;
}

cli_exit view_batch(const command_options *options, char **operands, size_t operand_count) {
    pm_motion_batch_sources sources = options->set->sources;
    SCOPED(pm_motion_batch_list_destroy) pm_motion_batch_list *list = NULL;
    pm_error error = {.status = PM_OK};
    sources.paths = (const char *const *)operands;
    sources.path_count = operand_count;
    sources.out_dir = options->set->batch.out_dir;
    CLI_TRY(cli_done(pm_motion_batch_list_create(&sources, &list, &error), &error));
    return run_list(options, &list->items);
}
