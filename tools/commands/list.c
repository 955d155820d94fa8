/* SPDX-License-Identifier: MIT
 *
 * posemill list: writes a list of motion files with their sizes, which fixes the inputs of a batch.
 */
#include "commands.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "motion/items/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct list_totals {
    size_t files, faults;
    uint64_t bytes;
} list_totals;

/* The items of a list. */
typedef struct found_items {
    const pm_motion_batch_item *items;
    size_t count;
} found_items;

static list_totals count_items(const found_items *items) {
    list_totals totals = {.files = 0};
    for (size_t i = 0; i < items->count; i++) {
        const pm_motion_batch_item *item = &items->items[i];
        if (item->fault) {
            totals.faults++;
            cli_warn(item->path, "%s", item->fault);
            continue;
        }
        totals.files++;
        totals.bytes += item->bytes;
    }
    return totals;
}

static void print_json(const char *output, const found_items *items, const list_totals *totals) {
    json_writer json = {.file = stdout};
    json_begin_object(&json, NULL);
    json_write_string(&json, "list", output);
    json_write_integer(&json, "files", totals->files);
    json_write_integer(&json, "bytes", totals->bytes);
    json_begin_array(&json, "faults");
    for (size_t i = 0; i < items->count; i++) {
        if (items->items[i].fault) {
            json_begin_object(&json, NULL);
            json_write_string(&json, "path", items->items[i].path);
            json_write_string(&json, "fault", items->items[i].fault);
            json_end_object(&json);
        }
    }
    json_end_array(&json);
    json_end_object(&json);
}

static cli_exit write_found(const command_options *options, const pm_motion_batch_list *list) {
    pm_error error = {.status = PM_OK};
    found_items items;
    items.items = pm_motion_batch_list_get_items(list, &items.count);
    const list_totals totals = count_items(&items);
    const bool to_stream = strcmp(options->out, "-") == 0;
    if (totals.files == 0)
        return cli_fail(CLI_BAD_INPUT, "inputs", "--match GLOB picks other files",
                        totals.faults > 0 ? "no file can be used" : "have no motion file");
    CLI_TRY(cli_done(pm_motion_batch_list_write(list, options->out, &error), &error));
    if (options->json)
        print_json(options->out, &items, &totals);
    else if (!to_stream && !cli_quiet)
        printable_line(stdout, "%s: %zu file%s, %" PRIu64 " bytes", options->out, totals.files,
                       totals.files == 1 ? "" : "s", totals.bytes);
    return totals.faults > 0 ? CLI_PARTIAL : CLI_DONE;
}

static cli_exit check(const command_options *options, int operands) {
    if (operands == 0 && !options->set->sources.files_from)
        return options_usage(options, "input", "missing; expected a folder, a file or an archive");
    if (options->json && strcmp(options->out, "-") == 0)
        return options_usage(options, "--json", "needs -o LIST: the list takes standard output");
    if (pm_motion_find_format(options->out) != PM_MOTION_ANY || archive_is_named(options->out))
        return options_usage(options, "-o",
                             "'%s' has the name of an input; expected one such as %s", options->out,
                             "takes.jsonl");
    return CLI_DONE;
}

static cli_exit run(command_options *o, int count, char **operands) {
    SCOPED(pm_motion_batch_list_destroy) pm_motion_batch_list *list = NULL;
    pm_error error = {.status = PM_OK};
    pm_motion_batch_sources sources = o->set->sources;
    o->out = o->out ? o->out : "-";
    sources.paths = (const char *const *)operands;
    sources.path_count = (size_t)count;
    CLI_TRY(check(o, count));
    CLI_TRY(cli_done(pm_motion_batch_list_create(&sources, &list, &error), &error));
    return write_found(o, list);
}

const command command_list = {
    .verb = VERB_LIST,
    .brief = "list the motion files of folders and archives, with their sizes",
    .usage = "FOLDER|FILE|ARCHIVE... [-o LIST] [OPTIONS]",
    .summary = "Writes a list of motion files with their sizes, one JSON object a line, sorted by\n"
               "path. Batches read it with --files-from.",
    .notes =
        "Folders are searched, without hidden files. Links are followed. Loops of links\n"
        "and entries that cannot be read are left out with a warning and exit code 1. Archives\n"
        "are .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz and .tar.zst.",
    .example = "posemill list takes -o takes.jsonl\n"
               "posemill list takes.tar.zst --match '*.npz' -o takes.jsonl",
    .takes_operands = true,
    .run = run,
};
