/* SPDX-License-Identifier: MIT
 *
 * The makers of random tracks, each kind from the plainer one before it.
 */
#include "courses.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

void course_uniform(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, COURSE_KEYS, 0.1, 2.5, false, t);
}

void course_uneven(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, COURSE_KEYS, 0.1, 2.5, true, t);
}

void course_gentle(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, COURSE_KEYS, 0.1, 0.5 * PI, false, t);
    for (size_t i = 1; i < COURSE_KEYS; i++) {
        t->times[i] = t->times[i - 1] + random_between(source, 0.4, 1.6);
    }
}

void course_extreme(random_source *source, size_t n, test_track *t) {
    random_track(source, COURSE_KEYS, 0.1, 2.5, false, t);
    for (size_t i = 1; i < COURSE_KEYS; i++) {
        t->times[i] = t->times[i - 1] + ((i + n) % 2 ? 1.0 : 0.001);
    }
}

static void copy_key(test_track *t, size_t from, size_t to) {
    memcpy(t->keys[to], t->keys[from], sizeof t->keys[to]);
}

void course_holds(random_source *source, size_t n, test_track *t) {
    course_uneven(source, n, t);
    copy_key(t, 1, 2);
    copy_key(t, 4, 5);
    copy_key(t, 4, 6);
    copy_key(t, 6, 8);
}

/* A key a little off another. */
static void put_beside(random_source *source, test_track *t, size_t key, size_t from, double off) {
    double norm2 = 0.0;
    for (size_t c = 0; c < 4; c++) {
        t->keys[key][c] = t->keys[from][c] + off * random_normal(source);
        norm2 += t->keys[key][c] * t->keys[key][c];
    }
    for (size_t c = 0; c < 4; c++) {
        t->keys[key][c] /= sqrt(norm2);
    }
}

void course_cusps(random_source *source, size_t n, test_track *t) {
    course_uneven(source, n, t);
    put_beside(source, t, 2, 0, 0.05);
    put_beside(source, t, 3, 1, 0.05);
    put_beside(source, t, 6, 4, 0.01);
    copy_key(t, 5, 7);
}

/* Of keys that each have the sign nearest the one before. */
static bool turns_over(const test_track *t) {
    double dot = 0.0;
    for (size_t c = 0; c < 4; c++) {
        dot += t->keys[0][c] * t->keys[COURSE_KEYS - 1][c];
    }
    return dot < 0.0;
}

void course_loops(random_source *source, size_t n, test_track *t) {
    do {
        course_uneven(source, n, t);
    } while (turns_over(t) != (n % 2 == 1));
    t->period = t->times[COURSE_KEYS - 1] + 0.8;
}

static const course courses[] = {
    {"uniform", course_uniform}, {"random", course_uneven}, {"gentle", course_gentle},
    {"1:1000", course_extreme},  {"holds", course_holds},   {"cusps", course_cusps},
    {"loops", course_loops},
};

size_t course_count(void) {
    return sizeof courses / sizeof *courses;
}

const course *course_at(size_t index) {
    return &courses[index];
}
