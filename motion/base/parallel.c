/* SPDX-License-Identifier: MIT
 *
 * Threads that take items in ascending order.
 */
#include "motion/base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <posemill/posemill.h>

enum { THREADS_MAX = 256 };

typedef struct run {
    const motion_work *work;
    size_t items;
    atomic_size_t next, done;
    size_t told; /* of which progress was told, by the calling thread alone */
} run;

static void tell(run *r, size_t done) {
    if (r->work->progress && done > r->told)
        r->work->progress(r->work->user, done);
    r->told = done;
}

static void take(run *r, bool is_caller) {
    for (size_t i = atomic_fetch_add(&r->next, 1); i < r->items;
         i = atomic_fetch_add(&r->next, 1)) {
        r->work->item(r->work->user, i);
        const size_t done = atomic_fetch_add(&r->done, 1) + 1;
        if (is_caller)
            tell(r, done);
    }
}

static void *begin(void *user) {
    take(user, false);
    return NULL;
}

void motion_run_parallel(size_t threads, size_t items, const motion_work *work) {
    pthread_t others[THREADS_MAX];
    run r = {.work = work, .items = items};
    size_t started = 0;
    threads = threads != 0 ? threads : pm_processors();
    threads = threads < items ? threads : items;
    while (started + 1 < threads && started < THREADS_MAX &&
           pthread_create(&others[started], NULL, begin, &r) == 0)
        started++;
    take(&r, true);
    for (size_t t = 0; t < started; t++)
        pthread_join(others[t], NULL);
    tell(&r, items);
}
