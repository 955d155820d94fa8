/* SPDX-License-Identifier: MIT
 *
 * What a run reports: a table for people, a record for programs.
 */
#ifndef POSEMILL_BENCH_RECORD_H
#define POSEMILL_BENCH_RECORD_H

#include "runner.h"

typedef struct bench_record {
    pm_device_info device;
    bool quick;
    const char *glob; /* NULL: all cases */
    size_t samples, segments;
    size_t threads;   /* of the baseline */
    bool event_times; /* whether kernel time is that of events */
    const bench_result *results;
    size_t count;
} bench_record;

void record_print_heading(const bench_record *record);
void record_print_row(const bench_result *result);
/* "slerp: N times the obvious kernel", when both were measured. */
void record_print_footing(const bench_record *record);

cli_exit record_write(const bench_record *record, cli_output *output);

#endif
