/* SPDX-License-Identifier: MIT
 *
 * index.json: the numbers of the index.
 */
#include "motion/base/json.h"
#include "motion/batch/batch_report.h"
#include "motion/report/page.h"

#include <math.h>
#include <stdio.h>

static void write_value(json_writer *json, const report_value *value, const char *const names[4]) {
    json_write_number(json, names[0], value->max);
    json_write_number(json, names[1], value->rms);
    json_write_string(json, names[2], value->joint);
    json_write_number(json, names[3], value->time);
}

static void write_numbers(json_writer *json, const report_row *row) {
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
        write_numbers(json, row);
    json_end_object(json);
}

static bool write_all(FILE *file, const void *content) {
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
    return page_save(path, write_all, index, error);
}
