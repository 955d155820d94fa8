/* SPDX-License-Identifier: MIT
 *
 * What a process of a batch has to do: its share of the items, their outputs, and the order.
 */
#pragma once

#include "motion/base/fault.h"
#include "motion/files/digest.h"
#include "motion/items/batch_list.h"

#include <posemill/posemill_motion.h>

typedef struct batch_file {
    const batch_item *item;
    const char *name; /* of the output below its folder */
    const char *out;  /* the output: the folder and the name */
    char *data;       /* of a member of an archive, between reading and resampling */
    size_t size;
    uint64_t unpacked; /* bytes that its container states; 0 before it is opened */
    char *fault;       /* why they could not be read; NULL: they could */
} batch_file;

typedef struct batch_plan {
    /* The largest files first, so that none of them is left alone at the end; then members of
     * archives in the order in which they are read. */
    batch_file *files;
    size_t count;
    uint64_t bytes; /* of all files */
    char **names;   /* of the outputs of all items, those of other shards too */
    char **outs;    /* NULL: of another shard */
    size_t item_count;
} batch_plan;

/* Makes the plan of a list, and checks it before anything is written: two items with one output, an output
 * that is an input, an output that exists and must not. Release the plan in either case. Borrows the items. */
pm_status batch_plan_of(const pm_motion_batch_list *list, const pm_motion_batch_options *options,
                        batch_plan *plan, pm_error *error);
void batch_plan_release(batch_plan *plan);

typedef struct batch_shard {
    uint64_t index, count; /* index < count */
} batch_shard;

/* Sets mine[i] for each item of the shard: the largest files first, each to the share that is the
 * smallest so far, of equal ones the first; of equal files the first by name. A file counts one byte
 * more than it has. The order of the items does not matter. False: memory is exhausted. */
bool shard_divide(const batch_items *items, batch_shard shard, bool *mine);

/* Takes the folder for these options; *lock is for run_lock_release, -1 for none. Refused where a run with
 * other options has the folder. A file system without locks is a warning. */
pm_status run_lock_take(const char *folder, const digest *options, pm_motion_log_function log,
                        void *user, int *lock, pm_error *error);

/* -1 is none. */
void run_lock_release(int lock);
