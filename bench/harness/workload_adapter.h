/* SPDX-License-Identifier: MIT
 *
 * What a library's author writes to measure it on the workload: one file that defines
 * workload_adapter. It is compiled with harness.c:
 *
 *     cc -O2 -Ibench/harness bench/harness/harness.c mine.c -lmine -lm -o mine
 *     bench/workload measure work --program ./mine -o mine.json
 *
 * docs/workload.md describes the tasks, and what is timed and judged.
 */
#ifndef WORKLOAD_ADAPTER_H
#define WORKLOAD_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task with its inputs, which stay valid and must not be changed. Arrays are in C order. */
typedef struct workload_task {
    const char *group;  /* "uniform", "large", "times", "pairs" or "crowd" */
    const char *method; /* "slerp", "nlerp" or "squad" */

    size_t track_count, key_count;
    double key_rate;         /* Hz */
    const float *keys;       /* (key_count, track_count, 4): x y z w */
    const double *key_times; /* (key_count), seconds */
    const float *controls;   /* squad's inner points, as keys */

    size_t time_count;
    const double *times;        /* (time_count), seconds */
    unsigned rate;              /* Hz of `times`; 0: they are in no order */
    const int32_t *pair_tracks; /* (time_count) the track of each sample of pairs; otherwise NULL */

    const int32_t
        *parents;      /* (track_count) of the joints of crowd; -1: the root, which is the first */
    const float *rest; /* (track_count, 3) metres from the parent */
} workload_task;

/* What prepare fills in; all is zero before. */
typedef struct workload_prepared {
    void *state;      /* passed to run and finish */
    char device[256]; /* where it computes, and on how many threads */
} workload_prepared;

/* Results are float32: of crowd 12 numbers a joint, otherwise 4 a sample. */
typedef struct workload_adapter {
    const char *name, *version;
    const char *url;      /* NULL: none */
    const char *compiler; /* of the library, with its flags */

    /* Makes curves of the keys. Untimed.
     * 1: done; 0: the library does not have the task; -1: it failed, and said why on stderr. */
    int (*prepare)(const workload_task *task, workload_prepared *prepared);
    /* Is timed: computes all results of the task into host memory. False: it failed, and said why on
     * stderr. */
    bool (*run)(const workload_task *task, void *state, float *results);
    /* Frees the state, also after a prepare that failed. */
    void (*finish)(void *state);
} workload_adapter;

extern const workload_adapter workload_library;

#endif
