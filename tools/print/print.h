/* SPDX-License-Identifier: MIT
 *
 * What the command says to people: of a batch the line of its progress and the summary at its end, of a
 * merge, a comparison, and a file.
 */
#pragma once

#include "commands/cli.h"
#include "commands/resample_run.h"
#include "motion/batch/merge.h"
#include "motion/compare/outcome.h"
#include "motion/task/task.h"

enum { STATUS_FAILURES = 5, STATUS_WIDTH = 256 };

/* Files that failed. Zero-initialise. */
typedef struct batch_failures {
    char *first[STATUS_FAILURES]; /* "<name>: <reason>" */
    uint64_t count;
    cli_exit code; /* of the first */
    bool one_code; /* all failures have it */
} batch_failures;

void failures_add(batch_failures *failures, const char *name, const char *reason, cli_exit code);
void failures_release(batch_failures *failures);

/* The line of a batch, with at most `columns` - 1 characters. */
void status_line(const pm_motion_batch_result *status, int columns, char line[STATUS_WIDTH]);

/* Prints the summary: to stderr where `to_stderr`. */
void status_print(const pm_motion_batch_result *status, const batch_failures *failures,
                  const char *records, bool to_stderr);

/* 0, 1 where some files failed or are left, or the code that all failures have where nothing was done. */
cli_exit status_code(const pm_motion_batch_result *status, const batch_failures *failures);

/* Prints the counts of a merge, the first files of each problem, and the digest. */
void merge_print(const pm_motion_batch_merge *merge);

/* A comparison as lines: a joint each, the worst first, then the clip. */
void compare_print(FILE *file, const outcome *o);

/* Prints the report of one file in the requested form. With the output on standard output the text report
 * goes to stderr. */
void resample_print(const command_options *options, const char *in, const char *out,
                    const task_report *report);

/* What a motion file is: at most a screen. */
void info_print(const char *path, const pm_motion *motion);

/* Says what is odd about the keys of a clip, a sentence each. `first_step`: of its summary. */
void info_odd(const pm_motion_content *content, size_t clip, double first_step,
              void (*say)(void *user, const char *text), void *user);

void info_print_json(const char *path, const pm_motion *motion);
