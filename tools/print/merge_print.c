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
static const batch_record *other_record(const merge_file *file) {
    size_t i = 1;
    while (digest_equal(&file->records[i]->output, &file->records[0]->output))
        i++;
    return file->records[i];
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

static void print_problem(const merge_file *file) {
    if (file->state == MERGE_FAILED) {
        const char *error = file->records[0]->error;
        printable_line(stdout, "failed: %s: %s", file->name,
                       error ? error : "the record has no reason");
    } else if (file->state == MERGE_MISSING) {
        printable_line(stdout, "missing: %s", file->name);
    } else {
        const batch_record *a = file->records[0], *b = other_record(file);
        printable_line(stdout, "conflicting: %s: %s in %s, %s in %s, of %s", file->name,
                       a->output.text, a->from, b->output.text, b->from, cause(a, b));
    }
}

static void print_problems(const merge_result *result, merge_state state) {
    size_t left = result->counts[state], shown = 0;
    for (size_t i = 0; i < result->count && left > 0 && shown < SHOWN; i++) {
        if (result->files[i].state == state) {
            print_problem(&result->files[i]);
            left--;
            shown++;
        }
    }
    if (left > 0)
        printable_line(stdout, "%s: %zu more; --json names all", merge_state_name(state), left);
}

/* Names the files of each run that left some. */
static void print_options(const merge_result *result) {
    for (size_t i = 0; result->group_count > 1 && i < result->group_count && i < SHOWN; i++) {
        const merge_options_group *group = &result->groups[i];
        printable_line(stdout, "different options: %zu file%s with %s, such as %s in %s",
                       group->count, group->count == 1 ? "" : "s", group->options.text,
                       group->first->name, group->first->records[0]->from);
    }
    if (result->group_count > SHOWN)
        printable_line(stdout, "different options: %zu more; --json names all",
                       result->group_count - SHOWN);
}

void merge_print(const pm_motion_batch_merge *merge) {
    const merge_result *result = &merge->result;
    size_t files = 0;
    record_table_files(merge->table, &files);
    print_problems(result, MERGE_FAILED);
    print_problems(result, MERGE_MISSING);
    print_problems(result, MERGE_CONFLICTING);
    print_options(result);
    if (result->count == 0)
        printable_line(stdout, "there is no record");
    printable_line(stdout,
                   "%zu file%s of records: %zu done, %zu failed, %zu missing, "
                   "%zu conflicting",
                   files, files == 1 ? "" : "s", result->counts[MERGE_DONE],
                   result->counts[MERGE_FAILED], result->counts[MERGE_MISSING],
                   result->counts[MERGE_CONFLICTING]);
    if (result->unlisted > 0)
        printable_line(stdout, "%zu of them %s not in the list", result->unlisted,
                       result->unlisted == 1 ? "is" : "are");
    printable_line(stdout,
                   "%" PRIu64 " frames, %" PRIu64 " joint samples, %" PRIu64 " bytes read, %" PRIu64
                   " written, %.1f s of work",
                   result->frames, result->samples, result->bytes_read, result->bytes_written,
                   result->seconds);
    printable_line(stdout, "digest %s, %s", result->digest.text,
                   result->is_complete ? "complete" : "not complete");
}
