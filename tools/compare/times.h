/* SPDX-License-Identifier: MIT
 *
 * The times at which two clips are compared, in seconds after the first key of each: the key times of
 * both within the shorter duration, those of A alone, or a grid. They are given in blocks, so that a long clip needs no
 * memory for them.
 */
#ifndef POSEMILL_TOOLS_COMPARE_TIMES_H
#define POSEMILL_TOOLS_COMPARE_TIMES_H

#include "subject.h"

typedef enum times_rule { TIMES_OF_BOTH, TIMES_OF_A } times_rule;

typedef struct compare_times {
    const subject *subjects[2];
    size_t sides;     /* whose key times count: 1, A alone, or 2 */
    size_t *next[2];  /* the key of each timeline that comes next */
    double end;       /* the shorter duration */
    pm_rational rate; /* of the grid; 0/0: key times */
    uint64_t done;    /* times of the grid */
} compare_times;

/* `rule` is of key times. False: memory is exhausted. Release the times also on failure. */
bool times_begin(compare_times *t, const subject *a, const subject *b, times_rule rule,
                 pm_rational rate);
void times_release(compare_times *t);

/* How many times fit a block whose poses of so many joints stay in the cache; at least 1. */
size_t times_room(size_t joints);

/* Writes up to `room` further times, ascending, and returns how many; 0 at the end. Key times closer
 * than SUBJECT_SAME_TIME to the first of them are one time, the last of them. */
size_t times_next(compare_times *t, double *times, size_t room);

/* Begins again at the first time. */
void times_rewind(compare_times *t);

/* The number of times, and their beginning again. Stops counting above `most`. */
uint64_t times_count(compare_times *t, uint64_t most);

#endif
