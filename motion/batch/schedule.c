/* SPDX-License-Identifier: MIT
 *
 * One lock, a condition for memory and one for the end. Tasks are begun in order: a task that has to
 * wait for memory holds up those behind it, so that a large one is not put off for ever.
 */
#include "motion/batch/schedule.h"

#include <pthread.h>
#include <stdlib.h>

#include "motion/base/c_locale.h"
#include "motion/base/os.h"

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

/* Shows the progress until all threads have ended. */
static void wait_for_threads(scheduler *s) {
    pthread_mutex_lock(&s->lock);
    while (s->threads_left > 0) {
        if (!os_condition_wait(&s->left, &s->lock, SHOW_MILLISECONDS)) {
            pthread_mutex_unlock(&s->lock);
            s->plan->show(s->plan->user);
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
    const size_t threads = plan->threads < plan->task_count ? plan->threads : plan->task_count;
    worker *workers = calloc(threads + 1, sizeof *workers);
    if (!workers)
        return false;
    os_condition_begin(&s.left);
    const bool run = run_threads(&s, workers, threads) || threads == 0;
    pthread_cond_destroy(&s.left);
    pthread_cond_destroy(&s.changed);
    free(workers);
    return run;
}

uint64_t machine_memory(uint64_t limit) {
    const uint64_t taken = os_memory_taken(), machine = os_memory();
    const uint64_t all = limit != 0 ? limit : machine > 0 ? machine / 4 : UINT64_C(1) << 30;
    return all > taken ? all - taken : 0;
}

/* The C library keeps what a thread freed for that thread, so that each would hold the memory of its
 * largest file. */
void machine_give_memory_back(uint64_t bytes) {
    if (bytes >= UINT64_C(1) << 20)
        os_return_memory();
}
