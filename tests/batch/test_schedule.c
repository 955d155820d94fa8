/* SPDX-License-Identifier: MIT
 *
 * Tests of the scheduler: every task runs once and in order, memory stays within its limit except for
 * a task that is alone, tasks that grow never wait for each other, and a stop begins no more tasks.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/schedule.h"
#include "oracle/random_tracks.h"
#include "support/check.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { TASKS = 300, LIMIT = 1000 };

typedef struct run {
    uint64_t need[TASKS], more[TASKS];
    size_t stop_after; /* tasks that have begun; SIZE_MAX: none */
    size_t together;   /* tasks that wait until so many run; 0: none waits */
    bool awaits_show;  /* tasks wait until the progress has been shown */
    bool refuses;      /* the stop comes from a task instead of a signal */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* running, shown and waiting tasks */
    size_t prepared, begun, shown;
    bool ran[TASKS];
    uint64_t used;
    size_t running, most_running;
} run;

static uint64_t need(void *user, size_t task) {
    return ((const run *)user)->need[task];
}

static void prepare(void *user, size_t task) {
    run *r = user;
    pthread_mutex_lock(&r->lock);
    assert_int_equal(task, r->prepared);
    r->prepared++;
    pthread_mutex_unlock(&r->lock);
}

/* Growing may exceed the limit where all running tasks grow, so only tasks that do not are checked. */
static void enter(run *r, uint64_t memory, bool checked) {
    pthread_mutex_lock(&r->lock);
    r->used += memory;
    assert_true(!checked || r->used <= LIMIT || r->running == 1);
    pthread_mutex_unlock(&r->lock);
}

static bool run_task(void *user, size_t thread, size_t task, schedule_ticket *ticket) {
    run *r = user;
    (void)thread;
    pthread_mutex_lock(&r->lock);
    assert_false(r->ran[task]);
    r->ran[task] = true;
    r->begun++;
    r->running++;
    r->most_running = r->running > r->most_running ? r->running : r->most_running;
    pthread_cond_broadcast(&r->changed);
    while (r->most_running < r->together || (r->awaits_show && r->shown == 0))
        pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    bool grows = false;
    for (size_t i = 0; i < TASKS; i++)
        grows = grows || r->more[i] != 0;
    enter(r, r->need[task], !grows);
    sched_yield();
    if (r->more[task] != 0) {
        schedule_grow(ticket, r->more[task]);
        enter(r, r->more[task], false);
        sched_yield();
    }
    pthread_mutex_lock(&r->lock);
    r->used -= r->need[task] + r->more[task];
    r->running--;
    const bool goes_on = !r->refuses || r->begun < r->stop_after;
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

static bool is_stopped(void *user) {
    run *r = user;
    pthread_mutex_lock(&r->lock);
    const bool stopped = !r->refuses && r->begun >= r->stop_after;
    pthread_mutex_unlock(&r->lock);
    return stopped;
}

static void show(void *user) {
    run *r = user;
    pthread_mutex_lock(&r->lock);
    r->shown++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

static schedule plan_of(run *r, size_t threads) {
    return (schedule){.task_count = TASKS,
                      .threads = threads,
                      .memory = LIMIT,
                      .user = r,
                      .need = need,
                      .prepare = prepare,
                      .run = run_task,
                      .is_stopped = is_stopped,
                      .show = show};
}

static run *new_run(void) {
    run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->stop_after = SIZE_MAX;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    return r;
}

static void end_run(run *r) {
    assert_int_equal(r->used, 0);
    assert_int_equal(r->running, 0);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void all_ran(const run *r) {
    for (size_t i = 0; i < TASKS; i++)
        assert_true(r->ran[i]);
    assert_int_equal(r->prepared, TASKS);
}

TEST(every_task_runs_once_within_the_memory) {
    random_source random = random_start();
    static const size_t threads[] = {1, 2, 7, 32};
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        run *r = new_run();
        for (size_t i = 0; i < TASKS; i++)
            r->need[i] = random_size(&random, 0, 9) == 0 ? 2000 : random_size(&random, 0, 400);
        const schedule plan = plan_of(r, threads[t]);
        assert_true(schedule_run(&plan));
        all_ran(r);
        assert_true(r->most_running <= threads[t]);
        end_run(r);
    }
}

TEST(no_tasks_need_no_thread_and_no_more_threads_than_tasks_are_started) {
    run *r = new_run();
    schedule plan = plan_of(r, SIZE_MAX / sizeof(void *));
    plan.task_count = 0;
    assert_true(schedule_run(&plan));
    assert_int_equal(r->begun, 0);
    plan.task_count = TASKS;
    assert_true(schedule_run(&plan));
    all_ran(r);
    end_run(r);
}

TEST(tasks_run_side_by_side) {
    run *r = new_run();
    for (size_t i = 0; i < TASKS; i++)
        r->need[i] = 1;
    r->together = 4; /* this ends only if four run at once */
    const schedule plan = plan_of(r, 4);
    assert_true(schedule_run(&plan));
    all_ran(r);
    assert_int_equal(r->most_running, 4);
    end_run(r);
}

/* Each task alone needs more than the limit, and all grow at once. */
TEST(tasks_that_grow_do_not_wait_for_each_other) {
    random_source random = random_start();
    for (int round = 0; round < 4; round++) {
        run *r = new_run();
        for (size_t i = 0; i < TASKS; i++) {
            r->need[i] = random_size(&random, 0, 300);
            r->more[i] = random_size(&random, 0, 1) == 0 ? 0 : random_size(&random, 1, 3000);
        }
        const schedule plan = plan_of(r, 8);
        assert_true(schedule_run(&plan));
        all_ran(r);
        end_run(r);
    }
}

TEST(sizes_near_the_largest_number_are_no_trouble) {
    run *r = new_run();
    for (size_t i = 0; i < TASKS; i++)
        r->need[i] = i % 3 == 0 ? UINT64_MAX : 10;
    const schedule plan = plan_of(r, 4);
    assert_true(schedule_run(&plan));
    all_ran(r);
    end_run(r);
}

TEST(a_stop_begins_no_more_tasks) {
    for (int refuses = 0; refuses < 2; refuses++) {
        run *r = new_run();
        r->stop_after = 20;
        r->refuses = refuses == 1;
        const schedule plan = plan_of(r, 4);
        assert_true(schedule_run(&plan));
        assert_in_range(r->begun, 20, 24);
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(r->ran[i], i < r->begun);
        end_run(r);
    }
}

TEST(the_progress_is_shown_meanwhile) {
    run *r = new_run();
    r->awaits_show = true;
    const schedule plan = plan_of(r, 1);
    assert_true(schedule_run(&plan));
    assert_true(r->shown > 0);
    end_run(r);
}
