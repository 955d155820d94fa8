/* SPDX-License-Identifier: MIT
 *
 * Work on the host that falls into independent items, spread over threads for the time of
 * one call.
 */
#ifndef PM_HOST_PARALLEL_H
#define PM_HOST_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Items not yet taken; handed out in rising order. */
typedef struct pm_items {
    atomic_size_t next;
    size_t count;
} pm_items;

/* Takes the next item; false when none is left. */
bool pm_take_item(pm_items *items, size_t *item);

/* Does an unknown part of the items: takes them until there are none. */
typedef void (*pm_work)(void *context, pm_items *items);

/* Calls work on up to `threads` threads, the caller's among them, and returns when all items
 * are done. A thread that cannot be started is done without. */
void pm_run_parallel(size_t threads, size_t items, pm_work work, void *context);

/* Processors of this machine that are online, at least 1. */
size_t pm_processors(void);

#endif
