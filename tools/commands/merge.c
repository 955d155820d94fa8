/* SPDX-License-Identifier: MIT
 *
 * posemill merge: says what a batch has done, from the records of all its processes.
 */
#include "commands.h"
#include "options/options.h"
#include "print/print.h"

#include <stdio.h>
#include <string.h>

typedef struct merge_options {
    const char *list; /* NULL: none */
    bool json;
} merge_options;

static const option merge_table[] = {
    {"--list", 0, "LIST",
     "the files that the batch was to do, as posemill list writes them: those\n"
     "without a record are missing",
     value_text, offsetof(merge_options, list)},
    {"--json", 0, NULL, "print everything as one JSON object", NULL, offsetof(merge_options, json)},
};

static const command_help help = {
    .name = "merge",
    .usage = "RECORDS|FOLDER... [--list LIST] [--json]",
    .summary =
        "Reports what a batch has done, from the records of all its processes: what failed, is\n"
        "missing, or was done twice with different results.",
    .notes = "FOLDER is one that posemill resample wrote to with --out-dir; its records are in\n"
             "FOLDER/.posemill. The digest covers all names and results, and is the same\n"
             "for every number of jobs, shards and resumes. Exit code 1: not complete.",
    .example = "posemill merge out --list takes.jsonl\n"
               "posemill merge node1.jsonl node2.jsonl --json",
    .takes_operands = true,
};

/* ---- the command ------------------------------------------------------------------------- */

static cli_exit report(const merge_options *options, pm_motion_batch_merge *merge) {
    const pm_motion_batch_merged *merged = pm_motion_batch_merge_get_merged(merge);
    if (merged->dropped_lines > 0)
        cli_warn("records", "%zu line%s dropped: torn, or no record", merged->dropped_lines,
                 merged->dropped_lines == 1 ? " was" : "s were");
    const char *json = options->json ? pm_motion_batch_merge_json(merge) : NULL;
    if (options->json && !json)
        return cli_fail(CLI_BAD_INPUT, "records", CLI_MEMORY_HINT, "out of memory");
    if (options->json)
        fputs(json, stdout);
    else
        merge_print(merge);
    return merged->is_complete ? CLI_DONE : CLI_PARTIAL;
}

static cli_exit run(const merge_options *options, int count, char **paths) {
    const pm_motion_batch_sources sources = {.files_from = options->list};
    pm_motion_batch_merge_options how = {.records = (const char *const *)paths,
                                         .record_count = (size_t)count};
    pm_motion_batch_list *list = NULL;
    pm_motion_batch_merge *merge = NULL;
    pm_error error = {.status = PM_OK};
    cli_exit code = CLI_DONE;
    if (options->list)
        code = cli_done(pm_motion_batch_list_create(&sources, &list, &error), &error);
    how.list = list;
    if (code == CLI_DONE)
        code = cli_done(pm_motion_batch_merge_create(&how, &merge, &error), &error);
    if (code == CLI_DONE)
        code = report(options, merge);
    pm_motion_batch_merge_destroy(&merge);
    pm_motion_batch_list_destroy(&list);
    return code;
}

int cmd_merge(int argc, char **argv) {
    merge_options options;
    cli_exit code = CLI_DONE;
    memset(&options, 0, sizeof options);
    const option_group groups[] = {
        {"Options", merge_table, sizeof merge_table / sizeof merge_table[0], &options}};
    if (!options_parse(&help, groups, 1, &argc, argv, &code))
        return (int)code;
    if (argc == 0)
        return (int)options_usage(&help, "records", "missing; expected files, or a folder");
    return (int)run(&options, argc, argv);
}
