/* SPDX-License-Identifier: MIT
 *
 * The public functions of merges: where records are, and what is shown of a result, also as JSON.
 */
#include <stdio.h>
#include <stdlib.h>

#include "motion/base/c_locale.h"
#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/json.h"
#include "motion/base/os.h"
#include "motion/batch/merge.h"
#include "motion/batch/record.h"

static pm_status refuse_memory(pm_error *error) {
    return motion_fail_at(error, PM_ERROR_MEMORY, "records", NULL, "out of memory");
}

/* The files in FOLDER/.posemill. */
static pm_status add_output_folder(record_table *table, const char *folder, bool may_be_missing,
                                   pm_error *error) {
    size_t before = 0, after = 0;
    FREED char *path = compose_format("%s/.posemill", folder);
    if (!path)
        return motion_fail_at(error, PM_ERROR_MEMORY, folder, NULL, "out of memory");
    record_table_files(table, &before);
    pm_status status = record_table_add_folder(table, path, error);
    record_table_files(table, &after);
    if (status == PM_OK && after == before && !may_be_missing)
        status =
            motion_fail_at(error, PM_ERROR_FILE, path,
                           "name files of records, or a folder of outputs", "there are no records");
    return status;
}

static pm_status add_records(record_table *table, const pm_motion_batch_merge_options *o,
                             pm_error *error) {
    for (size_t i = 0; i < o->record_count; i++) {
        os_info found;
        const char *path = o->records[i];
        const bool is_folder = os_look(path, &found) && found.kind == OS_FOLDER;
        MOTION_TRY(is_folder ? add_output_folder(table, path, o->may_be_missing, error)
                             : record_table_add(table, path, o->may_be_missing, NULL, error));
    }
    return PM_OK;
}

static pm_status make(const pm_motion_batch_merge_options *o, pm_motion_batch_merge *merge,
                      pm_error *error) {
    merge->table = record_table_create();
    MOTION_TRY(merge->table ? add_records(merge->table, o, error) : refuse_memory(error));
    const batch_items *items = o->list ? &o->list->items : NULL;
    return merge_find(merge->table, items, &merge->result) ? PM_OK : refuse_memory(error);
}

pm_status pm_motion_batch_merge_create(const pm_motion_batch_merge_options *options,
                                       pm_motion_batch_merge **merge, pm_error *error) {
    MOTION_REQUIRE(error, options, merge);
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_batch_merge_options, options, error));
    MOTION_TRY(motion_check_texts("records", options->records, options->record_count, error));
    pm_motion_batch_merge *made = calloc(1, sizeof *made);
    if (!made)
        return refuse_memory(error);
    C_LOCALE_HERE;
    const pm_status status = make(options, made, error);
    if (status == PM_OK)
        *merge = made;
    else
        pm_motion_batch_merge_destroy(&made);
    return status;
}

const pm_motion_batch_merged *pm_motion_batch_merge_get_merged(const pm_motion_batch_merge *merge) {
    return merge ? &merge->result.shown : NULL;
}

void pm_motion_batch_merge_destroy(pm_motion_batch_merge **merge) {
    if (!merge || !*merge)
        return;
    merge_release(&(*merge)->result);
    record_table_destroy(&(*merge)->table);
    MOTION_FREE((*merge)->json, *merge);
    *merge = NULL;
}

static void write_file(json_writer *json, const merge_result *result, size_t index) {
    const pm_motion_batch_merged_file *file = &result->files[index];
    const merge_records *records = &result->records[index];
    json_begin_object(json, NULL);
    json_write_path(json, "name", file->name);
    json_write_string(json, "state", merge_state_name(file->state));
    if (result->has_list)
        json_write_bool(json, "listed", file->is_listed);
    json_begin_array(json, "records");
    for (size_t i = 0; i < records->count; i++) {
        json_begin_object(json, NULL);
        json_write_string(json, "from", records->of[i]->from);
        record_members_write(json, records->of[i]);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_groups(json_writer *json, const merge_result *result) {
    json_begin_array(json, "options");
    for (size_t i = 0; i < result->shown.option_count; i++) {
        json_begin_object(json, NULL);
        json_write_string(json, "batch_digest", result->groups[i].options.text);
        json_write_integer(json, "files", result->groups[i].count);
        json_write_path(json, "first", result->files[result->groups[i].first].name);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_sums(json_writer *json, const pm_motion_batch_merged *all) {
    json_write_integer(json, "done", all->done);
    json_write_integer(json, "failed", all->failed);
    json_write_integer(json, "missing", all->missing);
    json_write_integer(json, "conflicting", all->conflicting);
    json_write_integer(json, "unlisted", all->unlisted);
    json_write_integer(json, "frames", all->frames);
    json_write_integer(json, "joint_samples", all->joint_samples);
    json_write_integer(json, "bytes_read", all->bytes_read);
    json_write_integer(json, "bytes_written", all->bytes_written);
    json_write_number(json, "seconds", all->seconds);
}

static bool write_all(FILE *file, const void *content) {
    const pm_motion_batch_merge *merge = content;
    const merge_result *result = &merge->result;
    size_t file_count = 0;
    const char *const *files = record_table_files(merge->table, &file_count);
    json_writer json = {file, 0, false};
    json_begin_object(&json, NULL);
    json_write_bool(&json, "complete", result->shown.is_complete);
    json_write_string(&json, "digest", result->digest.text);
    write_sums(&json, &result->shown);
    write_groups(&json, result);
    json_begin_array(&json, "records");
    for (size_t i = 0; i < file_count; i++)
        json_write_string(&json, NULL, files[i]);
    json_end_array(&json);
    json_write_integer(&json, "dropped_lines", result->shown.dropped_lines);
    json_begin_array(&json, "files");
    for (size_t i = 0; i < result->shown.file_count; i++)
        write_file(&json, result, i);
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
