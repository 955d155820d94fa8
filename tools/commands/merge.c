/* SPDX-License-Identifier: MIT
 *
 * posemill merge: says what a batch has done, from the records of all its processes.
 */
#include "batch/merge.h"
#include "commands.h"
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct merge_options {
    const char *list; /* NULL: none */
    bool json;
} merge_options;

static const option merge_table[] = {
    {"--list", 0, "LIST",
     "the files that the batch was to do, as posemill list writes them: those\n"
     "without a record are missing",
     option_text, offsetof(merge_options, list)},
    {"--json", 0, NULL, "print everything as one JSON object", NULL, offsetof(merge_options, json)},
};

static const command_help help = {
    .name = "merge",
    .usage = "RECORDS|FOLDER... [--list LIST] [--json]",
    .summary =
        "Says what a batch has done, from the records of all its processes: what failed, is\n"
        "missing, or was done twice with different results.",
    .notes = "FOLDER is one that posemill resample wrote to with --out-dir; its records are in\n"
             "FOLDER/.posemill. The digest covers all names and results, and is the same\n"
             "for every number of jobs, shards and resumes. Exit code 1: not complete.",
    .example = "posemill merge out --list takes.jsonl\n"
               "posemill merge node1.jsonl node2.jsonl --json",
    .takes_operands = true,
};

/* ---- records ----------------------------------------------------------------------------- */

/* The files in FOLDER/.posemill. */
static cli_exit add_output_folder(record_table *table, const char *folder) {
    static const char inside[] = "/.posemill";
    const size_t size = strlen(folder);
    size_t before = 0, after = 0;
    char *path = malloc(size + sizeof inside);
    if (path == NULL) {
        return cli_fail(CLI_BAD_INPUT, folder, CLI_MEMORY_HINT, "out of memory");
    }
    memcpy(path, folder, size);
    memcpy(path + size, inside, sizeof inside);
    record_table_files(table, &before);
    cli_exit code = record_table_add_folder(table, path);
    record_table_files(table, &after);
    if (code == CLI_DONE && after == before) {
        code = cli_fail(CLI_BAD_INPUT, path, "name files of records, or a folder of outputs",
                        "there are no records");
    }
    free(path);
    return code;
}

static cli_exit add_operand(record_table *table, const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return add_output_folder(table, path);
    }
    return record_table_add(table, path, false, NULL);
}

static cli_exit add_operands(record_table *table, int count, char **paths) {
    cli_exit code = CLI_DONE;
    for (int i = 0; i < count && code == CLI_DONE; i++) {
        code = add_operand(table, paths[i]);
    }
    const size_t dropped = record_table_dropped(table);
    if (code == CLI_DONE && dropped > 0) {
        cli_warn("records", "%zu line%s dropped: torn, or no record", dropped,
                 dropped == 1 ? " was" : "s were");
    }
    return code;
}

/* ---- the command ------------------------------------------------------------------------- */

static cli_exit report(const merge_options *options, record_table *table,
                       const batch_items *items) {
    merge_result result;
    cli_exit code = CLI_DONE;
    if (!merge_records(table, items, &result)) {
        code = cli_fail(CLI_BAD_INPUT, "records", CLI_MEMORY_HINT, "out of memory");
    } else if (options->json) {
        merge_print_json(&result, table);
    } else {
        merge_print(&result, table);
    }
    if (code == CLI_DONE && !result.is_complete) {
        code = CLI_PARTIAL;
    }
    merge_release(&result);
    return code;
}

static cli_exit run(const merge_options *options, int count, char **paths) {
    batch_items items = {.count = 0};
    const batch_sources sources = {.files_from = options->list};
    record_table *table = record_table_create();
    cli_exit code = CLI_DONE;
    if (table == NULL) {
        return cli_fail(CLI_BAD_INPUT, "records", CLI_MEMORY_HINT, "out of memory");
    }
    if (options->list != NULL) {
        code = batch_items_find(&sources, &items);
    }
    if (code == CLI_DONE) {
        code = add_operands(table, count, paths);
    }
    if (code == CLI_DONE) {
        code = report(options, table, options->list != NULL ? &items : NULL);
    }
    batch_items_release(&items);
    record_table_destroy(&table);
    return code;
}

int cmd_merge(int argc, char **argv) {
    merge_options options;
    cli_exit code = CLI_DONE;
    memset(&options, 0, sizeof options);
    const option_group groups[] = {
        {"Options", merge_table, sizeof merge_table / sizeof merge_table[0], &options}};
    if (!options_parse(&help, groups, 1, &argc, argv, &code)) {
        return (int)code;
    }
    if (argc == 0) {
        return (int)options_usage(&help, "records", "missing; expected files, or a folder");
    }
    return (int)run(&options, argc, argv);
}
