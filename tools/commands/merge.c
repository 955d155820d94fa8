/* SPDX-License-Identifier: MIT
 *
 * posemill merge: says what a batch has done, from the records of all its processes.
 */
#include "commands.h"
#include "print/print.h"

#include <stdio.h>

static cli_exit report(const command_options *options, pm_motion_batch_merge *merge) {
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

static cli_exit run(command_options *options, int count, char **paths) {
    const pm_motion_batch_sources sources = {.files_from = options->list};
    pm_motion_batch_merge_options how = {.records = (const char *const *)paths,
                                         .record_count = (size_t)count};
    pm_motion_batch_list *list = NULL;
    pm_motion_batch_merge *merge = NULL;
    pm_error error = {.status = PM_OK};
    cli_exit code = CLI_DONE;
    if (count == 0)
        return options_usage(options, "records", "missing; expected files, or a folder");
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

const command command_merge = {
    .verb = VERB_MERGE,
    .brief = "report what a batch has done, from its records",
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
    .run = run,
};
