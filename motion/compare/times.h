/* SPDX-License-Identifier: MIT
 *
 * The times at which two clips are compared, in seconds after the first key of each: the key times of
 * both within a part of the shorter duration, those of A alone, or a grid. They are given in blocks, so
 * that a long clip needs no memory for them. Where files have many more key times than keys, such as
 * thousands of joints that share theirs or have each their own, every n-th is taken.
 */
#ifndef POSEMILL_MOTION_TIMES_H
#define POSEMILL_MOTION_TIMES_H

#include "motion/compare/subject.h"

typedef enum times_rule { TIMES_OF_BOTH, TIMES_OF_A } times_rule;

/* Which times. All zero: the key times of both, from the first to the last. */
typedef struct times_request {
    times_rule rule;  /* of key times */
    pm_rational rate; /* of a grid; 0/0: key times */
    double from, to;  /* the part, in seconds; to 0: the end */
} times_request;

/* A timeline, and the key of it that comes next. */
typedef struct times_cursor {
    const pm_timeline *keys;
    double begin; /* of its subject */
    size_t key;
    double time; /* of the key */
} times_cursor;

typedef struct compare_times {
    const subject *subjects[2];
    times_request request;
    size_t sides;       /* whose key times count: 1, A alone, or 2 */
    times_cursor *heap; /* timelines with keys left, the earliest key first */
    size_t heap_count;  /* of them */
    double start, end;  /* of the part */
    uint64_t key_times; /* in the part, or times of the grid */
    uint64_t every;     /* of the key times, one is taken */
    uint64_t count;     /* of times that are taken */
    uint64_t done;      /* of key_times */
} compare_times;

/* Counts the times too. False: memory is exhausted. Release the times also on failure. */
bool times_begin(compare_times *t, const subject *a, const subject *b,
                 const times_request *request);
void times_release(compare_times *t);

/* How many times fit a block whose poses of so many joints stay in the cache; at least 1. */
size_t times_room(size_t joints);

/* Writes up to `room` further times, ascending, and returns how many; 0 at the end. Key times closer
 * than SUBJECT_SAME_TIME to the first of them are one time, the last of them. */
size_t times_next(compare_times *t, double *times, size_t room);

#endif
