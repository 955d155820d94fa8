/* SPDX-License-Identifier: MIT
 *
 * Threads that exist only during the call: the work takes longer than starting them.
 */
#define _POSIX_C_SOURCE 200809L

#include "parallel.h"

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
    pthread_t workers[PM_MAX_THREADS - 1];
    size_t max = threads < items ? threads : items;
    size_t started = 0;
    while (started + 1 < PM_MAX_THREADS && started + 1 < max &&
           pthread_create(&workers[started], NULL, run_worker, &j) == 0)
        started++;
    work(context, &j.items);
    while (started > 0)
        pthread_join(workers[--started], NULL);
}

void pm_first_failure_begin(pm_first_failure *failure) {
    *failure = (pm_first_failure){.status = PM_OK};
    pthread_mutex_init(&failure->lock, NULL);
}

void pm_first_failure_end(pm_first_failure *failure) {
    pthread_mutex_destroy(&failure->lock);
}

void pm_first_failure_note(pm_first_failure *failure, pm_status status, size_t item,
                           const pm_error *error) {
    pthread_mutex_lock(&failure->lock);
    if (failure->status == PM_OK || item < failure->item) {
        failure->status = status;
        failure->item = item;
        if (error)
            failure->error = *error;
    }
    pthread_mutex_unlock(&failure->lock);
}
