/* SPDX-License-Identifier: MIT
 *
 * Work that consists of independent items, distributed over threads for the duration of one call.
 */
#pragma once

#include <stddef.h>

typedef struct motion_work {
    void (*item)(void *user, size_t index); /* on any thread */
    /* Called on the calling thread between items, and once all are done. NULL: not called */
    void (*progress)(void *user, size_t done);
    void *user;
} motion_work;

/* Does all items on up to `threads` threads, the calling one included; 0: pm_processors(). If a thread
 * cannot be started, the others do its work. */
void motion_run_parallel(size_t threads, size_t items, const motion_work *work);
