/* SPDX-License-Identifier: MIT
 *
 * The output of a run: a table for people, a record for programs.
 */
#ifndef POSEMILL_BENCH_RECORD_H
#define POSEMILL_BENCH_RECORD_H

#include "host.h"
#include "load.h"
#include "runner.h"

/* Described in docs/performance.md. Records without a number are of schema 1. */
enum { RECORD_SCHEMA = 2 };

/* The case of the headline. */
#define RECORD_HEADLINE "upsample-4/slerp"

extern const char *const record_bound_names[]; /* by bench_bound */

typedef struct bench_record {
    char date[24];                 /* when the run began: UTC, ISO 8601 */
    char version[32], commit[128]; /* of the command; the version may be unknown, "" */
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

/* The result of the case of this name; NULL: the run does not have it. */
const bench_result *record_find(const bench_record *record, const char *name);

void record_print_heading(const bench_record *record);
void record_print_row(const bench_result *result);
/* What the rows do not tell: slerp beside the obvious kernel, two rates of filling, shares above 1. */
void record_print_footing(const bench_record *record);

cli_exit record_write(const bench_record *record, cli_output *output);

/* Reads what the last lines of the run tell: summary.h. The record has no result but the headline's,
 * if that was measured; bench_result_free releases it, also after a failure. */
cli_exit record_read(const char *path, bench_record *record, bench_result *result);

/* The same of a text. NULL, or the member that is missing or wrong; "JSON": it is no JSON. */
const char *record_parse(const char *text, size_t size, bench_record *record, bench_result *result);

#endif
