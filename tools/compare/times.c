/* SPDX-License-Identifier: MIT
 *
 * A merge of the key times of all timelines of two clips.
 */
#include "times.h"

#include "motion/model/evaluate.h"

#include <math.h>
#include <stdlib.h>

bool times_begin(compare_times *t, const subject *a, const subject *b, times_rule rule,
                 pm_rational rate) {
    *t = (compare_times){.subjects = {a, b},
                         .sides = rule == TIMES_OF_A ? 1 : 2,
                         .end = fmin(a->seconds, b->seconds),
                         .rate = rate};
    bool done = true;
    for (size_t i = 0; i < 2; i++) {
        t->next[i] = calloc(t->subjects[i]->clip->timeline_count + 1, sizeof **t->next);
        done = done && t->next[i] != NULL;
    }
    if (done) {
        times_rewind(t);
    }
    return done;
}

void times_release(compare_times *t) {
    free(t->next[0]);
    free(t->next[1]);
}

/* The time of the next key of a timeline; infinite at its end. */
static double next_of(const compare_times *t, size_t i, size_t timeline) {
    const subject *s = t->subjects[i];
    const pm_timeline *keys = &s->clip->timelines[timeline];
    const size_t key = t->next[i][timeline];
    return key < keys->key_count ? evaluate_key_time(keys, key) - s->begin : (double)INFINITY;
}

/* Keys before the beginning of a subject do not count. */
void times_rewind(compare_times *t) {
    for (size_t i = 0; i < t->sides; i++) {
        for (size_t n = 0; n < t->subjects[i]->clip->timeline_count; n++) {
            t->next[i][n] = 0;
            while (next_of(t, i, n) < -SUBJECT_SAME_TIME) {
                t->next[i][n]++;
            }
        }
    }
    t->done = 0;
}

static double earliest(const compare_times *t) {
    double time = (double)INFINITY;
    for (size_t i = 0; i < t->sides; i++) {
        for (size_t n = 0; n < t->subjects[i]->clip->timeline_count; n++) {
            time = fmin(time, next_of(t, i, n));
        }
    }
    return time;
}

/* Passes all keys that are as good as at `first`. Returns the time of the last of them. */
static double pass_keys(compare_times *t, double first) {
    double last = first;
    for (size_t i = 0; i < t->sides; i++) {
        for (size_t n = 0; n < t->subjects[i]->clip->timeline_count; n++) {
            while (next_of(t, i, n) < first + SUBJECT_SAME_TIME) {
                last = fmax(last, next_of(t, i, n));
                t->next[i][n]++;
            }
        }
    }
    return last;
}

static bool next_time(compare_times *t, double *time) {
    if (t->rate.den != 0) {
        *time = (double)t->done * (double)t->rate.den / (double)t->rate.num;
        t->done++;
    } else {
        *time = earliest(t);
        *time = *time <= t->end + SUBJECT_SAME_TIME ? pass_keys(t, *time) : *time;
    }
    return *time <= t->end + 2 * SUBJECT_SAME_TIME;
}

size_t times_room(size_t joints) {
    enum { BLOCK_POSES = 16384, BLOCK_TIMES = 512 };
    const size_t fitting = BLOCK_POSES / joints;
    return fitting < 1 ? 1 : fitting > BLOCK_TIMES ? BLOCK_TIMES : fitting;
}

size_t times_next(compare_times *t, double *times, size_t room) {
    size_t count = 0;
    while (count < room && next_time(t, &times[count])) {
        count++;
    }
    return count;
}

uint64_t times_count(compare_times *t, uint64_t most) {
    uint64_t count = 0;
    double time;
    while (count <= most && next_time(t, &time)) {
        count++;
    }
    times_rewind(t);
    return count;
}
