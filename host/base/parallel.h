/* SPDX-License-Identifier: MIT
 *
 * Work on the host that consists of independent items, distributed over the threads that this
 * process keeps for it.
 */
#ifndef PM_HOST_PARALLEL_H
#define PM_HOST_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "memory.h"
#include "os.h"
#include "status.h"

/* A part of a job: items [from, from + count). */
typedef struct pm_piece {
    size_t from;
    size_t count;
} pm_piece;

/* How many pieces of `size` there are in `total` items, the last one of what is left. */
static inline size_t pm_piece_count(size_t total, size_t size) {
    return total / size + (total % size != 0);
}

/* Piece number `index`, below that count. */
static inline pm_piece pm_piece_at(size_t total, size_t size, size_t index) {
    const size_t from = index * size, left = total - from;
    const pm_piece piece = {from, left < size ? left : size};
    return piece;
}

/* Items that are not yet taken; they are handed out in ascending order. */
typedef struct pm_items {
    atomic_size_t next;
    size_t count;
    const pm_host *host; /* of pm_run_pieces; NULL: of pm_run_parallel */
    pthread_t caller;
    size_t reported;
    atomic_size_t begun;      /* calls of work */
    atomic_uint is_cancelled; /* not a bool: see pm_device.differs */
} pm_items;

/* Takes the next item; false when none is left. */
bool pm_take_item(pm_items *items, size_t *item);

/* Takes items and processes them until none is left; another thread may take any of them. */
typedef void (*pm_work)(void *context, pm_items *items);

/* Threads of a call at most, the caller's included. All calls together start one less. */
enum { PM_MAX_THREADS = 65 };

/* Calls work on up to `threads` threads, including the caller's, or by the host's run_parallel (the host may be
 * NULL), and returns when all items are done. False: no thread took the last
 * ones, for lack of memory. If a thread cannot be started, the others do its work. The threads compute in the caller's
 * floating-point mode. Thread-safe; work may call it, too. */
bool pm_run_parallel(const pm_host *host, size_t threads, size_t items, pm_work work,
                     void *context);

/* Likewise for the items that a call consists of: reports progress to the host, and fails with
 * PM_ERROR_CANCELLED where it is cancelled before the last is taken, or with PM_ERROR_MEMORY. */
pm_status pm_run_pieces(const pm_host *host, size_t threads, size_t items, pm_work work,
                        void *context, pm_error *error);

/* The same for a loop of one thread: before each piece, of which `done` are done at least, and at the end.
 * The host may be NULL. */
pm_status pm_check_piece(const pm_host *host, size_t done, size_t total, pm_error *error);

/* Between these two calls, threads that were started wait for the next job. Otherwise they end with
 * the last job that runs. Thread-safe, but not for work. */
void pm_threads_keep(void);
void pm_threads_release(void);

/* The failure of the item with the lowest number: as all items are tried, it does not depend on which
 * thread was first. */
typedef struct pm_first_failure {
    pthread_mutex_t lock; /* guards the fields below */
    pm_status status;     /* PM_OK: none */
    size_t item;
    pm_error error; /* if one was noted */
} pm_first_failure;

void pm_first_failure_begin(pm_first_failure *failure);
void pm_first_failure_end(pm_first_failure *failure);

/* `error` may be NULL. Thread-safe. */
void pm_first_failure_note(pm_first_failure *failure, pm_status status, size_t item,
                           const pm_error *error);

#endif
