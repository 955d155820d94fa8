/* SPDX-License-Identifier: MIT
 *
 * What a batch has done, from all its records and the list of its files: each file once, in the order
 * of the names, and one digest of all results.
 */
#ifndef POSEMILL_MOTION_MERGE_H
#define POSEMILL_MOTION_MERGE_H

#include "motion/batch/record.h"
#include "motion/items/batch_list.h"

typedef enum merge_state {
    MERGE_MISSING,     /* in the list, without a record */
    MERGE_FAILED,      /* and in no record done */
    MERGE_DONE,        /* or kept */
    MERGE_CONFLICTING, /* done by several, whose outputs have different digests */
    MERGE_STATE_COUNT
} merge_state;

typedef struct merge_file {
    const char *name;
    merge_state state;
    const batch_record *const *records; /* the one to trust first. NULL: none */
    size_t record_count;
    bool is_listed;
} merge_file;

/* Files that were done with the same options, but for what a list gives for each file. */
typedef struct merge_options_group {
    digest options;
    size_t count;
    const merge_file *first;
} merge_options_group;

typedef struct merge_result {
    merge_file *files; /* sorted by the bytes of their names */
    size_t count;
    size_t counts[MERGE_STATE_COUNT];
    size_t unlisted;             /* files with records that the list does not have */
    merge_options_group *groups; /* the largest first; more than one is not complete */
    size_t group_count;
    bool has_list, is_complete;
    /* Sums over the files that are done or conflicting; of those too large for 64 bits, the largest. */
    uint64_t frames, samples, bytes_read, bytes_written;
    double seconds;
    /* Of "name\0output_digest\n" of each of these files, in their order: it does not depend on shards,
     * resumes or machines. */
    digest digest;
} merge_result;

/* `list` NULL: none. The result points into the table and the list; release it in either case. False:
 * memory is exhausted. */
bool merge_records(record_table *table, const batch_items *list, merge_result *result);
void merge_release(merge_result *result);

/* "missing", "failed", "done" or "conflicting". */
const char *merge_state_name(merge_state state);

/* What callers have. */
struct pm_motion_batch_merge {
    record_table *table;
    merge_result result;
    pm_motion_batch_merged shown; /* the same for callers */
    pm_motion_batch_merged_file *files;
    char *json; /* NULL: not made */
};

#endif
