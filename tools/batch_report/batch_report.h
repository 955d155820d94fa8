/* SPDX-License-Identifier: MIT
 *
 * The report of a batch: every output is compared with its source, an index sorts them, and the worst
 * have a page.
 */
#ifndef POSEMILL_TOOLS_BATCH_REPORT_H
#define POSEMILL_TOOLS_BATCH_REPORT_H

#include "batch/plan.h"
#include "batch/record.h"
#include "resample/resample.h"

typedef struct report_request {
    const char *folder;  /* of the report */
    size_t pages;        /* for how many of the worst rows */
    const char *command; /* the command line */
    const resample_options *options;
    const batch_items *items;
    const batch_plan *plan;
    const char *const *others; /* further files of the batch, which may be NULL */
    size_t other_count;
    size_t threads;           /* files that are compared at a time */
    bool (*is_stopped)(void); /* no more files are compared */
} report_request;

typedef struct batch_report batch_report;

/* Begins a report before anything is written. What the request points to must outlive it. On failure,
 * such as a report that would overwrite an input, prints and returns the code. */
cli_exit report_begin(const report_request *request, batch_report **report);

/* Takes note of what became of a file of the plan. Thread-safe for different files. */
void report_note(batch_report *report, size_t file, const batch_record *record);

/* Compares within `memory` bytes, writes the index and the pages, and prints a line: to stderr with --json. On failure prints
 * and returns the code; the index of an earlier report is then still there. */
cli_exit report_write(batch_report *report, uint64_t memory);

/* *report may be NULL. */
void report_end(batch_report **report);

#endif
