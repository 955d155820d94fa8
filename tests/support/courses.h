/* SPDX-License-Identifier: MIT
 *
 * Random tracks by the kind of their key times and turns: what continuity and derivatives
 * are tested over. Nothing here evaluates curves.
 */
#ifndef POSEMILL_TESTS_COURSES_H
#define POSEMILL_TESTS_COURSES_H

#include "oracle/random_tracks.h"

#define COURSE_KEYS 9

/* The n-th track of a course; consecutive ones differ. */
typedef void make_track(random_source *source, size_t n, test_track *t);

void course_uniform(random_source *source, size_t n, test_track *t);
void course_uneven(random_source *source, size_t n, test_track *t);

/* Turns of up to 90 degrees, at times whose ratios are up to 4: squad's inner points stay within
 * 90 degrees of their keys, even without its limiter. */
void course_gentle(random_source *source, size_t n, test_track *t);

void course_extreme(random_source *source, size_t n, test_track *t); /* time ratios 1:1000 */

/* Two equal keys, three equal ones, and equal neighbours of another. */
void course_holds(random_source *source, size_t n, test_track *t);

/* Keys that turn back: nearly to the key before the last, and on one axis to and fro. */
void course_cusps(random_source *source, size_t n, test_track *t);

/* Of either wrap in turn. */
void course_loops(random_source *source, size_t n, test_track *t);

/* All of these, by name. */
typedef struct course {
    const char *name;
    make_track *make;
} course;

size_t course_count(void);
const course *course_at(size_t index);

#endif
