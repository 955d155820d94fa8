/* SPDX-License-Identifier: MIT
 *
 * How far a batch is: counts, the progress line on a terminal, and the summary at the end.
 */
#ifndef POSEMILL_TOOLS_BATCH_STATUS_H
#define POSEMILL_TOOLS_BATCH_STATUS_H

#include "commands/cli.h"
#include "record.h"

#include <stdint.h>

enum { STATUS_FAILURES = 5, STATUS_WIDTH = 256 };

typedef struct batch_status {
    uint64_t files, bytes; /* of the share */
    uint64_t done, kept, failed;
    uint64_t bytes_ended; /* of the files that are done, kept or failed, as listed */
    uint64_t frames, joint_samples, bytes_read, bytes_written;
    uint64_t cut_ends;               /* files whose end is left out */
    double longest_cut;              /* seconds */
    double begun;                    /* seconds of progress_clock */
    char *failures[STATUS_FAILURES]; /* the first, "<name>: <reason>" */
    cli_exit first_code;             /* of failures */
    bool one_code;                   /* all failures have it */
} batch_status;

/* Counts a file; `bytes` is its size in the list. */
void status_count(batch_status *status, const batch_record *record, uint64_t bytes);

/* Counts the seconds that are left out at the end of a file, and warns of all. */
void status_count_cut(batch_status *status, double seconds);
void status_warn(const batch_status *status);

/* The line at `seconds` after the beginning, with at most `columns` - 1 characters. */
void status_line(const batch_status *status, double seconds, int columns, char line[STATUS_WIDTH]);

/* Prints the summary: to stderr where `to_stderr`. */
void status_print(const batch_status *status, double seconds, const char *records, bool to_stderr);

/* 0, 1 where some files failed, or the code that all failures have where nothing was done. */
cli_exit status_code(const batch_status *status);
void status_release(batch_status *status);

#endif
