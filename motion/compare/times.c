/* SPDX-License-Identifier: MIT
 *
 * A merge of the key times of all timelines of two clips, by a heap.
 */
#include "motion/compare/compare.h"

#include "motion/model/evaluate.h"

#include <math.h>
#include <stdlib.h>

/* A file's bytes that a pose of one joint needs at least, and the poses that any file may have: those
 * of a minute at 1000 Hz with 64 joints. */
enum { POSE_BYTES = 4, MOST_POSES = 4000000 };

static void sift(compare_times *t, size_t at) {
    const times_cursor moved = t->heap[at];
    for (size_t child = 2 * at + 1; child < t->heap_count; child = 2 * at + 1) {
        if (child + 1 < t->heap_count && t->heap[child + 1].time < t->heap[child].time)
            child++;
        if (t->heap[child].time >= moved.time)
            break;
        t->heap[at] = t->heap[child];
        at = child;
    }
    t->heap[at] = moved;
}

/* Passes the earliest key. */
static void pass_key(compare_times *t) {
    times_cursor *top = &t->heap[0];
    if (++top->key < top->keys->key_count)
        top->time = evaluate_key_time(top->keys, top->key) - top->begin;
    else
        *top = t->heap[--t->heap_count];
    if (t->heap_count > 0)
        sift(t, 0);
}

/* The first key at or after a time, less what is the same. */
static size_t first_key(const pm_timeline *keys, double time) {
    const double from = time - SUBJECT_SAME_TIME;
    const size_t key = evaluate_key_before(keys, from);
    return key < keys->key_count && evaluate_key_time(keys, key) < from ? key + 1 : key;
}

/* Keys before the part do not count. */
static void fill_heap(compare_times *t) {
    t->heap_count = 0;
    t->done = 0;
    for (size_t i = 0; i < t->sides && t->request.rate.den == 0; i++) {
        const subject *s = t->subjects[i];
        for (size_t n = 0; n < s->clip->timeline_count; n++) {
            const pm_timeline *keys = &s->clip->timelines[n];
            const size_t key = first_key(keys, s->begin + t->start);
            if (key < keys->key_count) {
                const double time = evaluate_key_time(keys, key) - s->begin;
                t->heap[t->heap_count++] = (times_cursor){keys, s->begin, key, time};
            }
        }
    }
    for (size_t at = t->heap_count / 2; at > 0; at--)
        sift(t, at - 1);
}

static double grid_time(const compare_times *t, uint64_t index) {
    const pm_rational rate = t->request.rate;
    return t->start + (double)index * (double)rate.den / (double)rate.num;
}

/* The next key time, whether it is taken or not. */
static bool next_key_time(compare_times *t, double *time) {
    if (t->heap_count == 0 || t->heap[0].time > t->end + SUBJECT_SAME_TIME)
        return false;
    const double first = t->heap[0].time;
    do {
        *time = t->heap[0].time;
        pass_key(t);
    } while (t->heap_count > 0 &&
             (t->heap[0].time <= first || t->heap[0].time < first + SUBJECT_SAME_TIME));
    t->done++;
    return true;
}

/* Of key times every n-th, and the last. */
static bool next_time(compare_times *t, double *time) {
    if (t->request.rate.den != 0) {
        *time = grid_time(t, t->done);
        return t->done++ < t->key_times;
    }
    while (next_key_time(t, time))
        if ((t->done - 1) % t->every == 0 || t->done == t->key_times)
            return true;
    return false;
}

size_t times_next(compare_times *t, double *times, size_t room) {
    size_t count = 0;
    while (count < room && next_time(t, &times[count]))
        count++;
    return count;
}

size_t times_room(size_t joints) {
    enum { BLOCK_POSES = 16384, BLOCK_TIMES = 512 };
    const size_t fitting = BLOCK_POSES / joints;
    return fitting < 1 ? 1 : fitting > BLOCK_TIMES ? BLOCK_TIMES : fitting;
}

static uint64_t count_grid(const compare_times *t) {
    const double last = t->end + 2 * SUBJECT_SAME_TIME;
    const double steps =
        (last - t->start) * (double)t->request.rate.num / (double)t->request.rate.den;
    if (!(steps < 0x1p53))
        return UINT64_MAX;
    uint64_t count = steps < 0 ? 0 : (uint64_t)steps + 1;
    /* The division may have rounded to a neighbour. */
    count += grid_time(t, count) <= last;
    count -= count > 0 && grid_time(t, count - 1) > last;
    return count;
}

static uint64_t count_keys(compare_times *t) {
    double time;
    while (next_key_time(t, &time)) {
    }
    return t->done;
}

/* What a time costs: joints, and timelines in which a method looks for its key. */
static size_t width_of(const subject *s) {
    const size_t timelines = s->clip->timeline_count;
    return s->joint_count > timelines ? s->joint_count : timelines;
}

/* How many poses are worth while: those that files have themselves, which a motion without a file has
 * in memory. */
static double most_poses(const compare_times *t) {
    const size_t a = t->subjects[0]->view.content.file_bytes;
    const size_t b = t->subjects[1]->view.content.file_bytes;
    return a == 0 || b == 0 ? (double)INFINITY
                            : fmax(MOST_POSES, ((double)a + (double)b) / POSE_BYTES);
}

static uint64_t find_every(const compare_times *t) {
    const size_t a = width_of(t->subjects[0]), b = width_of(t->subjects[1]);
    const double poses = (double)t->key_times * (double)(a > b ? a : b);
    const double every = ceil(poses / most_poses(t));
    return t->request.rate.den != 0 || every <= 1 ? 1 : (uint64_t)every;
}

static void count_times(compare_times *t) {
    t->key_times = t->request.rate.den != 0 ? count_grid(t) : count_keys(t);
    t->every = find_every(t);
    t->count = t->key_times;
    if (t->every > 1)
        t->count = (t->key_times - 1) / t->every + 1 + ((t->key_times - 1) % t->every != 0);
}

bool times_begin(compare_times *t, const subject *a, const subject *b,
                 const times_request *request) {
    const double end = fmin(a->seconds, b->seconds);
    *t = (compare_times){.subjects = {a, b},
                         .request = *request,
                         .sides = request->rule == TIMES_OF_A || a == b ? 1 : 2,
                         .start = request->from,
                         .end = request->to > 0 ? fmin(request->to, end) : end};
    t->heap = calloc(a->clip->timeline_count + b->clip->timeline_count + 1, sizeof *t->heap);
    if (t->heap) {
        fill_heap(t);
        count_times(t);
        fill_heap(t);
    }
    return t->heap != NULL;
}

void times_release(compare_times *t) {
    free(t->heap);
}
