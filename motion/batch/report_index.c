/* SPDX-License-Identifier: MIT
 *
 * index.html of a report: a row of its table for each row; index.json: its numbers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "motion/base/json.h"
#include "motion/batch/batch_report.h"
#include "motion/batch/index_page.h"
#include "motion/report/page.h"

enum { NUMBER_COLUMNS = 15 }; /* of the table, beside the name */

static void write_name(FILE *file, const report_row *row) {
    index_write_name(file, row->file->file->name, row->page);
    if (row->clip) {
        fputs(", clip ", file);
        index_write_isolated(file, row->clip, "(no name)");
    }
}

static double number_of(const report_row *row, int which) {
    return row->error ? (double)NAN
           : which < REPORT_MEASURES
               ? (which == MEASURE_DISTANCE ? report_millimetres(row, row->values[which].max)
                                            : row->values[which].max)
               : report_excess(row);
}

/* NULL: no row has the number. */
static const report_row *worst_by(const report_index *index, int which) {
    const report_row *worst = NULL;
    for (size_t i = 0; i < index->row_count; i++) {
        const double number = number_of(index->rows[i], which);
        if (!isnan(number) && (!worst || number > number_of(worst, which)))
            worst = index->rows[i];
    }
    return worst;
}

static void write_counts(FILE *file, const report_index *index) {
    const size_t refused = index->files - index->compared - index->failed;
    fprintf(file, "<p><strong>%zu of %zu files compared</strong>", index->compared, index->files);
    if (index->failed > 0)
        fprintf(file, ", %zu failed", index->failed);
    if (refused > 0)
        fprintf(file, ", %zu not comparable", refused);
    index_end_counts(file, index->row_count > 0 && index->rows[index->row_count - 1]->error);
}

static void write_worst(FILE *file, const report_index *index, int which) {
    static const char *const what[] = {"largest angle", "largest distance",
                                       "largest difference of speeds",
                                       "speed jump that the source does not have"};
    static const char *const units[] = {"degrees", "mm", "degrees/s", "degrees/s more"};
    const report_row *row = worst_by(index, which);
    if (!row)
        return;
    const bool is_jump = which == REPORT_MEASURES;
    fprintf(file, "<p>The %s: <strong>%.4g %s</strong>, of ", what[which], number_of(row, which),
            units[which]);
    index_write_isolated(file, is_jump ? row->jump.joint : row->values[which].joint, "(no name)");
    fprintf(file, " at %.4g s in ", is_jump ? row->jump.time : row->values[which].time);
    write_name(file, row);
    fputs(".</p>\n", file);
}

/* How many rows have larger angles. */
static void write_shares(FILE *file, const report_index *index) {
    static const double limits[] = {10, 1, 0.1, 0.01};
    fputs("<p>Rows with angles above", file);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        size_t count = 0;
        for (size_t k = 0; k < index->row_count; k++)
            count += number_of(index->rows[k], MEASURE_ANGLE) > limits[i];
        fprintf(file, "%s %g%s: %zu", i > 0 ? ", above" : "", limits[i], i > 0 ? "" : " degrees",
                count);
    }
    fputs(".</p>\n", file);
}

static bool write_verdict(FILE *file, const void *content) {
    const report_index *index = content;
    write_counts(file, index);
    for (int which = 0; which <= REPORT_MEASURES; which++)
        write_worst(file, index, which);
    if (index->compared > 0)
        write_shares(file, index);
    return true;
}

static void write_joint(FILE *file, const char *joint) {
    fputs("<td class=\"name\">", file);
    if (joint)
        index_write_isolated(file, joint, "(no name)");
    else
        fputs("–", file);
    fputs("</td>", file);
}

/* A time, which leads to the moment where the row has a page. */
static void write_time(FILE *file, const report_row *row, double time, size_t pair) {
    if (!isfinite(time)) {
        fputs("<td>–</td>", file);
    } else if (!row->page) {
        page_write_cell(file, time);
    } else {
        fprintf(file, "<td data-v=\"%.17g\">", time);
        index_write_link(file, row->page);
        fprintf(file, "#t=%.9g,j=%zu\">%.4g</a></td>", time, pair, time);
    }
}

static void write_numbers(FILE *file, const report_row *row) {
    const report_value *angle = &row->values[MEASURE_ANGLE];
    const report_value *distance = &row->values[MEASURE_DISTANCE];
    const report_value *speed = &row->values[MEASURE_VELOCITY];
    page_write_cell(file, angle->max);
    page_write_cell(file, angle->rms);
    write_joint(file, angle->joint);
    write_time(file, row, angle->time, angle->pair);
    page_write_cell(file, report_millimetres(row, distance->max));
    page_write_cell(file, report_millimetres(row, distance->rms));
    page_write_cell(file, speed->max);
    page_write_cell(file, speed->rms);
    page_write_cell(file, report_excess(row));
    page_write_cell(file, row->jump.output);
    page_write_cell(file, row->jump.source);
    write_joint(file, row->jump.joint);
    write_time(file, row, row->jump.time, row->jump.pair);
    const size_t others = row->only_in_source + row->only_in_output;
    fprintf(file, "<td data-v=\"%zu\">%zu", row->joints, row->joints);
    if (others > 0)
        fprintf(file, " of %zu", row->joints + others);
    fprintf(file, "</td><td data-v=\"%" PRIu64 "\">%" PRIu64, row->frames, row->frames);
    if (row->key_times > row->frames)
        fprintf(file, " of %" PRIu64, row->key_times);
    fputs("</td>", file);
}

/* What a batch says of a failure begins with the input; the row has the name of the output. */
static void write_refusal(FILE *file, const report_row *row) {
    const bool failed = row->file->has_record && row->file->status == RECORD_FAILED;
    index_write_refusal(file, NUMBER_COLUMNS, failed ? "failed" : "not compared", row->error);
}

static bool write_rows(FILE *file, const void *content) {
    const report_index *index = content;
    bool has_mark = false;
    fputs("<tbody>\n", file);
    for (size_t i = 0; i < index->row_count; i++) {
        const report_row *row = index->rows[i];
        index_begin_row(file, row->error != NULL, &has_mark);
        write_name(file, row);
        if (row->page_error) {
            fputs(" <span class=\"note\">no page: ", file);
            index_write_isolated(file, row->page_error, "");
            fputs("</span>", file);
        }
        fputs("</th>", file);
        if (row->error)
            write_refusal(file, row);
        else
            write_numbers(file, row);
        fputs("</tr>\n", file);
    }
    fputs("</tbody>\n", file);
    return true;
}

pm_status report_index_write(const char *path, const report_index *index, pm_error *error) {
    const index_page made = {.title = "Report of ",
                             .folder = index->out_dir,
                             .folder_has = "outputs",
                             .made_by = index->made_by,
                             .order = "All files, the largest angle first",
                             .heads = "report_heads.html",
                             .columns = "report_columns.html",
                             .verdict = write_verdict,
                             .rows = write_rows,
                             .content = index};
    return index_page_write(path, &made, error);
}

static void write_value(json_writer *json, const report_value *value, const char *const names[4]) {
    json_write_number(json, names[0], value->max);
    json_write_number(json, names[1], value->rms);
    json_write_string(json, names[2], value->joint);
    json_write_number(json, names[3], value->time);
}

static void write_members(json_writer *json, const report_row *row) {
    static const char *const names[REPORT_MEASURES][4] = {
        {"max_degrees", "rms_degrees", "joint_of_max", "time_of_max"},
        {"max_distance", "rms_distance", "joint_of_max_distance", "time_of_max_distance"},
        {"max_degrees_per_s", "rms_degrees_per_s", "joint_of_max_degrees_per_s",
         "time_of_max_degrees_per_s"}};
    json_write_rate(json, "source_rate", row->source_rate);
    json_write_rate(json, "rate", row->rate);
    json_write_integer(json, "frames", row->frames);
    json_write_integer(json, "key_times", row->key_times);
    json_write_number(json, "seconds", row->seconds);
    json_write_integer(json, "joints", row->joints);
    json_write_integer(json, "only_in_source", row->only_in_source);
    json_write_integer(json, "only_in_output", row->only_in_output);
    json_write_number(json, "unit_mm", row->unit_mm);
    for (int m = 0; m < REPORT_MEASURES; m++)
        write_value(json, &row->values[m], names[m]);
    json_write_number(json, "jump_excess", report_excess(row));
    json_write_number(json, "jump", row->jump.output);
    json_write_number(json, "source_jump", row->jump.source);
    json_write_string(json, "joint_of_jump", row->jump.joint);
    json_write_number(json, "time_of_jump", row->jump.time);
}

static void write_row(json_writer *json, const report_row *row) {
    static const char *const states[] = {"done", "kept", "failed"};
    const report_file *file = row->file;
    json_begin_object(json, NULL);
    json_write_path(json, "name", file->file->name);
    json_write_path(json, "in", file->file->item->path);
    json_write_path(json, "out", file->file->out);
    json_write_string(json, "status", file->has_record ? states[file->status] : NULL);
    json_write_string(json, "clip", row->clip);
    json_write_string(json, "error", row->error);
    json_write_string(json, "page", row->page);
    if (row->page_error)
        json_write_string(json, "page_error", row->page_error);
    if (!row->error)
        write_members(json, row);
    json_end_object(json);
}

static bool print_json(FILE *file, const void *content) {
    const report_index *index = content;
    json_writer json = {file, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "version", pm_version());
    json_write_string(&json, "command", index->made_by);
    json_write_path(&json, "out_dir", index->out_dir);
    json_write_integer(&json, "files", index->files);
    json_write_integer(&json, "compared", index->compared);
    json_write_integer(&json, "failed", index->failed);
    json_begin_array(&json, "rows");
    for (size_t i = 0; i < index->row_count; i++)
        write_row(&json, index->rows[i]);
    json_end_array(&json);
    json_end_object(&json);
    return true;
}

pm_status report_json_write(const char *path, const report_index *index, pm_error *error) {
    return page_save(path, print_json, index, error);
}
