/* SPDX-License-Identifier: MIT
 *
 * Batches of the Python package: the parts of the command that plan, run and merge one.
 */
#define _POSIX_C_SOURCE 200809L

#include "native.h"

#include "batch/batch.h"
#include "batch/items.h"
#include "batch/list_write.h"
#include "batch/merge.h"
#include "batch/plan.h"
#include "commands/commands.h"
#include "motion/base/json.h"
#include "native_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_exit refuse_memory(void) {
    return cli_fail(CLI_CANNOT_WRITE, "batch", CLI_MEMORY_HINT, "out of memory");
}

int native_resample(int argc, char **argv, char **failure) {
    native_call call;
    native_begin(&call);
    const int code = cmd_resample(argc, argv);
    *failure = native_take_failure(&call);
    return code;
}

void native_stop(void) {
    batch_stop();
}

void native_free(char *text) {
    free(text);
}

/* ---- the list ------------------------------------------------------------------------------ */

static cli_exit make_list(const native_sources *sources, char **list) {
    const batch_sources where = {.operands = sources->paths,
                                 .operand_count = sources->path_count,
                                 .files_from = sources->files_from,
                                 .match = sources->match,
                                 .skip_folder = sources->out_dir};
    const batch_outputs outputs = {.folder = sources->out_dir,
                                   .format = (pm_motion_format)sources->format,
                                   .may_exist = sources->may_exist};
    batch_items items = {.count = 0};
    cli_exit code = batch_items_find(&where, &items);
    if (code == CLI_DONE && items.count == 0) {
        code = cli_fail(CLI_BAD_INPUT, "paths", NULL, "no motion files were found");
    }
    if (code == CLI_DONE) {
        batch_plan plan = {.count = 0};
        code = batch_plan_make(&items, (batch_shard){0, 1}, &outputs, &plan);
        batch_plan_release(&plan);
    }
    if (code == CLI_DONE) {
        size_t size = 0;
        code = list_write_text(&items, true, list, &size) ? CLI_DONE : refuse_memory();
    }
    batch_items_release(&items);
    return code;
}

int native_list(const native_sources *sources, char **list, char **failure) {
    native_call call;
    *list = NULL;
    native_begin(&call);
    const cli_exit code = make_list(sources, list);
    *failure = native_take_failure(&call);
    return (int)code;
}

/* ---- merging ------------------------------------------------------------------------------- */

static cli_exit read_records(record_table *table, const char *out_dir, const char *records) {
    static const char inside[] = "/.posemill";
    const size_t size = strlen(out_dir) + sizeof inside;
    char *folder = malloc(size);
    if (folder == NULL) {
        return refuse_memory();
    }
    snprintf(folder, size, "%s%s", out_dir, inside);
    cli_exit code = record_table_add_folder(table, folder);
    free(folder);
    if (code == CLI_DONE && records != NULL) {
        code = record_table_add(table, records, true, NULL);
    }
    return code;
}

static void write_file(json_writer *json, const merge_file *file) {
    json_begin_object(json, NULL);
    json_write_string(json, "name", file->name);
    json_write_string(json, "state", merge_state_name(file->state));
    if (file->state == MERGE_FAILED) {
        json_write_string(json, "error", file->records[0]->error);
        json_write_integer(json, "code", (uint64_t)file->records[0]->code);
    }
    json_end_object(json);
}

static void write_result(json_writer *json, const merge_result *result) {
    json_begin_object(json, NULL);
    json_write_bool(json, "complete", result->is_complete);
    json_write_string(json, "digest", result->digest.text);
    json_write_integer(json, "done", result->counts[MERGE_DONE]);
    json_write_integer(json, "frames", result->frames);
    json_write_integer(json, "joint_samples", result->samples);
    json_write_integer(json, "bytes_read", result->bytes_read);
    json_write_integer(json, "bytes_written", result->bytes_written);
    json_write_number(json, "seconds", result->seconds);
    json_begin_array(json, "files");
    for (size_t i = 0; i < result->count; i++) {
        if (result->files[i].state != MERGE_DONE) {
            write_file(json, &result->files[i]);
        }
    }
    json_end_array(json);
    json_end_object(json);
}

/* NULL: memory is exhausted. */
static char *json_of(const merge_result *result) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) {
        return NULL;
    }
    json_writer json = {.file = file, .depth = JSON_LINE};
    write_result(&json, result);
    const bool lost = ferror(file) != 0;
    if (fclose(file) != 0 || lost) {
        free(text);
        return NULL;
    }
    return text;
}

static cli_exit merge(const char *out_dir, const char *records, const char *list, char **json) {
    const batch_sources sources = {.files_from = list};
    batch_items items = {.count = 0};
    record_table *table = record_table_create();
    merge_result result;
    cli_exit code = table != NULL ? batch_items_find(&sources, &items) : refuse_memory();
    if (code == CLI_DONE) {
        code = read_records(table, out_dir, records);
    }
    if (code == CLI_DONE) {
        if (merge_records(table, &items, &result)) {
            *json = json_of(&result);
        }
        merge_release(&result);
        code = *json != NULL ? CLI_DONE : refuse_memory();
    }
    batch_items_release(&items);
    record_table_destroy(&table);
    return code;
}

int native_merge(const char *out_dir, const char *records, const char *list, char **json,
                 char **failure) {
    native_call call;
    *json = NULL;
    native_begin(&call);
    const cli_exit code = merge(out_dir, records, list, json);
    *failure = native_take_failure(&call);
    return (int)code;
}
