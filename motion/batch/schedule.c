/* SPDX-License-Identifier: MIT
 *
 * One lock, a condition for memory and one for the end. Tasks are begun in order: a task that has to
 * wait for memory holds up those behind it, so that a large one is not put off for ever.
 */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */

#include "motion/batch/schedule.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "motion/base/c_locale.h"

enum { SHOW_MILLISECONDS = 100 };

typedef struct scheduler {
    const schedule *plan;
    pthread_mutex_t picking; /* held while a task is chosen and prepared */
    pthread_mutex_t lock;    /* of all below */
    pthread_cond_t changed;  /* memory and tasks */
    pthread_cond_t left;     /* a thread; the calling thread is not woken by every task */
    uint64_t used;           /* bytes of running tasks */
    size_t running, threads_left, next;
    schedule_ticket *growing; /* tasks that wait in schedule_grow */
    size_t growing_count;
    bool ended;
} scheduler;

struct schedule_ticket {
    scheduler *of;
    size_t task;
    uint64_t memory;
    schedule_ticket *next; /* in `growing` */
};

/* More than any machine has, so that no sum overflows. */
static uint64_t bounded(uint64_t memory) {
    const uint64_t most = UINT64_C(1) << 48;
    return memory < most ? memory : most;
}

static bool has_room(const scheduler *s, uint64_t memory) {
    return s->used + bounded(memory) <= s->plan->memory;
}

static void take(scheduler *s, schedule_ticket *ticket, uint64_t memory) {
    ticket->memory += bounded(memory);
    s->used += bounded(memory);
}

/* Waits for room. Tasks that run already go first, because they hold memory. */
static void admit(scheduler *s, schedule_ticket *ticket, uint64_t memory) {
    pthread_mutex_lock(&s->lock);
    while (s->running > 0 && (s->growing_count > 0 || !has_room(s, memory)))
        pthread_cond_wait(&s->changed, &s->lock);
    take(s, ticket, memory);
    s->running++;
    pthread_mutex_unlock(&s->lock);
}

static void leave(scheduler *s, const schedule_ticket *ticket) {
    pthread_mutex_lock(&s->lock);
    s->used -= ticket->memory;
    s->running--;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* Whether all running tasks wait to grow, and this one was begun before the others. */
static bool is_first_of_all(const scheduler *s, const schedule_ticket *ticket) {
    if (s->growing_count < s->running)
        return false;
    for (const schedule_ticket *other = s->growing; other; other = other->next)
        if (other->task < ticket->task)
            return false;
    return true;
}

static void unlink_growing(scheduler *s, const schedule_ticket *ticket) {
    for (schedule_ticket **at = &s->growing; *at; at = &(*at)->next) {
        if (*at == ticket) {
            *at = ticket->next;
            s->growing_count--;
            return;
        }
    }
}

void schedule_grow(schedule_ticket *ticket, uint64_t memory) {
    scheduler *s = ticket->of;
    pthread_mutex_lock(&s->lock);
    ticket->next = s->growing;
    s->growing = ticket;
    s->growing_count++;
    pthread_cond_broadcast(&s->changed); /* others may be the first of all now */
    while (!has_room(s, memory) && !is_first_of_all(s, ticket))
        pthread_cond_wait(&s->changed, &s->lock);
    unlink_growing(s, ticket);
    take(s, ticket, memory);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static bool has_ended(scheduler *s) {
    pthread_mutex_lock(&s->lock);
    s->ended = s->ended || s->next == s->plan->task_count || s->plan->is_stopped(s->plan->user);
    const bool ended = s->ended;
    pthread_mutex_unlock(&s->lock);
    return ended;
}

/* The next task, with its memory and its data. False: none is begun. */
static bool begin_task(scheduler *s, schedule_ticket *ticket) {
    pthread_mutex_lock(&s->picking);
    bool begun = !has_ended(s);
    if (begun) {
        *ticket = (schedule_ticket){.of = s, .task = s->next};
        admit(s, ticket, s->plan->need(s->plan->user, ticket->task));
        begun = !has_ended(s); /* it may have waited long */
        if (begun) {
            s->next++;
            if (s->plan->prepare)
                s->plan->prepare(s->plan->user, ticket->task);
        } else {
            leave(s, ticket);
        }
    }
    pthread_mutex_unlock(&s->picking);
    return begun;
}

typedef struct worker {
    scheduler *of;
    size_t number;
    pthread_t thread;
} worker;

static void *work(void *context) {
    const worker *w = context;
    scheduler *s = w->of;
    schedule_ticket ticket;
    c_locale_begin();
    while (begin_task(s, &ticket)) {
        const bool goes_on = s->plan->run(s->plan->user, w->number, ticket.task, &ticket);
        if (!goes_on) {
            pthread_mutex_lock(&s->lock);
            s->ended = true;
            pthread_mutex_unlock(&s->lock);
        }
        leave(s, &ticket);
    }
    pthread_mutex_lock(&s->lock);
    s->threads_left--;
    pthread_cond_signal(&s->left);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static struct timespec soon(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += SHOW_MILLISECONDS * 1000000L;
    if (at.tv_nsec >= 1000000000L) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000L;
    }
    return at;
}

/* Shows the progress until all threads have ended. */
static void wait_for_threads(scheduler *s) {
    struct timespec at = soon();
    pthread_mutex_lock(&s->lock);
    while (s->threads_left > 0) {
        if (pthread_cond_timedwait(&s->left, &s->lock, &at) != 0) {
            pthread_mutex_unlock(&s->lock);
            s->plan->show(s->plan->user);
            at = soon();
            pthread_mutex_lock(&s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static bool run_threads(scheduler *s, worker *workers, size_t threads) {
    size_t started = 0;
    pthread_mutex_lock(&s->lock); /* threads_left is right before the first thread ends */
    for (; started < threads; started++) {
        workers[started] = (worker){.of = s, .number = started};
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            break;
    }
    s->threads_left = started;
    pthread_mutex_unlock(&s->lock);
    wait_for_threads(s);
    for (size_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    return started > 0;
}

bool schedule_run(const schedule *plan) {
    scheduler s = {.plan = plan,
                   .picking = PTHREAD_MUTEX_INITIALIZER,
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER};
    pthread_condattr_t monotonic;
    const size_t threads = plan->threads < plan->task_count ? plan->threads : plan->task_count;
    worker *workers = calloc(threads + 1, sizeof *workers);
    if (!workers)
        return false;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC); /* the time of day may jump */
    pthread_cond_init(&s.left, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const bool run = run_threads(&s, workers, threads) || threads == 0;
    pthread_cond_destroy(&s.left);
    pthread_cond_destroy(&s.changed);
    free(workers);
    return run;
}

static uint64_t quarter_of_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : UINT64_C(1) << 30;
}

uint64_t machine_memory(uint64_t limit) {
    struct rusage usage;
    const uint64_t taken =
        getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss << 10 : 0;
    const uint64_t all = limit != 0 ? limit : quarter_of_memory();
    return all > taken ? all - taken : 0;
}

/* By default the C library gives 2 MB back to the system after each file, and takes them again:
 * measured, 20,000 files of 24 kB take 1.15 times as long. */
void machine_keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
#endif
}

/* The C library keeps what a thread freed for that thread, so that each would hold the memory of its
 * largest file. */
void machine_give_memory_back(uint64_t bytes) {
#ifdef __GLIBC__
    if (bytes >= UINT64_C(1) << 20)
        malloc_trim(0);
#else
    (void)bytes;
#endif
}
