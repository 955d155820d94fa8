/* SPDX-License-Identifier: MIT
 *
 * Waiting threads sleep between runs, because they would otherwise take
 * processors from the device that is measured. Within a run they wait actively.
 */
#define _POSIX_C_SOURCE 200809L

#include "parallel.h"

#include "files/progress.h"

#include <posemill/posemill.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAX_THREADS = 256 };

struct parallel_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t threads[MAX_THREADS];
    size_t thread_count; /* without the calling one */
    size_t runs;         /* under the mutex, like all up to `stop` */
    parallel_task *task;
    const void *work;
    size_t count, range;
    bool stop;
    atomic_size_t awake, next, done;
    atomic_bool begun;
};

size_t parallel_threads(void) {
    const size_t processors = pm_processors();
    return processors < MAX_THREADS ? processors : MAX_THREADS;
}

static void take_ranges(parallel_pool *pool) {
    size_t begin;
    while ((begin = atomic_fetch_add(&pool->next, pool->range)) < pool->count) {
        size_t rest = pool->count - begin;
        pool->task(pool->work, begin, begin + (rest < pool->range ? rest : pool->range));
    }
}

/* Sleeps until there is a run after `seen`. False: there will be none. */
static bool wait_for_run(parallel_pool *pool, size_t seen) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->runs == seen && !pool->stop)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    bool stop = pool->stop;
    pthread_mutex_unlock(&pool->mutex);
    return !stop;
}

/* A processor may have more than one of the threads, so waiting gives way to others. */
static void *work_in_runs(void *context) {
    parallel_pool *pool = context;
    for (size_t seen = 0; wait_for_run(pool, seen); seen++) {
        atomic_fetch_add(&pool->awake, 1);
        while (!atomic_load(&pool->begun))
            sched_yield();
        take_ranges(pool);
        atomic_fetch_add(&pool->done, 1);
    }
    return NULL;
}

parallel_pool *parallel_create(void) {
    parallel_pool *pool = calloc(1, sizeof *pool);
    const size_t wanted = parallel_threads() - 1;
    if (!pool)
        return NULL;
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        free(pool);
        return NULL;
    }
    if (pthread_cond_init(&pool->wake, NULL) != 0) {
        pthread_mutex_destroy(&pool->mutex);
        free(pool);
        return NULL;
    }
    while (pool->thread_count < wanted &&
           pthread_create(&pool->threads[pool->thread_count], NULL, work_in_runs, pool) == 0)
        pool->thread_count++;
    if (pool->thread_count < wanted)
        parallel_destroy(&pool);
    return pool;
}

void parallel_destroy(parallel_pool **pool) {
    parallel_pool *gone = *pool;
    if (!gone)
        return;
    pthread_mutex_lock(&gone->mutex);
    gone->stop = true;
    pthread_cond_broadcast(&gone->wake);
    pthread_mutex_unlock(&gone->mutex);
    for (size_t i = 0; i < gone->thread_count; i++)
        pthread_join(gone->threads[i], NULL);
    pthread_cond_destroy(&gone->wake);
    pthread_mutex_destroy(&gone->mutex);
    free(gone);
    *pool = NULL;
}

static void wait_for_all(const parallel_pool *pool, atomic_size_t *threads) {
    while (atomic_load(threads) < pool->thread_count)
        sched_yield();
}

double parallel_run(parallel_pool *pool, parallel_task *task, const void *work, size_t count,
                    size_t range) {
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->work = work;
    pool->count = count;
    pool->range = range;
    atomic_store(&pool->begun, false);
    atomic_store(&pool->awake, 0);
    atomic_store(&pool->next, 0);
    atomic_store(&pool->done, 0);
    pool->runs++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    wait_for_all(pool, &pool->awake);
    double begun = progress_clock();
    atomic_store(&pool->begun, true);
    take_ranges(pool);
    wait_for_all(pool, &pool->done);
    return progress_clock() - begun;
}
