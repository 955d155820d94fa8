/* SPDX-License-Identifier: MIT
 *
 * The report of a batch: every output is compared with its source, an index sorts them, and the worst
 * have a page.
 */
#ifndef POSEMILL_MOTION_REPORT_H
#define POSEMILL_MOTION_REPORT_H

#include "motion/batch/plan.h"
#include "motion/batch/record.h"

typedef struct report_request {
    const pm_motion_batch_options *options;
    const batch_items *items;
    const batch_plan *plan;
    const char *const *others; /* further files of the batch, which may be NULL */
    size_t other_count;
    size_t threads; /* files that are compared at a time */
} report_request;

/* What is found. Texts are valid until the report ends. */
typedef struct report_summary {
    size_t files, compared;
    double degrees;   /* the largest angle */
    const char *name; /* of its file */
    char *path;       /* of the index */
} report_summary;

typedef struct batch_report batch_report;

/* Begins a report before anything is written. What the request points to must outlive it. Refuses a
 * report that would overwrite an input. */
pm_status report_begin(const report_request *request, batch_report **report, pm_error *error);

/* Takes note of what became of a file of the plan. Thread-safe for different files. */
void report_note(batch_report *report, size_t file, const batch_record *record);

/* Compares within `memory` bytes, and writes the index and the pages, unless it is stopped: *stopped. On
 * failure the index of an earlier report is still there. */
pm_status report_write(batch_report *report, uint64_t memory, bool *stopped, pm_error *error);

const report_summary *report_summarise(const batch_report *report);

/* *report may be NULL. */
void report_end(batch_report **report);

#endif
