/* SPDX-License-Identifier: MIT
 *
 * Threads that stay from job to job: as many as jobs ask for, started when a job first needs them, and ended
 * with their last user. In most jobs every thread waits for all others of its job, so that the job ends
 * only if as many take part as it asked for. The thread sanitizer runs this test too.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "base/parallel.h"
#include "support/motion.h"
#include "support/test.h"
#include "support/wrapped.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_size_t started, joined;
static atomic_size_t startable = SIZE_MAX; /* threads until starting one fails */

WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
        void *(*function)(void *), void *argument) {
    if (startable == 0)
        return EAGAIN;
    startable--;
    started++;
    return __real_pthread_create(thread, attributes, function, argument);
}

WRAPPED(int, pthread_join, pthread_t thread, void **result) {
    joined++;
    return __real_pthread_join(thread, result);
}

static void keep(void) {
    started = joined = 0;
    pm_threads_keep();
}

static void expect_threads(size_t begun, size_t ended) {
    assert_int_equal(started, begun);
    assert_int_equal(joined, ended);
}

/* ---- jobs -------------------------------------------------------------------------------------- */

enum { ITEMS = 500 };

/* `members` threads meet before they take items. */
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t members, arrived;
    atomic_size_t done[ITEMS];
    void (*check)(struct meeting *m); /* what each thread does, too; NULL: nothing */
    atomic_size_t wrong;              /* checks that failed: assertions are for the main thread */
    int rounding;
} meeting;

static void take_all(meeting *m, pm_items *items) {
    size_t item;
    while (pm_take_item(items, &item))
        m->done[item]++;
}

static void meet(void *context, pm_items *items) {
    meeting *m = context;
    pthread_mutex_lock(&m->lock);
    m->arrived++;
    pthread_cond_broadcast(&m->changed);
    while (m->arrived < m->members)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    if (m->check)
        m->check(m);
    take_all(m, items);
}

/* Runs a job for `threads` threads, of which `members` will take part. Returns what was wrong. */
static size_t run(meeting *m, size_t threads, size_t members) {
    m->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    m->changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    m->members = members;
    m->arrived = 0;
    for (size_t i = 0; i < ITEMS; i++)
        m->done[i] = 0;
    pm_run_parallel(NULL, threads, ITEMS, meet, m);
    size_t wrong = m->wrong + (m->arrived != members);
    for (size_t i = 0; i < ITEMS; i++)
        wrong += m->done[i] != 1;
    return wrong;
}

static void expect_job(size_t threads, size_t members) {
    meeting m = {.check = NULL};
    assert_int_equal(run(&m, threads, members), 0);
}

TEST(threads_are_started_when_a_job_needs_them_stay_and_end_with_their_last_user) {
    random_source source = random_salted(0xA11);
    keep();
    expect_job(1, 1);
    expect_threads(0, 0);
    expect_job(4, 4);
    expect_threads(3, 0);
    for (size_t i = 0; i < 300; i++) {
        const size_t threads = random_size(&source, 1, 4);
        expect_job(threads, threads);
    }
    expect_threads(3, 0);
    expect_job(7, 7);
    expect_threads(6, 0);
    pm_threads_keep();
    pm_threads_release();
    expect_threads(6, 0);
    pm_threads_release();
    expect_threads(6, 6);
}

TEST(without_a_user_threads_end_with_the_job) {
    started = joined = 0;
    expect_job(3, 3);
    expect_threads(2, 2);
}

static void count_calls(void *context, pm_items *items) {
    atomic_size_t *calls = context;
    size_t item;
    while (pm_take_item(items, &item))
        ;
    ++*calls;
}

TEST(a_job_gets_no_more_threads_than_it_asks_for_or_has_items) {
    keep();
    expect_job(9, 9);
    for (size_t i = 0; i < 2000; i++) {
        atomic_size_t calls = 0;
        const size_t threads = 1 + i % 4;
        pm_run_parallel(NULL, i % 2 ? threads : 9, i % 2 ? ITEMS : threads, count_calls, &calls);
        assert_true(calls >= 1 && calls <= threads);
    }
    expect_threads(8, 0);
    pm_threads_release();
}

TEST(all_calls_together_start_at_most_as_many_threads_as_one_may) {
    keep();
    expect_job(PM_MAX_THREADS + 10, PM_MAX_THREADS);
    expect_threads(PM_MAX_THREADS - 1, 0);
    pm_threads_release();
    expect_threads(PM_MAX_THREADS - 1, PM_MAX_THREADS - 1);
}

TEST(where_threads_cannot_be_started_the_others_do_their_work) {
    keep();
    for (size_t few = 0; few < 3; few++) {
        startable = few - started;
        expect_job(5, 1 + few);
        expect_threads(few, 0);
    }
    startable = SIZE_MAX;
    expect_job(5, 5);
    pm_threads_release();
    expect_threads(4, 4);
}

/* ---- callers ----------------------------------------------------------------------------------- */

enum { CALLERS = 5, ROUNDS = 60 };

typedef struct caller {
    pthread_t thread;
    bool keeps;
    size_t wrong;
} caller;

/* Every second caller makes itself a user of the threads again and again. */
static void *call_often(void *argument) {
    caller *c = argument;
    for (size_t i = 0; i < ROUNDS; i++) {
        meeting m = {.check = NULL};
        const size_t threads = 1 + i % 4;
        if (c->keeps)
            pm_threads_keep();
        c->wrong += run(&m, threads, threads);
        if (c->keeps)
            pm_threads_release();
    }
    return NULL;
}

static void call_at_once(void) {
    caller callers[CALLERS];
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.keeps = i % 2};
        assert_int_equal(__real_pthread_create(&callers[i].thread, NULL, call_often, &callers[i]),
                         0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(__real_pthread_join(callers[i].thread, NULL), 0);
        assert_int_equal(callers[i].wrong, 0);
    }
}

TEST(many_threads_may_call_at_once) {
    keep();
    call_at_once();
    assert_true(started <= CALLERS * 3);
    pm_threads_release();
    assert_int_equal(joined, started);
}

TEST(threads_may_end_while_other_calls_begin) {
    started = joined = 0;
    call_at_once();
    assert_int_equal(joined, started);
}

static void call_again(meeting *m) {
    meeting inner = {.check = NULL};
    m->wrong += run(&inner, 3, 3);
}

TEST(work_may_call_again) {
    keep();
    for (size_t i = 0; i < 20; i++) {
        meeting m = {.check = call_again};
        assert_int_equal(run(&m, 3, 3), 0);
    }
    assert_true(started <= 2 + 3 * 2);
    pm_threads_release();
    assert_int_equal(joined, started);
}

/* ---- what threads take over from the caller ---------------------------------------------------- */

static void check_rounding(meeting *m) {
    m->wrong += fegetround() != m->rounding;
}

TEST(threads_compute_in_the_mode_of_the_caller_of_each_job) {
    static const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_TOWARDZERO};
    const int before = fegetround();
    size_t wrong = 0;
    keep();
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        meeting m = {.check = check_rounding, .rounding = modes[i]};
        fesetround(modes[i]);
        wrong += run(&m, 4, 4);
    }
    fesetround(before);
    pm_threads_release();
    assert_int_equal(wrong, 0);
}

static pthread_t calling;

/* Signals of the application do not arrive in a thread of the library, those of its faults do. */
static void check_signals(meeting *m) {
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    const bool own = pthread_equal(pthread_self(), calling);
    m->wrong += sigismember(&set, SIGINT) == own || sigismember(&set, SIGTERM) == own;
    m->wrong += sigismember(&set, SIGSEGV) != 0 || sigismember(&set, SIGFPE) != 0;
}

TEST(threads_leave_signals_to_those_of_the_application) {
    meeting m = {.check = check_signals};
    calling = pthread_self();
    keep();
    assert_int_equal(run(&m, 3, 3), 0);
    pm_threads_release();
}

/* ---- processors -------------------------------------------------------------------------------- */

static cpu_set_t allowed;
static int first_allowed;
static bool all_on_first; /* else only the thread `calling` */
static atomic_size_t moves_away, moves_ended, wrong_moves;

WRAPPED(int, sched_getcpu, void) {
    const bool is_first = all_on_first || pthread_equal(pthread_self(), calling);
    return is_first ? first_allowed : first_allowed + 1;
}

WRAPPED(int, sched_setaffinity, pid_t thread, size_t size, const cpu_set_t *set) {
    const int count = CPU_COUNT_S(size, set), all = CPU_COUNT(&allowed);
    const bool has_first = CPU_ISSET_S((size_t)first_allowed, size, set);
    wrong_moves += thread != 0 || count != (has_first ? all : all - 1);
    *(has_first ? &moves_ended : &moves_away) += 1;
    return __real_sched_setaffinity(thread, size, set);
}

static void find_processors(void) {
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET((size_t)first_allowed, &allowed))
        first_allowed++;
    moves_away = moves_ended = wrong_moves = 0;
    calling = pthread_self();
}

static void check_processors(meeting *m) {
    cpu_set_t now;
    m->wrong += sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &allowed);
}

/* A thread that has work when the last job ends does not wait, and is not moved. */
TEST(threads_that_wake_on_the_processor_of_the_caller_move_to_another) {
    find_processors();
    if (CPU_COUNT(&allowed) < 2)
        skip();
    all_on_first = true;
    keep();
    while (moves_away < 20) {
        meeting m = {.check = check_processors};
        assert_int_equal(run(&m, 3, 3), 0);
    }
    pm_threads_release();
    all_on_first = false;
    assert_int_equal(moves_ended, moves_away);
    assert_int_equal(wrong_moves, 0);
}

TEST(threads_that_wake_on_other_processors_stay_there) {
    find_processors();
    keep();
    for (size_t i = 0; i < 200; i++)
        expect_job(3, 3);
    pm_threads_release();
    assert_int_equal(moves_away + moves_ended, 0);
}

TEST_GROUP(NULL, NULL)
