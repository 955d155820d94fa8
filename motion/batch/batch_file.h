/* SPDX-License-Identifier: MIT
 *
 * One file of a batch: what was done before is kept, anything else is resampled, and both are recorded.
 */
#pragma once

#include "motion/batch/plan.h"
#include "motion/batch/record.h"
#include "motion/batch/schedule.h"
#include "motion/files/digest.h"
#include "motion/items/items.h"
#include "motion/options/options.h"
#include "motion/task/task.h"

/* The digest of all options that can change a byte of an output. */

/* Digests of the files that options name, by the rows of the table, which are read once. */
typedef struct options_files {
    digest of[OPTION_ROWS_MAX]; /* "": no such file */
} options_files;

/* A file that cannot be read has no digest; using it fails later, with its name. */
void options_files_read(const pm_motion_batch_task *task, options_files *files);

/* Of an item with what its list gives it; of NULL, what all items share. "": memory is exhausted.
 * Thread-safe. */
digest options_digest(const pm_motion_batch_task *task, const options_files *files,
                      const batch_item *item);

/* One file of a batch: what was done before is kept, anything else is resampled, and both are
 * recorded. */

/* What all files share. Constant while threads run. */
typedef struct batch_common {
    const pm_motion_batch_options *options;
    task_engines *engines;
    options_files files;
    digest shared;              /* of the options without those of an item */
    record_table *before;       /* of earlier runs; NULL: nothing is kept */
    pm_motion_log_function log; /* receives warnings of all threads, one at a time */
    void *log_user;
} batch_common;

/* What became of a file, and its texts. */
typedef struct batch_result {
    batch_record record;
    pm_error error;                      /* of failures */
    char error_text[PM_ERROR_TEXT_SIZE]; /* which the record has */
    task_report report;
    char **warnings;
    size_t warning_count;
} batch_result;

/* Works on a file, whose data are taken. `curve` is the thread's own. Release the result. */
void batch_file_run(const batch_common *common, task_curve *curve, batch_file *file,
                    schedule_ticket *ticket, batch_result *result);
void batch_result_release(batch_result *result);

/* Refuses a file with a fault, and one that is no regular file. */
pm_status batch_file_refuse(const batch_file *file, pm_error *error);

/* Bytes of memory that a file needs, from what is known before it is opened. */
uint64_t batch_file_need(const batch_file *file);
