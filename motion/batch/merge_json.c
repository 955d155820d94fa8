/* SPDX-License-Identifier: MIT
 *
 * All of a merge as JSON.
 */
#include <stdio.h>

#include "motion/base/composed.h"
#include "motion/base/json.h"
#include "motion/batch/merge.h"
#include "motion/batch/record.h"

static void write_file(json_writer *json, const merge_result *result, const merge_file *file) {
    json_begin_object(json, NULL);
    json_write_path(json, "name", file->name);
    json_write_string(json, "state", merge_state_name(file->state));
    if (result->has_list)
        json_write_bool(json, "listed", file->is_listed);
    json_begin_array(json, "records");
    for (size_t i = 0; i < file->record_count; i++) {
        json_begin_object(json, NULL);
        json_write_string(json, "from", file->records[i]->from);
        record_members_write(json, file->records[i]);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_groups(json_writer *json, const merge_result *result) {
    json_begin_array(json, "options");
    for (size_t i = 0; i < result->group_count; i++) {
        json_begin_object(json, NULL);
        json_write_string(json, "batch_digest", result->groups[i].options.text);
        json_write_integer(json, "files", result->groups[i].count);
        json_write_path(json, "first", result->groups[i].first->name);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_sums(json_writer *json, const merge_result *result) {
    json_write_integer(json, "done", result->counts[MERGE_DONE]);
    json_write_integer(json, "failed", result->counts[MERGE_FAILED]);
    json_write_integer(json, "missing", result->counts[MERGE_MISSING]);
    json_write_integer(json, "conflicting", result->counts[MERGE_CONFLICTING]);
    json_write_integer(json, "unlisted", result->unlisted);
    json_write_integer(json, "frames", result->frames);
    json_write_integer(json, "joint_samples", result->samples);
    json_write_integer(json, "bytes_read", result->bytes_read);
    json_write_integer(json, "bytes_written", result->bytes_written);
    json_write_number(json, "seconds", result->seconds);
}

static bool write_all(FILE *file, const void *content) {
    const pm_motion_batch_merge *merge = content;
    const merge_result *result = &merge->result;
    size_t file_count = 0;
    const char *const *files = record_table_files(merge->table, &file_count);
    json_writer json = {file, 0, false};
    json_begin_object(&json, NULL);
    json_write_bool(&json, "complete", result->is_complete);
    json_write_string(&json, "digest", result->digest.text);
    write_sums(&json, result);
    write_groups(&json, result);
    json_begin_array(&json, "records");
    for (size_t i = 0; i < file_count; i++)
        json_write_string(&json, NULL, files[i]);
    json_end_array(&json);
    json_write_integer(&json, "dropped_lines", record_table_dropped(merge->table));
    json_begin_array(&json, "files");
    for (size_t i = 0; i < result->count; i++)
        write_file(&json, result, &result->files[i]);
    json_end_array(&json);
    json_end_object(&json);
    return true;
}

const char *pm_motion_batch_merge_json(pm_motion_batch_merge *merge) {
    size_t size = 0;
    if (merge && !merge->json)
        merge->json = compose_text(write_all, merge, &size);
    return merge ? merge->json : NULL;
}
