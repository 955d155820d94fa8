/* SPDX-License-Identifier: MIT
 *
 * Random tracks of each kind; most kinds are derived from a simpler one.
 */
#include "track_kinds.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

void track_kind_uniform(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, TRACK_KIND_KEYS, 0.1, 2.5, false, t);
}

void track_kind_uneven(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, TRACK_KIND_KEYS, 0.1, 2.5, true, t);
}

void track_kind_gentle(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, TRACK_KIND_KEYS, 0.1, 0.5 * PI, false, t);
    for (size_t i = 1; i < TRACK_KIND_KEYS; i++)
        t->times[i] = t->times[i - 1] + random_between(source, 0.4, 1.6);
}

void track_kind_extreme(random_source *source, size_t n, test_track *t) {
    random_track(source, TRACK_KIND_KEYS, 0.1, 2.5, false, t);
    for (size_t i = 1; i < TRACK_KIND_KEYS; i++)
        t->times[i] = t->times[i - 1] + ((i + n) % 2 ? 1.0 : 0.001);
}

static void copy_key(test_track *t, size_t from, size_t to) {
    memcpy(t->keys[to], t->keys[from], sizeof t->keys[to]);
}

void track_kind_holds(random_source *source, size_t n, test_track *t) {
    track_kind_uneven(source, n, t);
    copy_key(t, 1, 2);
    copy_key(t, 4, 5);
    copy_key(t, 4, 6);
    copy_key(t, 6, 8);
}

/* Sets a key to a rotation near another key. */
static void put_beside(random_source *source, test_track *t, size_t key, size_t from, double off) {
    double norm2 = 0.0;
    for (size_t c = 0; c < 4; c++) {
        t->keys[key][c] = t->keys[from][c] + off * random_normal(source);
        norm2 += t->keys[key][c] * t->keys[key][c];
    }
    for (size_t c = 0; c < 4; c++)
        t->keys[key][c] /= sqrt(norm2);
}

void track_kind_cusps(random_source *source, size_t n, test_track *t) {
    track_kind_uneven(source, n, t);
    put_beside(source, t, 2, 0, 0.05);
    put_beside(source, t, 3, 1, 0.05);
    put_beside(source, t, 6, 4, 0.01);
    copy_key(t, 5, 7);
}

/* Whether the loop wraps with the sign -1. Each key has the sign nearest the previous one. */
static bool has_negative_wrap(const test_track *t) {
    double dot = 0.0;
    for (size_t c = 0; c < 4; c++)
        dot += t->keys[0][c] * t->keys[TRACK_KIND_KEYS - 1][c];
    return dot < 0.0;
}

void track_kind_loops(random_source *source, size_t n, test_track *t) {
    do {
        track_kind_uneven(source, n, t);
    } while (has_negative_wrap(t) != (n % 2 == 1));
    t->period = t->times[TRACK_KIND_KEYS - 1] + 0.8;
}

static const track_kind track_kinds[] = {
    {"uniform", track_kind_uniform}, {"random", track_kind_uneven}, {"gentle", track_kind_gentle},
    {"1:1000", track_kind_extreme},  {"holds", track_kind_holds},   {"cusps", track_kind_cusps},
    {"loops", track_kind_loops},
};

size_t track_kind_count(void) {
    return sizeof track_kinds / sizeof *track_kinds;
}

const track_kind *track_kind_at(size_t index) {
    return &track_kinds[index];
}
