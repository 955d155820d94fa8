/* SPDX-License-Identifier: MIT
 *
 * The output of a run: a table for people, a record for programs.
 */
#ifndef POSEMILL_BENCH_RECORD_H
#define POSEMILL_BENCH_RECORD_H

#include "machine.h"
#include "runner.h"

#include <stdio.h>

/* Described in bench/record.schema.json. Records without a number are of schema 1. */
enum { RECORD_SCHEMA = 2 };

/* Of the build; commit.cmake writes the definition at every build. Abbreviated, with "-dirty" if files
 * were changed since; "unknown" outside a checkout. */
extern const char bench_commit[];

typedef struct bench_record {
    char date[24];                /* when the run began: UTC, ISO 8601 */
    const char *version, *commit; /* of the command */
    bench_host host;
    load_counters begin; /* what the machine had done by then */
    double average;      /* load of the minute before */
    bench_load load;     /* of the run */
    pm_device_info device;
    bool quick;
    const char *glob; /* NULL: all cases */
    size_t samples, segments;
    size_t threads;         /* threads of the baseline */
    bool event_times;       /* whether kernel time comes from events */
    double fill_rates[2];   /* bytes/s of fills of the whole output */
    size_t fill_rate_count; /* 0: none was measured; 2: they form two groups */
    const bench_result *results;
    size_t count;
} bench_record;

/* Sets date, version, commit, host, and what the load of the run is computed from. */
void record_begin(bench_record *record);

/* Sets the load of the run that ends now. */
void record_end(bench_record *record);

void record_print_heading(const bench_record *record);
void record_print_row(const bench_result *result);
/* What the rows do not tell: slerp beside the obvious kernel, two rates of filling, shares above 1. */
void record_print_footing(const bench_record *record);

/* The last five lines of a run: the machine, the headline with its interval, what bounds it, the commit
 * and the date. What the run did not measure is named as missing. */
void record_print_summary(FILE *file, const bench_record *record);

cli_exit record_write(const bench_record *record, cli_output *output);

#endif
