/* SPDX-License-Identifier: MIT
 *
 * Resamples thousands of files in steps: a share of the items is planned, threads work on it, and a report
 * is written.
 *
 *   items -> plan (a share, outputs, order) -> threads: file -> output and record
 */
#pragma once

#include "motion/batch/batch_report.h"
#include "motion/items/batch_list.h"

typedef struct batch batch;

/* Plans and checks; takes the folder where outputs may be replaced, and reads the records that may prove
 * some. Nothing but the lock is written. List and options must outlive the batch. */
pm_status batch_begin(const pm_motion_batch_list *list, const pm_motion_batch_options *options,
                      batch **made, pm_error *error);

/* Files at a time, and the file of records. */
size_t batch_jobs(const batch *b);
const char *batch_records(const batch *b);

/* pm_motion_batch_run without the report; `error` must not be NULL. Call it once. */
pm_status batch_run(batch *b, pm_engine *engine, pm_motion_batch_result *result, pm_error *error);

/* Writes the report, if there is one and the run has ended with all files. NULL in *summary: nothing is
 * written, and a warning says why. */
pm_status batch_write_report(batch *b, const report_summary **summary, pm_error *error);

/* Clears the handle; takes NULL. */
void batch_end(batch **made);
