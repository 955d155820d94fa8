/* SPDX-License-Identifier: MIT
 *
 * One file of a batch: what was done before is kept, anything else is resampled, and both are
 * recorded.
 */
#ifndef POSEMILL_TOOLS_BATCH_FILE_H
#define POSEMILL_TOOLS_BATCH_FILE_H

#include "batch.h"
#include "options_digest.h"
#include "plan.h"
#include "record.h"
#include "schedule.h"

/* What all files share. Constant while threads run. */
typedef struct batch_common {
    const batch_options *how;
    pm_engine *engine;
    const char *device;
    options_files files;
    digest shared;        /* of the options without those of an item */
    record_table *before; /* of earlier runs; NULL: nothing is kept */
    bool is_silent;       /* the caller tells what fails */
} batch_common;

/* What became of a file, and its texts. */
typedef struct batch_result {
    batch_record record;
    bool is_full; /* it failed because the disk is full */
    cli_messages messages;
    resample_report report;
    const char **warnings;
    char *notes[2]; /* warnings about what the output does not hold */
} batch_result;

/* Works on a file, whose data are taken. `options` are the thread's own. Release the result. */
void batch_file_run(const batch_common *common, resample_options *options, batch_file *file,
                    schedule_ticket *ticket, batch_result *result);
void batch_result_release(batch_result *result);

/* Bytes of memory that a file needs, from what is known before it is opened. */
uint64_t batch_file_need(const batch_file *file);

#endif
