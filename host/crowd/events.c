/* SPDX-License-Identifier: MIT
 *
 * Events: the markers that instances pass between two times, in the order passed. Both clips of an
 * instance go from their first time to their second at constant speed, so that fractions of the way
 * order their markers; fractions are compared as products of integers. Threads count the events of
 * pieces of the instances first, and then write each piece where it belongs.
 */

#include "markers.h"

/* ---- one clip of an instance -------------------------------------------------------------- */

/* The markers that are still to be passed on the way between two times. */
typedef struct passage {
    pm_course course;
    pm_u128 left;
    pm_course_place next; /* where `left` is not 0 */
    int64_t from;
    pm_u64 span; /* ticks between the times */
    bool is_backwards;
} passage;

static pm_u64 distance(int64_t a, int64_t b) {
    return a < b ? (pm_u64)b - (pm_u64)a : (pm_u64)a - (pm_u64)b;
}

/* A marker at the second time is passed, and one at the first time is not. */
static passage passage_of(const pm_crowd_data *crowd, const pm_input *input, int64_t from) {
    const int64_t to = input->time;
    passage p = {.from = from, .span = distance(from, to), .is_backwards = to < from};
    if (from == to)
        return p;
    p.course = pm_course_of(crowd, input->clip, input->clamps);
    if (p.course.count == 0)
        return p;
    const pm_i128 begin =
        p.is_backwards ? pm_course_from(&p.course, from) : pm_course_behind(&p.course, from);
    p.left = (pm_u128)(p.is_backwards ? begin - pm_course_from(&p.course, to)
                                      : pm_course_behind(&p.course, to) - begin);
    if (p.left)
        p.next = pm_course_at(&p.course, p.is_backwards ? begin - 1 : begin);
    return p;
}

/* The time of the next marker, which lies between the instance's two times. */
static int64_t next_time(const passage *p) {
    return (int64_t)pm_course_time(&p->course, p->next);
}

static void step(passage *p) {
    pm_course_place *next = &p->next;
    p->left--;
    if (!p->is_backwards && ++next->marker == p->course.count) {
        next->marker = 0;
        next->round++;
    } else if (p->is_backwards && next->marker-- == 0) {
        next->marker = p->course.count - 1;
        next->round--;
    }
}

/* ---- an instance -------------------------------------------------------------------------- */

/* Passages of clips A and B; those without effect pass nothing. */
typedef struct passages {
    passage of[PM_INPUTS];
} passages;

static passages passages_of(const pm_crowd_data *crowd, const pm_crowd_instance *before,
                            const pm_crowd_instance *after) {
    const pm_resolved resolved = pm_instance_resolved(crowd, after);
    const int64_t from[PM_INPUTS] = {before->time_a, before->time_b};
    passages p = {0};
    for (size_t n = 0; n < PM_INPUTS; n++)
        if (resolved.inputs[n].op != PM_OP_NONE)
            p.of[n] = passage_of(crowd, &resolved.inputs[n], from[n]);
    return p;
}

/* Whether the next marker is one of B: A is first where both are passed at the same time. */
static size_t next_clip(const passages *p) {
    const passage *a = &p->of[0], *b = &p->of[1];
    if (!a->left || !b->left)
        return a->left ? 0 : 1;
    const pm_u128 of_a = (pm_u128)distance(a->from, next_time(a)) * b->span;
    const pm_u128 of_b = (pm_u128)distance(b->from, next_time(b)) * a->span;
    return of_b < of_a;
}

static pm_crowd_event event_of(const passages *p, size_t n, size_t instance, uint32_t clip) {
    const passage *from = &p->of[n];
    return (pm_crowd_event){.time = next_time(from),
                            .instance = instance,
                            .clip = clip,
                            .id = from->course.markers[from->next.marker].id,
                            .marker = (uint32_t)from->next.marker,
                            .is_b = (uint32_t)n};
}

/* ---- all instances ------------------------------------------------------------------------ */

/* Instances per work item, and for each thread. */
enum { RUN = 512, RUNS_A_THREAD = 16 };

typedef struct event_job {
    const pm_crowd_data *crowd;
    const pm_crowd_instance *before, *after;
    size_t count;
    pm_u128 *counts; /* of each piece; then the events before it */
    pm_crowd_event *events;
    size_t capacity;
} event_job;

static void count_events(void *context, pm_items *items) {
    const event_job *job = context;
    size_t run;
    while (pm_take_item(items, &run)) {
        const pm_piece piece = pm_piece_at(job->count, RUN, run);
        job->counts[run] = 0;
        for (size_t i = piece.from; i < piece.from + piece.count; i++) {
            const passages p = passages_of(job->crowd, &job->before[i], &job->after[i]);
            job->counts[run] += p.of[0].left + p.of[1].left;
        }
    }
}

static void write_events(void *context, pm_items *items) {
    const event_job *job = context;
    size_t run;
    while (pm_take_item(items, &run)) {
        const pm_piece piece = pm_piece_at(job->count, RUN, run);
        size_t at = job->counts[run] < job->capacity ? (size_t)job->counts[run] : job->capacity;
        for (size_t i = piece.from; i < piece.from + piece.count && at < job->capacity; i++) {
            const pm_crowd_instance *after = &job->after[i];
            passages p = passages_of(job->crowd, &job->before[i], after);
            for (; (p.of[0].left || p.of[1].left) && at < job->capacity; at++) {
                const size_t n = next_clip(&p);
                job->events[at] = event_of(&p, n, i, n ? after->clip_b : after->clip_a);
                step(&p.of[n]);
            }
        }
    }
}

/* Replaces the count of each piece by the events before it. */
static pm_status add_up(const event_job *job, size_t runs, size_t *total, pm_error *error) {
    pm_u128 sum = 0;
    for (size_t run = 0; run < runs; run++) {
        const pm_u128 own = job->counts[run];
        job->counts[run] = sum;
        sum += own;
        if (sum > SIZE_MAX)
            return pm_fail(error, PM_ERROR_SIZE, "the number of events does not fit size_t");
    }
    *total = (size_t)sum;
    return PM_OK;
}

pm_status pm_events_find(const pm_crowd_data *crowd, size_t threads,
                         const pm_crowd_instance *before, const pm_crowd_instance *after,
                         size_t count, pm_crowd_event *events, size_t capacity, size_t *event_count,
                         pm_error *error) {
    const size_t runs = pm_piece_count(count, RUN), useful = 1 + runs / RUNS_A_THREAD;
    *event_count = 0;
    if (!crowd->markers || runs == 0)
        return PM_OK;
    pm_u128 *counts = pm_allocate(crowd->host, runs * sizeof *counts);
    if (!counts)
        return pm_fail_memory(error);
    event_job job = {crowd, before, after, count, counts, events, capacity};
    threads = useful < threads ? useful : threads;
    pm_run_parallel(crowd->host, threads, runs, count_events, &job);
    const pm_status status = add_up(&job, runs, event_count, error);
    if (status == PM_OK && capacity && *event_count)
        pm_run_parallel(crowd->host, threads, runs, write_events, &job);
    pm_release(counts);
    return status;
}
