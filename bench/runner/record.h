/* SPDX-License-Identifier: MIT
 *
 * The output of a run: a table for people, a record for programs.
 */
#ifndef POSEMILL_BENCH_RECORD_H
#define POSEMILL_BENCH_RECORD_H

#include "runner.h"

typedef struct bench_record {
    pm_device_info device;
    bool quick;
    const char *glob; /* NULL: all cases */
    size_t samples, segments;
    size_t threads;   /* threads of the baseline */
    bool event_times; /* whether kernel time comes from events */
    const bench_result *results;
    size_t count;
} bench_record;

void record_print_heading(const bench_record *record);
void record_print_row(const bench_result *result);
/* Prints "slerp: N times the obvious kernel" if both were measured. */
void record_print_footing(const bench_record *record);

cli_exit record_write(const bench_record *record, cli_output *output);

#endif
