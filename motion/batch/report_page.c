/* SPDX-License-Identifier: MIT
 *
 * Reads a source and its output once more, and writes their page.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/report_page.h"

#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/batch/report_names.h"
#include "motion/batch/report_pair.h"
#include "motion/items/member_reader.h"
#include "motion/report/page.h"

typedef struct page_work {
    char *data; /* of a member */
    report_motions motions;
    report_clips clips;
    comparison comparison;
    page_frames frames;
    scene_hints hints;
} page_work;

/* The data of a member, which is the first that a reader reads. */
static pm_status read_data(const batch_item *item, char **data, size_t *size, pm_error *error) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    member_reader reader = {.path = NULL};
    if (!item->archive)
        return PM_OK;
    const bool done = member_read(&reader, item, NULL, data, size, reason);
    member_reader_close(&reader);
    return done ? PM_OK : motion_fail_at(error, PM_ERROR_FILE, item->path, NULL, "%s", reason);
}

static pm_status compute(page_work *w, const report_row *row, const pm_motion_batch_task *task,
                         pm_error *error) {
    const batch_item *item = row->file->file->item;
    static const pm_motion_compare_options guess;
    size_t size = 0;
    pm_status status = read_data(item, &w->data, &size, error);
    if (status == PM_OK)
        status = report_open(&w->motions, task, row->file, w->data, size, error);
    if (status == PM_OK)
        status = report_clips_find(&w->clips, &w->motions, row, error);
    if (status != PM_OK)
        return status;
    w->comparison =
        (comparison){.a = &w->clips.source, .b = &w->clips.output, .pairs = &w->clips.pairs};
    status =
        scene_apply(&guess, &w->comparison, item->path, row->file->file->out, &w->hints, error);
    return status == PM_OK ? page_compute(&w->comparison, &w->frames, report_most_times(task),
                                          item->path, error)
                           : status;
}

static void release(page_work *w) {
    page_frames_release(&w->frames);
    compare_release(&w->comparison);
    report_clips_release(&w->clips);
    report_close(&w->motions);
    free(w->data);
}

static const char *text_of(const digest *d) {
    return d->text[0] != '\0' ? d->text : NULL;
}

static pm_status write_page(const page_work *w, const char *path, const report_row *row,
                            const char *made_by, pm_error *error) {
    const report_file *file = row->file;
    const outcome o = {.comparison = &w->comparison,
                       .a = {file->file->item->path, text_of(&file->input)},
                       .b = {file->file->out, text_of(&file->output)},
                       .method = "authored",
                       .hints = &w->hints,
                       .spelling = w->hints.spelling,
                       .unit_mm = w->clips.source.unit_mm};
    const page p = {.outcome = &o, .frames = &w->frames, .command = made_by};
    return page_write(path, &p, error);
}

static pm_status write_named(const page_work *w, const char *folder, size_t number, report_row *row,
                             const char *made_by, pm_error *error) {
    char *name = report_page_name(number, row->file->file->name, row->clip);
    char *path = name ? report_path(folder, name) : NULL;
    const pm_status status =
        path ? write_page(w, path, row, made_by, error) : motion_refuse_output_memory(error);
    free(path);
    if (status == PM_OK)
        row->page = name;
    else
        free(name);
    return status;
}

pm_status report_page_write(const pm_motion_batch_options *options, size_t number, report_row *row,
                            const char *made_by, pm_error *error) {
    page_work w = {.hints = {.spelling = options->spelling}};
    char text[PM_ERROR_TEXT_SIZE];
    pm_error failure;
    pm_status status = PM_OK;
    if (compute(&w, row, &options->task, &failure) == PM_OK) {
        status = write_named(&w, options->report, number, row, made_by, error);
    } else {
        motion_write_line(&failure, options->spelling, text);
        row->page_error = strdup(text);
    }
    release(&w);
    return status;
}
