/* SPDX-License-Identifier: MIT
 *
 * Threads that exist only during the call: the work takes longer than starting them.
 */
#define _POSIX_C_SOURCE 200809L

#include "parallel.h"

#include <pthread.h>

enum { MAX_THREADS = 64 };

typedef struct job {
    pm_items items;
    pm_work work;
    void *context;
} job;

bool pm_take_item(pm_items *items, size_t *item) {
    *item = atomic_fetch_add_explicit(&items->next, 1, memory_order_relaxed);
    return *item < items->count;
}

static void *run_worker(void *argument) {
    job *j = argument;
    j->work(j->context, &j->items);
    return NULL;
}

void pm_run_parallel(size_t threads, size_t items, pm_work work, void *context) {
    job j = {.items = {.count = items}, .work = work, .context = context};
    pthread_t workers[MAX_THREADS];
    size_t max = threads < items ? threads : items;
    size_t started = 0;
    while (started < MAX_THREADS && started + 1 < max &&
           pthread_create(&workers[started], NULL, run_worker, &j) == 0)
        started++;
    work(context, &j.items);
    while (started > 0)
        pthread_join(workers[--started], NULL);
}
