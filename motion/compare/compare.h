/* SPDX-License-Identifier: MIT
 *
 * Compares two clips joint by joint along their times. Memory does not grow with the number of times:
 * who wants the poses themselves sees them as they are computed.
 */
#ifndef POSEMILL_MOTION_COMPARE_H
#define POSEMILL_MOTION_COMPARE_H

#include "motion/compare/contacts.h"
#include "motion/compare/joints.h"
#include "motion/compare/measures.h"
#include "motion/compare/slides.h"
#include "motion/compare/spread.h"
#include "motion/compare/statistics.h"
#include "motion/compare/times.h"

/* All joints at a time. */
typedef struct compare_frame {
    uint64_t index; /* of the time */
    double time;
    const subject_pose *a, *b;        /* of all joints of A, and of B */
    const double *angles, *distances; /* of the pairs; distances NULL: not known */
} compare_frame;

/* Sees what is computed, in the order of the times. */
typedef struct compare_observer {
    void (*see_frame)(void *user, const compare_frame *frame);
    /* Speeds of the pairs at an earlier time; not all times have them. */
    void (*see_speeds)(void *user, uint64_t index, const pair_speeds *speeds);
    void *user;
} compare_observer;

typedef struct comparison {
    subject *a, *b;
    const joint_pairs *pairs;
    times_request times;
    /* Called as times are compared. NULL: not called. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;

    /* Results. */
    uint64_t time_count;
    uint64_t key_times;       /* of which `time_count` were taken */
    uint64_t every;           /* one of so many */
    double start;             /* of the part that is compared, in seconds after the first key */
    double seconds;           /* its duration */
    double step;              /* the least distance of times that speeds are computed from */
    joint_statistics *joints; /* of each pair */
    joint_statistics clip;
    scale scales[MEASURE_COUNT];
    size_t *by_worst; /* pairs, the largest angle first, then the largest distance */
    moment moments[MOMENT_COUNT];
    size_t moment_count;
    contact_set contacts; /* whose feet are given */
    motion_arena arena;
} comparison;

/* Counts the times. `a`, `b`, `pairs` and `times` are given; the rest is zero. More times than
 * `max_times` are refused. Release the comparison also on failure. */
pm_status compare_prepare(comparison *c, uint64_t max_times, pm_error *error);

/* Computes the results. `observer` may be NULL. */
pm_status compare_run(comparison *c, const compare_observer *observer, pm_error *error);

/* After the run: the pair with the largest value of a measure that is known; of equal ones the first. */
size_t compare_worst(const comparison *c, compare_measure measure);

void compare_release(comparison *c);

/* Whether places are known, and so distances. */
static inline bool compare_has_places(const comparison *c) {
    return c->a->has_places && c->b->has_places;
}

#endif
