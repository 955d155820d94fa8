/* SPDX-License-Identifier: MIT
 *
 * Threads that stay as long as an engine or a resampler exists: starting one takes as long as a small frame.
 * They sleep between jobs: threads that wait actively would take processors from those of the application.
 */
#include "parallel.h"

#include <stdint.h>

#include <posemill/posemill.h>

/* A call of pm_run_parallel. `places` and `running` are guarded by the lock. */
typedef struct job {
    pm_items *items;
    pm_work work;
    void *context;
    fenv_t mode;         /* of the calling thread: rounding, and whether subnormal numbers are 0 */
    size_t places;       /* threads that may still join in */
    size_t running;      /* threads that have joined in */
    pthread_cond_t left; /* the last of them has left */
    struct job *next;    /* in the order of the calls */
} job;

/* The threads of this process. A thread that was started counts as waiting until it takes a place. */
static struct {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t wake;
    job *jobs;
    size_t users;   /* for which the threads stay */
    size_t places;  /* of all jobs */
    size_t waiting; /* threads that take a place next */
    size_t count;
    int caller;  /* the processor on which the last job began */
    int resting; /* that on which a thread last began to wait */
    pthread_t threads[PM_MAX_THREADS - 1];
    uintptr_t generation; /* of these threads; those of an earlier one end */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static int forks_unwatched; /* an errno value */

/* ---- pieces of a call --------------------------------------------------------------------------- */

static bool is_cancelled(const pm_host *host) {
    return host && host->cancel && __atomic_load_n(host->cancel, __ATOMIC_RELAXED) != 0;
}

static bool all_taken(const pm_items *items) {
    return atomic_load(&items->next) >= items->count;
}

/* Each call of work but the caller's may be in the middle of the last item that it took. */
static void report_progress(pm_items *items) {
    const size_t taken = atomic_load(&items->next), begun = atomic_load(&items->begun);
    const size_t done = taken + 1 > begun ? taken + 1 - begun : 0;
    if (done <= items->reported || done >= items->count)
        return;
    items->reported = done;
    items->host->progress(items->host->user, done, items->count);
}

static bool may_go_on(pm_items *items) {
    if (items->host->progress && pthread_equal(items->caller, pthread_self()))
        report_progress(items);
    if (is_cancelled(items->host))
        atomic_store(&items->is_cancelled, 1);
    return !atomic_load(&items->is_cancelled);
}

static pm_status fail_cancelled(pm_error *error) {
    return pm_fail(error, PM_ERROR_CANCELLED, "cancelled");
}

pm_status pm_check_piece(const pm_host *host, size_t done, size_t total, pm_error *error) {
    if (host && host->progress)
        host->progress(host->user, done, total);
    return is_cancelled(host) && done < total ? fail_cancelled(error) : PM_OK;
}

bool pm_take_item(pm_items *items, size_t *item) {
    if (items->host && !may_go_on(items))
        return false;
    *item = atomic_fetch_add_explicit(&items->next, 1, memory_order_relaxed);
    return *item < items->count;
}

/* ---- threads: the caller of these functions holds the lock ------------------------------------ */

static job *open_job(void) {
    job *j = pool.jobs;
    while (j && j->places == 0)
        j = j->next;
    return j;
}

static void close_places(job *j) {
    pool.places -= j->places;
    j->places = 0;
}

/* Wakes threads for the first two of some places. Those wake others in turn: the caller does not wait until
 * all are awake. Needs no lock. */
static void wake(size_t places) {
    for (size_t i = 0; i < 2 && i < places; i++)
        pthread_cond_signal(&pool.wake);
}

static void begin_work(job *j) {
    atomic_fetch_add(&j->items->begun, 1);
    j->work(j->context, j->items);
}

/* Work ends when no items are left, so that nobody else needs to join in. */
static void join_in(job *j) {
    j->places--;
    j->running++;
    pool.waiting--;
    const size_t left = --pool.places;
    pthread_mutex_unlock(&pool.lock);
    wake(left);
    pm_os_set_mode(&j->mode);
    begin_work(j);
    pthread_mutex_lock(&pool.lock);
    pool.waiting++;
    close_places(j);
    if (--j->running == 0)
        pthread_cond_signal(&j->left);
}

/* The scheduler may wake a thread on the processor of the caller again and again, although another is
 * idle: the caller then does all work before the thread runs. So a thread that finds itself there moves
 * away. The next time it wakes where it moved to, if that is idle. */
static void wait_for_job(void) {
    pool.resting = pm_os_current_processor();
    pthread_cond_wait(&pool.wake, &pool.lock);
    const int caller = pool.caller;
    if (pm_os_current_processor() != caller)
        return;
    pthread_mutex_unlock(&pool.lock);
    pm_os_leave_processor(caller);
    pthread_mutex_lock(&pool.lock);
}

static void *serve(void *generation) {
    pthread_mutex_lock(&pool.lock);
    while (pool.generation == (uintptr_t)generation) {
        job *j = open_job();
        if (j)
            join_in(j);
        else
            wait_for_job();
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* Starts threads until there is one for each place, or none can be started. */
static void start_threads(void) {
    if (pool.waiting >= pool.places || pool.count == PM_MAX_THREADS - 1 || forks_unwatched)
        return;
    while (pool.waiting < pool.places && pool.count < PM_MAX_THREADS - 1 &&
           pm_os_start_thread(&pool.threads[pool.count], serve, (void *)pool.generation)) {
        pool.count++;
        pool.waiting++;
    }
}

/* Releases the lock. Ends all threads if nobody uses them. */
static void leave(void) {
    pthread_t threads[PM_MAX_THREADS - 1];
    size_t count = 0;
    if (pool.users == 0 && !pool.jobs) {
        for (; count < pool.count; count++)
            threads[count] = pool.threads[count];
        pool.count = pool.waiting = 0;
        pool.generation++;
        pthread_cond_broadcast(&pool.wake);
    }
    pthread_mutex_unlock(&pool.lock);
    while (count > 0)
        pthread_join(threads[--count], NULL);
}

/* In a child process, which has none of the threads. The lock may belong to one of them for ever. */
static void after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pool.jobs = NULL;
    pool.places = pool.waiting = pool.count = 0;
}

static void watch_forks(void) {
    forks_unwatched = pm_os_watch_forks(after_fork);
}

/* Locks, also for the first time: no child finds the lock taken for ever. */
static void lock_first(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&pool.lock);
}

void pm_threads_keep(void) {
    lock_first();
    pool.users++;
    pthread_mutex_unlock(&pool.lock);
}

void pm_threads_release(void) {
    pthread_mutex_lock(&pool.lock);
    pool.users--;
    leave();
}

/* ---- jobs -------------------------------------------------------------------------------------- */

/* Opens a job for up to `places` other threads. */
static void begin_job(job *j, size_t places) {
    job **at = &pool.jobs;
    lock_first();
    while (*at)
        at = &(*at)->next;
    *at = j;
    j->places = places;
    pool.places += places;
    pool.caller = pm_os_current_processor();
    start_threads();
    pthread_mutex_unlock(&pool.lock);
    wake(places);
}

/* Waits for the threads that have joined in. If one that did not was last seen on this processor, it may
 * wait for it: it runs now, to move away, instead of when this thread's time slice ends. */
static void end_job(job *j) {
    job **at = &pool.jobs;
    pthread_mutex_lock(&pool.lock);
    const bool stacked = j->places > 0 && pool.resting == pm_os_current_processor();
    close_places(j);
    while (j->running > 0)
        pthread_cond_wait(&j->left, &pool.lock);
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    leave();
    if (stacked)
        pm_os_yield();
}

/* A task of the application's run_parallel, in whose threads another floating-point mode may be set. */
static void run_task(void *context, size_t index) {
    job *j = context;
    fenv_t before;
    (void)index;
    pm_os_get_mode(&before);
    pm_os_set_mode(&j->mode);
    begin_work(j);
    pm_os_set_mode(&before);
}

static void run(const pm_host *host, size_t threads, pm_work work, void *context, pm_items *items) {
    job j = {.items = items, .work = work, .context = context};
    size_t places = threads < items->count ? threads : items->count;
    places = places < PM_MAX_THREADS ? places : PM_MAX_THREADS;
    if (places <= 1) {
        begin_work(&j);
        return;
    }
    pm_os_get_mode(&j.mode);
    if (host && host->run_parallel) {
        host->run_parallel(host->user, places, run_task, &j);
        return;
    }
    pthread_cond_init(&j.left, NULL);
    begin_job(&j, places - 1);
    begin_work(&j);
    end_job(&j);
    pthread_cond_destroy(&j.left);
}

bool pm_run_parallel(const pm_host *host, size_t threads, size_t items, pm_work work,
                     void *context) {
    pm_items all = {.count = items};
    run(host, threads, work, context, &all);
    return all_taken(&all);
}

pm_status pm_run_pieces(const pm_host *host, size_t threads, size_t items, pm_work work,
                        void *context, pm_error *error) {
    pm_items all = {.count = items, .caller = pthread_self()};
    if (host && (host->progress || host->cancel))
        all.host = host;
    if (all.host && all.host->progress && items > 0)
        host->progress(host->user, 0, items);
    run(host, threads, work, context, &all);
    if (!all_taken(&all))
        return atomic_load(&all.is_cancelled) ? fail_cancelled(error) : pm_fail_memory(error);
    return items > 0 ? pm_check_piece(host, items, items, error) : PM_OK;
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

/* The quota is read once: an engine or a call of the Python package would read two files else. */
size_t pm_processors(void) {
    static atomic_size_t known; /* 0: not yet */
    size_t quota = atomic_load_explicit(&known, memory_order_relaxed);
    if (quota == 0) {
        quota = pm_os_quota();
        atomic_store_explicit(&known, quota, memory_order_relaxed);
    }
    const size_t allowed = pm_os_processors();
    return allowed < quota ? allowed : quota;
}
