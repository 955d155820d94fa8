/* SPDX-License-Identifier: MIT
 *
 * Reads a source and its output once more, and writes their page.
 */
#define _POSIX_C_SOURCE 200809L

#include "report_page.h"

#include "batch/member_reader.h"
#include "motion/report/page.h"
#include "report_names.h"
#include "report_pair.h"

#include <stdlib.h>
#include <string.h>

typedef struct page_work {
    report_motions motions;
    report_clips clips;
    comparison comparison;
    page_frames frames;
    scene_hints hints;
} page_work;

/* The data of a member, which is the first that a reader reads. */
static cli_exit read_data(const batch_item *item, char **data, size_t *size) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    member_reader reader = {.path = NULL};
    if (item->archive == NULL) {
        return CLI_DONE;
    }
    const bool done = member_read(&reader, item, NULL, data, size, reason);
    member_reader_close(&reader);
    return done ? CLI_DONE : cli_fail(CLI_BAD_INPUT, item->path, NULL, "%s", reason);
}

static cli_exit compute(page_work *w, const report_row *row, const resample_options *options) {
    const batch_item *item = row->file->file->item;
    static const pm_motion_compare_options guess;
    pm_error error = {.status = PM_OK};
    char *data = NULL;
    size_t size = 0;
    cli_exit code = read_data(item, &data, &size);
    if (code == CLI_DONE) {
        code = report_open(&w->motions, options, row->file, data, size);
    }
    if (code == CLI_DONE) {
        code = report_clips_find(&w->clips, &w->motions, row);
    }
    if (code == CLI_DONE) {
        w->comparison =
            (comparison){.a = &w->clips.source, .b = &w->clips.output, .pairs = &w->clips.pairs};
        pm_status status = scene_apply(&guess, &w->comparison, item->path, row->file->file->out,
                                       &w->hints, &error);
        if (status == PM_OK) {
            status =
                page_compute(&w->comparison, &w->frames, options->max_frames, item->path, &error);
        }
        code = status == PM_OK ? CLI_DONE : cli_fail_file(&error);
    }
    return code;
}

static void release(page_work *w) {
    page_frames_release(&w->frames);
    compare_release(&w->comparison);
    report_clips_release(&w->clips);
    report_close(&w->motions);
}

static const char *text_of(const digest *d) {
    return d->text[0] != '\0' ? d->text : NULL;
}

static cli_exit write_page(const page_work *w, const char *path, const report_row *row,
                           const char *command) {
    const report_file *file = row->file;
    const outcome o = {.comparison = &w->comparison,
                       .a = {file->file->item->path, text_of(&file->input)},
                       .b = {file->file->out, text_of(&file->output)},
                       .method = "authored",
                       .hints = &w->hints,
                       .unit_mm = w->clips.source.unit_mm};
    const page p = {.outcome = &o, .frames = &w->frames, .command = command};
    pm_error error;
    return page_write(path, &p, &error) == PM_OK ? CLI_DONE : cli_fail_file(&error);
}

static cli_exit write_named(const page_work *w, const char *folder, size_t number, report_row *row,
                            const char *command) {
    char *name = report_page_name(number, row->file->file->name, row->clip);
    char *path = name != NULL ? report_path(folder, name) : NULL;
    cli_exit code = path != NULL
                        ? write_page(w, path, row, command)
                        : cli_fail(CLI_CANNOT_WRITE, "--report", CLI_MEMORY_HINT, "out of memory");
    free(path);
    if (code == CLI_DONE) {
        row->page = name;
    } else {
        free(name);
    }
    return code;
}

cli_exit report_page_write(const char *folder, size_t number, report_row *row,
                           const resample_options *options, const char *command) {
    cli_messages messages = {.is_silent = true};
    page_work w = {.motions = {.options = options}};
    cli_keep_messages(&messages);
    cli_exit code = compute(&w, row, options);
    cli_keep_messages(NULL);
    if (code == CLI_DONE) {
        code = write_named(&w, folder, number, row, command);
    } else {
        row->page_error =
            strdup(messages.failure != NULL ? messages.failure : "out of memory for the message");
        code = CLI_DONE;
    }
    release(&w);
    cli_messages_release(&messages);
    return code;
}
