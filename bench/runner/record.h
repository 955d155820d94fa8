/* SPDX-License-Identifier: MIT
 *
 * The output of a run: a table for people, a record for programs.
 */
#ifndef POSEMILL_BENCH_RECORD_H
#define POSEMILL_BENCH_RECORD_H

#include "runner.h"

#include <stdio.h>

/* ---- the machine, and what else ran meanwhile: the processors that other processes used, and the time that
 * a hypervisor gave to other machines. A value that the system does not tell stays unknown. */

enum { HOST_TEXT = 160 };

/* Texts are empty and numbers 0 where they are unknown. */
typedef struct bench_host {
    char processor[HOST_TEXT]; /* model name */
    size_t cores;              /* logical processors that the process may run on */
    char governor[HOST_TEXT];  /* of the frequency of processor 0 */
    uint64_t memory_bytes;
    char os[HOST_TEXT]; /* distribution; kernel */
} bench_host;

bench_host host_of_system(void);

/* The value of a line "key = value" or "key : value" of a file, without quotation marks around it.
 * Empty if the file has no such line. */
void host_read_value(const char *path, const char *key, char value[HOST_TEXT]);

/* The counters at one moment. Seconds of processor time, of all processors. */
typedef struct load_counters {
    bool known;
    double busy, steal, all; /* of the machine; `all` includes the time without work */
    double own;              /* of this process and of its children that have ended */
} load_counters;

typedef struct bench_load {
    bool known;
    double average; /* of the last minute before the run: processes that ran or waited to run */
    double others;  /* processors that other processes used, in the mean of the run */
    double steal;   /* part of the processor time that was not given to this machine, 0 to 1 */
    bool busy;      /* the verdict: times of this run are not those of a quiet machine */
} bench_load;

/* Of a text like that of /proc/stat. `ticks` of the text are a second. Does not set `own`. */
load_counters load_counters_in(const char *text, double ticks);

load_counters load_counters_now(void);

/* The load between two moments on a machine of so many processors. `average` remains 0. */
bench_load load_between(const load_counters *begin, const load_counters *end, double processors);

/* The same between a moment and now, with the average that was read then. */
bench_load load_since(const load_counters *begin, double average);

/* The load average of the last minute; 0 where it is unknown. */
double load_average(void);

/* ---- the record ------------------------------------------------------------------- */

/* Described in docs/performance.md. */
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
