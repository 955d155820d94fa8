/* SPDX-License-Identifier: MIT
 *
 * The markers of a clip as a course without end: the same ticks in every round of the clip,
 * numbered through all rounds. Number 0 is the first marker of round 0, and those before it have
 * negative numbers.
 */
#ifndef PM_HOST_MARKERS_H
#define PM_HOST_MARKERS_H

#include "base/base.h"
#include "crowd.h"

typedef struct pm_course {
    const pm_crowd_marker *markers; /* (count), in ascending order of ticks from 0 to `cycle` */
    size_t count;                   /* below 2^32 */
    pm_u64 cycle;                   /* ticks of a round, at most 2^62 */
    bool is_once;                   /* only round 0 has markers */
} pm_course;

/* A marker of a course. */
typedef struct pm_course_place {
    pm_i128 round;
    size_t marker; /* below the course's count */
} pm_course_place;

/* All markers of a clip that exists. A clip that is clamped, and one without a duration, has one
 * round. */
pm_course pm_course_of(const pm_crowd_data *crowd, size_t clip, bool clamps);

/* The number of the first marker behind a time, or of the first one that is not before it. The
 * magnitude is below 2^96. */
pm_i128 pm_course_behind(const pm_course *course, int64_t time);
pm_i128 pm_course_from(const pm_course *course, int64_t time);

/* Where the marker of a number is. The course has markers. */
pm_course_place pm_course_at(const pm_course *course, pm_i128 number);

/* Its time in ticks. */
pm_i128 pm_course_time(const pm_course *course, pm_course_place place);

#endif
