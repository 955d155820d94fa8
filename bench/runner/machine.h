/* SPDX-License-Identifier: MIT
 *
 * The machine and the system that a record was measured on, and what else ran meanwhile: the processors
 * that other processes used, and the time that a hypervisor gave to other machines. Reads what Linux
 * offers; a value that is not there stays unknown.
 */
#ifndef POSEMILL_BENCH_MACHINE_H
#define POSEMILL_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
