/* SPDX-License-Identifier: MIT
 *
 * What a batch has done, from all its records and the list of its files: each file once, in the order
 * of the names, and one digest of all results.
 */
#pragma once

#include "motion/batch/record.h"
#include "motion/items/batch_list.h"

/* The records of a file, the one to trust first. */
typedef struct merge_records {
    const batch_record *const *of; /* NULL: none */
    size_t count;
} merge_records;

/* Files that were done with the same options, but for what a list gives for each file. */
typedef struct merge_options_group {
    digest options;
    size_t count;
    size_t first; /* of the files */
} merge_options_group;

typedef struct merge_result {
    /* What callers see. Sums are over the files that are done or conflicting; of those too large for 64
     * bits, the largest. A file is conflicting if several have done it, and their outputs differ. */
    pm_motion_batch_merged shown;
    pm_motion_batch_merged_file *files; /* those that are shown */
    merge_records *records;             /* of each of them */
    merge_options_group *groups;        /* the largest first; more than one is not complete */
    bool has_list;
    /* Of "name\0output_digest\n" of each of these files, in their order: it does not depend on shards,
     * resumes or machines. */
    digest digest;
} merge_result;

/* `list` NULL: none. The result points into the table and the list; release it in either case. False:
 * memory is exhausted. */
bool merge_find(record_table *table, const batch_items *list, merge_result *result);
void merge_release(merge_result *result);

/* "missing", "failed", "done" or "conflicting". */
const char *merge_state_name(pm_motion_batch_state state);

/* What callers have. */
struct pm_motion_batch_merge {
    record_table *table;
    merge_result result;
    char *json; /* NULL: not made */
};
