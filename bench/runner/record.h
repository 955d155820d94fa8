/* SPDX-License-Identifier: MIT
 *
 * The output of a run: a table for people, a record for programs.
 */
#ifndef POSEMILL_BENCH_RECORD_H
#define POSEMILL_BENCH_RECORD_H

#include "host.h"
#include "runner.h"

typedef struct bench_record {
    char date[24]; /* when the run began: UTC, ISO 8601 */
    bench_host host;
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

/* Sets date and host. */
void record_begin(bench_record *record);

void record_print_heading(const bench_record *record);
void record_print_row(const bench_result *result);
/* Prints "slerp: N times the obvious kernel" if both were measured. */
void record_print_footing(const bench_record *record);

cli_exit record_write(const bench_record *record, cli_output *output);

#endif
