/* SPDX-License-Identifier: MIT
 *
 * Threads for work in C that is timed: the baseline, and the ceilings of the reference path. They
 * sleep between runs, are woken before a run's clock starts, and take ranges of the work until none
 * is left, so that all processors end together.
 */
#ifndef POSEMILL_BENCH_PARALLEL_H
#define POSEMILL_BENCH_PARALLEL_H

#include <stddef.h>

typedef struct parallel_pool parallel_pool;

/* Number of threads: one per processor. */
size_t parallel_threads(void);

/* Starts the threads. NULL when that fails or memory is exhausted. */
parallel_pool *parallel_create(void);
void parallel_destroy(parallel_pool **pool);

/* Does the elements [begin, end) of some work. */
typedef void parallel_task(const void *work, size_t begin, size_t end);

/* Does `count` elements in ranges of at most `range`, on the calling thread too. Returns the time
 * from when all threads were awake until all work was done. One run at a time. */
double parallel_run(parallel_pool *pool, parallel_task *task, const void *work, size_t count,
                    size_t range);

#endif
