/* SPDX-License-Identifier: MIT
 *
 * Resamples thousands of files: inputs, a share of them, threads, records, and what was done before.
 *
 *   sources -> items -> plan (a share, outputs, order) -> threads: file -> output and record
 */
#ifndef POSEMILL_TOOLS_BATCH_H
#define POSEMILL_TOOLS_BATCH_H

#include "items.h"
#include "resample/resample.h"

typedef struct batch_options {
    const char *files_from; /* see batch_sources */
    const char *match;
    size_t jobs;         /* files at a time. 0: one per processor */
    uint64_t memory;     /* bytes. 0: a quarter of the machine's */
    const char *shard;   /* see shard_find. NULL: all */
    const char *records; /* NULL: in the folder of the outputs */
    bool resume;         /* keep outputs that records prove right */
    bool verify;         /* read them to make sure */
    bool overwrite;      /* replace outputs that exist */
    const char *report;  /* a folder for a report. NULL: none */
    size_t report_pages; /* for how many of the worst */
    bool has_report_pages;
    const char *command; /* the command line, for the report */
    bool ends_at_once;   /* the first signal ends the process. Not an option; for bench */
} batch_options;

/* Resamples files and folders into options->out_dir. Prints failures as they occur, and a summary, or
 * with options->json the records. Unless it ends at once, the first SIGINT or SIGTERM ends it when the
 * files in work are finished. Returns CLI_PARTIAL if some files failed or are left. */
cli_exit batch_resample(const resample_options *options, const batch_options *how, char **operands,
                        size_t operand_count);

/* Ends the batches of this process when the files in work are finished. Thread-safe. */
void batch_stop(void);

#endif
