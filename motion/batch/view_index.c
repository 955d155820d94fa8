/* SPDX-License-Identifier: MIT
 *
 * Rows of files, and their table.
 */
#include "motion/batch/view_index.h"

#include "motion/base/fault.h"
#include "motion/batch/batch_report.h"
#include "motion/batch/index_page.h"
#include "motion/model/summary.h"
#include "motion/report/page.h"
#include "motion/time/rate.h"

#include <stdlib.h>
#include <string.h>

enum { DATA_COLUMNS = 8 }; /* of the table, beside the name */

void view_row_remark(view_row *row, const char *text) {
    if (row->odd_count++ == 0)
        row->odd = strdup(text);
}

void view_row_fill(view_row *row, const pm_motion *motion, size_t clip, pm_spelling spelling) {
    const pm_motion_content *content = &motion->content;
    const clip_summary shown = motion_summarise(&content->clips[clip]);
    row->format = pm_motion_format_name(content->format);
    row->seconds = shown.end - shown.begin;
    row->rate = content->clips[clip].rate;
    row->clips = content->clip_count;
    motion_describe_unit(motion, row->unit);
    motion_describe_up(content, row->up);
    for (size_t i = 0; i < content->note_count; i++) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(content->notes[i], spelling, text, sizeof text);
        view_row_remark(row, text);
    }
}

void view_row_release(view_row *row) {
    MOTION_FREE(row->page, row->error, row->odd);
}

static bool write_verdict(FILE *file, const void *content) {
    const view_index *index = content;
    fprintf(file, "<p><strong>%zu of %zu files have a page</strong>",
            index->row_count - index->failed, index->row_count);
    if (index->failed > 0)
        fprintf(file, ", %zu failed", index->failed);
    index_end_counts(file, index->failed > 0);
    return true;
}

/* `kind`: "name" is narrow, "why" has room for a sentence. */
static void write_words(FILE *file, const char *kind, const char *text) {
    fprintf(file, "<td class=\"%s\">", kind);
    index_write_isolated(file, text, "");
    fputs("</td>", file);
}

static void write_count(FILE *file, size_t count) {
    fprintf(file, "<td data-v=\"%zu\">%zu</td>", count, count);
}

static void write_rate(FILE *file, pm_rational rate) {
    char text[RATE_TEXT];
    if (rate.den == 0) {
        fputs("<td>–</td>", file);
        return;
    }
    rate_describe(rate, text);
    fprintf(file, "<td data-v=\"%.17g\">%s</td>", (double)rate.num / (double)rate.den, text);
}

static void write_odd(FILE *file, const view_row *row) {
    fprintf(file, "<td class=\"why\" data-v=\"%zu\">", row->odd_count);
    if (row->odd)
        index_write_isolated(file, row->odd, "");
    if (row->odd_count > 1)
        fprintf(file, "; and %zu more", row->odd_count - 1);
    fputs("</td>", file);
}

static void write_data(FILE *file, const view_row *row) {
    write_words(file, "name", row->format);
    page_write_cell(file, row->seconds);
    write_rate(file, row->rate);
    write_count(file, row->joints);
    write_count(file, row->clips);
    write_words(file, "why", row->unit);
    write_words(file, "name", row->up);
    write_odd(file, row);
}

static bool write_rows(FILE *file, const void *content) {
    const view_index *index = content;
    bool has_mark = false;
    fputs("<tbody>\n", file);
    for (size_t i = 0; i < 2 * index->row_count; i++) {
        const view_row *row = &index->rows[i % index->row_count];
        const bool refused = i >= index->row_count; /* these are last */
        if (refused != (row->page == NULL))
            continue;
        index_begin_row(file, refused, &has_mark);
        index_write_name(file, row->name, row->page);
        fputs("</th>", file);
        if (refused)
            index_write_refusal(file, DATA_COLUMNS, "failed", row->error);
        else
            write_data(file, row);
        fputs("</tr>\n", file);
    }
    fputs("</tbody>\n", file);
    return true;
}

pm_status view_index_write(const view_index *index, pm_error *error) {
    const index_page made = {.title = "Motions in ",
                             .folder = index->folder,
                             .folder_has = "pages",
                             .made_by = index->made_by,
                             .order = "All files, in the order of their names",
                             .heads = "view_heads.html",
                             .columns = "view_columns.html",
                             .verdict = write_verdict,
                             .rows = write_rows,
                             .content = index};
    FREED char *path = report_path(index->folder, "index.html");
    return path ? index_page_write(path, &made, error) : motion_refuse_output_memory(error);
}
