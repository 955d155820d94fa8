/* SPDX-License-Identifier: MIT
 *
 * Reads a source and its output once more, and writes their page. Names of pages have nothing that a shell,
 * a browser or another system takes for more than a letter.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/batch/batch_report.h"
#include "motion/files/output_names.h"
#include "motion/items/archive.h"
#include "motion/report/page.h"

static const char pages_folder[] = "pages";

char *report_path(const char *folder, const char *name) {
    const size_t length = strlen(folder);
    const bool has_slash = length > 0 && folder[length - 1] == '/';
    return compose_format("%s%s%s", folder, has_slash ? "" : "/", name);
}

enum { NAME_ROOM = 100 }; /* bytes of a name; the end says more than the folders before it */

static void make_safe(char safe[NAME_ROOM + 1], const char *text) {
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = strlen(text);
    const char *from = size > NAME_ROOM ? text + size - NAME_ROOM : text;
    for (; *from != '\0'; from++)
        *safe++ = strchr(known, *from) ? *from : '_';
    *safe = '\0';
}

char *report_page_name(size_t number, const char *name, const char *clip) {
    char safe[NAME_ROOM + 1], safe_clip[NAME_ROOM + 1];
    make_safe(safe, name);
    make_safe(safe_clip, clip ? clip : "");
    return compose_format("%s/%04zu-%s%s%s.html", pages_folder, number, safe, clip ? "-" : "",
                          safe_clip);
}

/* Where the files of a report will be. */
typedef struct report_places {
    file_location index, numbers, pages;
    const char *what, *option; /* that writes them, and that names the folder */
} report_places;

static bool is_below(const file_location *folder, const file_location *file) {
    const size_t size = folder->path ? strlen(folder->path) : 0;
    return size > 0 && file->path != NULL && strncmp(file->path, folder->path, size) == 0 &&
           file->path[size] == '/' && strcmp(extension_of(file->path), "html") == 0;
}

static pm_status refuse_memory(pm_error *error) {
    return motion_fail(error, PM_ERROR_OUTPUT, "out of memory for the file names");
}

static pm_status check_file(const report_places *places, const char *path, location_use use,
                            pm_error *error) {
    file_location at;
    if (!path || strcmp(path, "-") == 0)
        return PM_OK;
    if (!location_find(path, use, &at))
        return refuse_memory(error);
    const bool clashes = location_compare(&at, &places->index) == 0 ||
                         location_compare(&at, &places->numbers) == 0 ||
                         is_below(&places->pages, &at);
    location_release(&at);
    if (!clashes)
        return PM_OK;
    motion_fail_at(error, PM_ERROR_OUTPUT, path, NULL, "would be overwritten by the %s",
                   places->what);
    motion_cure(error, places->option, NULL, "chooses another folder");
    return PM_ERROR_OUTPUT;
}

static pm_status check_inputs(const report_places *places, const batch_items *items,
                              pm_error *error) {
    for (size_t i = 0; i < items->count; i++) {
        const batch_item *item = &items->items[i];
        MOTION_TRY(check_file(places, !item->archive ? item->path : NULL, LOCATION_INPUT, error));
    }
    for (size_t i = 0; i < items->archive_count; i++)
        MOTION_TRY(check_file(places, items->archives[i], LOCATION_INPUT, error));
    return PM_OK;
}

static pm_status check_outputs(const report_places *places, const report_request *r,
                               pm_error *error) {
    for (size_t i = 0; i < r->items->count; i++)
        MOTION_TRY(check_file(places, r->plan->outs[i], LOCATION_OUTPUT, error));
    for (size_t i = 0; i < r->other_count; i++)
        MOTION_TRY(check_file(places, r->others[i], LOCATION_OUTPUT, error));
    return PM_OK;
}

static bool locate(const char *folder, const char *name, file_location *found) {
    FREED char *path = report_path(folder, name);
    return path != NULL && location_find(path, LOCATION_OUTPUT, found);
}

static pm_status find_places(const char *folder, report_places *places, pm_error *error) {
    os_info found;
    if (os_look(folder, &found) && found.kind != OS_FOLDER)
        return motion_fail_at(error, PM_ERROR_OUTPUT, folder, NULL, "is a file; expected a folder");
    return locate(folder, "index.html", &places->index) &&
                   locate(folder, "index.json", &places->numbers) &&
                   locate(folder, pages_folder, &places->pages)
               ? PM_OK
               : refuse_memory(error);
}

static void release_places(report_places *places) {
    location_release(&places->index);
    location_release(&places->numbers);
    location_release(&places->pages);
}

pm_status report_check_folder(const report_request *request, pm_error *error) {
    SCOPED(release_places) report_places places = {.what = "report", .option = "report"};
    MOTION_TRY(find_places(request->options->report, &places, error));
    MOTION_TRY(check_inputs(&places, request->items, error));
    return check_outputs(&places, request, error);
}

pm_status view_check_folder(const char *folder, const batch_items *items, pm_error *error) {
    SCOPED(release_places) report_places places = {.what = "pages", .option = "out-dir"};
    MOTION_TRY(find_places(folder, &places, error));
    return check_inputs(&places, items, error);
}

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
    SCOPED(member_reader_close) member_reader reader = {.path = NULL};
    if (!item->archive)
        return PM_OK;
    const bool done = member_read(&reader, item, NULL, data, size, reason);
    return done ? PM_OK : motion_fail_at(error, PM_ERROR_FILE, item->path, NULL, "%s", reason);
}

static pm_status compute(page_work *w, const report_row *row, const pm_motion_batch_task *task,
                         pm_error *error) {
    const batch_item *item = row->file->file->item;
    static const pm_motion_compare_options guess;
    size_t size = 0;
    MOTION_TRY(read_data(item, &w->data, &size, error));
    MOTION_TRY(report_open(&w->motions, task, row->file, w->data, size, error));
    MOTION_TRY(report_clips_find(&w->clips, &w->motions, row, error));
    w->comparison =
        (comparison){.a = &w->clips.source, .b = &w->clips.output, .pairs = &w->clips.pairs};
    MOTION_TRY(
        scene_apply(&guess, &w->comparison, item->path, row->file->file->out, &w->hints, error));
    return page_compute(&w->comparison, &w->frames, report_most_times(task), 1, item->path, error);
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
                       .unit_mm =
                           w->clips.source.unit_mm > 0 ? w->clips.source.unit_mm : (double)NAN};
    const page p = {.outcome = &o, .frames = &w->frames, .command = made_by};
    return page_write(path, &p, error);
}

static pm_status write_named(const page_work *w, const char *folder, size_t number, report_row *row,
                             const char *made_by, pm_error *error) {
    char *name = report_page_name(number, row->file->file->name, row->clip);
    FREED char *path = name ? report_path(folder, name) : NULL;
    const pm_status status =
        path ? write_page(w, path, row, made_by, error) : motion_refuse_output_memory(error);
    if (status == PM_OK)
        row->page = name;
    else
        free(name);
    return status;
}

pm_status report_page_write(const pm_motion_batch_options *options, size_t number, report_row *row,
                            const char *made_by, pm_error *error) {
    SCOPED(release) page_work w = {.hints = {.spelling = options->spelling}};
    char text[PM_ERROR_TEXT_SIZE];
    pm_error failure;
    pm_status status = PM_OK;
    if (compute(&w, row, &options->task, &failure) == PM_OK) {
        status = write_named(&w, options->report, number, row, made_by, error);
    } else {
        motion_write_line(&failure, options->spelling, text);
        row->page_error = strdup(text);
    }
    return status;
}
