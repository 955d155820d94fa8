/* SPDX-License-Identifier: MIT
 *
 * Files that are done are only counted, and of each problem the first files are named.
 */
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "motion/base/printable.h"

enum { SHOWN = 20 }; /* files of each problem */

/* The other record that a conflict is about. */
static const batch_record *other_record(const merge_records *records) {
    size_t i = 1;
    while (digest_equal(&records->of[i]->output, &records->of[0]->output))
        i++;
    return records->of[i];
}

static bool same_version(const batch_record *a, const batch_record *b) {
    return a->version != NULL && b->version != NULL && strcmp(a->version, b->version) == 0;
}

static const char *cause(const batch_record *a, const batch_record *b) {
    return !digest_equal(&a->input, &b->input)       ? "other inputs"
           : !digest_equal(&a->options, &b->options) ? "other options"
           : !same_version(a, b)                     ? "other versions"
                                                     : "the same input, options and version";
}

static void print_problem(const pm_motion_batch_merged_file *file, const merge_records *records) {
    if (file->state == PM_MOTION_BATCH_FAILED) {
        printable_line(stdout, "failed: %s: %s", file->name,
                       records->of[0]->error ? file->failure : "the record has no reason");
    } else if (file->state == PM_MOTION_BATCH_MISSING) {
        printable_line(stdout, "missing: %s", file->name);
    } else {
        const batch_record *a = records->of[0], *b = other_record(records);
        printable_line(stdout, "conflicting: %s: %s in %s, %s in %s, of %s", file->name,
                       a->output.text, a->from, b->output.text, b->from, cause(a, b));
    }
}

static void print_problems(const merge_result *result, pm_motion_batch_state state, size_t left) {
    size_t shown = 0;
    for (size_t i = 0; i < result->shown.file_count && left > 0 && shown < SHOWN; i++) {
        if (result->files[i].state == state) {
            print_problem(&result->files[i], &result->records[i]);
            left--;
            shown++;
        }
    }
    if (left > 0)
        printable_line(stdout, "%s: %zu more; --json names all", merge_state_name(state), left);
}

/* Names the files of each run that left some. */
static void print_options(const merge_result *result) {
    for (size_t i = 0;
         result->shown.option_count > 1 && i < result->shown.option_count && i < SHOWN; i++) {
        const merge_options_group *group = &result->groups[i];
        printable_line(stdout, "different options: %zu file%s with %s, such as %s in %s",
                       group->count, group->count == 1 ? "" : "s", group->options.text,
                       result->files[group->first].name, result->records[group->first].of[0]->from);
    }
    if (result->shown.option_count > SHOWN)
        printable_line(stdout, "different options: %zu more; --json names all",
                       result->shown.option_count - SHOWN);
}

void merge_print(const pm_motion_batch_merge *merge) {
    const merge_result *result = &merge->result;
    const pm_motion_batch_merged *all = &result->shown;
    size_t files = 0;
    record_table_files(merge->table, &files);
    print_problems(result, PM_MOTION_BATCH_FAILED, all->failed);
    print_problems(result, PM_MOTION_BATCH_MISSING, all->missing);
    print_problems(result, PM_MOTION_BATCH_CONFLICTING, all->conflicting);
    print_options(result);
    if (all->file_count == 0)
        printable_line(stdout, "there is no record");
    printable_line(stdout,
                   "%zu file%s of records: %zu done, %zu failed, %zu missing, "
                   "%zu conflicting",
                   files, files == 1 ? "" : "s", all->done, all->failed, all->missing,
                   all->conflicting);
    if (all->unlisted > 0)
        printable_line(stdout, "%zu of them %s not in the list", all->unlisted,
                       all->unlisted == 1 ? "is" : "are");
    printable_line(stdout,
                   "%" PRIu64 " frames, %" PRIu64 " joint samples, %" PRIu64 " bytes read, %" PRIu64
                   " written, %.1f s of work",
                   all->frames, all->joint_samples, all->bytes_read, all->bytes_written,
                   all->seconds);
    printable_line(stdout, "digest %s, %s", all->digest,
                   all->is_complete ? "complete" : "not complete");
}
