/* SPDX-License-Identifier: MIT
 *
 * Writes the options of the table that can change a byte as text, a line each, in one form whatever their
 * spelling on the command line.
 */
#include "motion/base/os.h"
#include "motion/batch/batch_file.h"

#include "motion/files/input.h"
#include "motion/model/model.h"
#include "motion/npz/npy_file.h"
#include "motion/open/formats.h"
#include "motion/steps/steps.h"

#include <stdio.h>
#include <string.h>

/* A file that its reader refuses unread, by its size or its first bytes, is not read here either. */
static digest digest_of_named(const char *path, const input_kind *kind, size_t max) {
    char reason[INPUT_REASON_SIZE] = "";
    FREED char *data = NULL;
    size_t size = 0;
    if (!path || !input_read_beside(path, kind, max, &data, &size, reason))
        return (digest){""};
    return digest_of(data, size);
}

/* Of a motion, or of a text. */
static digest digest_of_motion(const char *path) {
    const pm_motion_read_options any = {.format = PM_MOTION_ANY};
    const motion_format *format = NULL;
    digest found = {""};
    if (path && motion_find_named_format(&any, path, &format, NULL) == PM_OK)
        found = digest_of_named(path, motion_kind_of(&any, path), SIZE_MAX);
    return found.text[0] != '\0' ? found : digest_of_named(path, NULL, INPUT_BESIDE_MAX);
}

static digest digest_of_option(option_file kind, const char *path) {
    return kind == FILE_ARRAY    ? digest_of_named(path, &npy_kind, SIZE_MAX)
           : kind == FILE_MOTION ? digest_of_motion(path)
                                 : digest_of_named(path, NULL, INPUT_BESIDE_MAX);
}

/* The struct of a row, if an output can depend on the row. */
static const void *place_of(const option_row *row, const void *const places[OPTION_STRUCTS]) {
    return row->of < OPTIONS_JOIN && !row->leaves_bytes ? places[row->of] : NULL;
}

void options_files_read(const pm_motion_batch_task *task, options_files *files) {
    const void *places[OPTION_STRUCTS];
    options_of_task(task, places);
    for (size_t i = 0; i < option_row_count; i++) {
        const option_row *row = &option_rows[i];
        const void *base = place_of(row, places);
        const char *path = base && row->reads != FILE_NOT_READ ? row->type->path(row, base) : NULL;
        files->of[i] = digest_of_option(row->reads, path);
    }
}

/* Those of a step, or of the task as a whole, whose files were read before. */
static void write_rows(FILE *text, const pm_motion_batch_task *task, const task_step *step,
                       const options_files *files, const batch_item *item) {
    const void *places[OPTION_STRUCTS];
    options_of_task(task, places);
    if (step)
        places[OPTIONS_ROOT] = &task->root;
    for (size_t i = 0; i < option_row_count; i++) {
        const option_row *row = &option_rows[i];
        const void *base = place_of(row, places);
        const bool is_items = base && row->reads != FILE_NOT_READ && item && item->layout &&
                              row->type->path(row, base) == item->layout;
        if (!base || (step && !task_step_takes(step, row->info.name)))
            continue;
        fputs(row->info.name, text);
        if (!row->by_content || row->info.type == PM_OPTION_FORM)
            row->type->write(row, base, text);
        if (row->reads != FILE_NOT_READ)
            fprintf(text, " %s",
                    is_items ? digest_of_option(row->reads, item->layout).text
                    : files  ? files->of[i].text
                             : digest_of_option(row->reads, row->type->path(row, base)).text);
        fputs("\n", text);
    }
}

/* What the list says of an item takes the place of what all have. The rate that a file of rates gives
 * depends on the path. */
static void write_options(FILE *text, const pm_motion_batch_task *all, const options_files *files,
                          const batch_item *item) {
    enum { USUAL_DECIMALS = 6 };
    pm_motion_batch_task task = *all;
    if (item && item->source_rate.den != 0)
        task.read.source_rate = item->source_rate;
    if (item && item->layout)
        task.read.layout = item->layout;
    if (task.decimals == USUAL_DECIMALS && !task.converts)
        task.decimals = 0;
    fprintf(text, "posemill %s 1\nwriter %d\n",
            task.reduce     ? "reduce"
            : task.converts ? "convert"
                            : "resample",
            MOTION_WRITER_VERSION);
    write_rows(text, &task, NULL, files, item);
    for (size_t i = 0; i < task.step_count; i++) {
        const task_step *step = task_find_step(task.steps[i].name);
        fprintf(text, "step %s\n", step->name);
        write_rows(text, task.steps[i].options, step, NULL, NULL);
    }
    if (task.extracts_root && task.root.up != task.up)
        fprintf(text, "root-up %d\n", (int)task.root.up);
    if (task.read.rates_file && item)
        fprintf(text, "path %zu %s\n", strlen(item->path), item->path);
}

digest options_digest(const pm_motion_batch_task *task, const options_files *files,
                      const batch_item *item) {
    FREED char *data = NULL;
    size_t size = 0;
    digest result = {""};
    FILE *text = os_text_begin(&data, &size);
    if (!text)
        return result;
    write_options(text, task, files, item);
    if (os_text_end(text, &data, &size))
        result = digest_of(data, size);
    return result;
}
