/* SPDX-License-Identifier: MIT
 *
 * Walks along the key times of both channels: between two of them both curves are single segments.
 */
#include "motion/reduce/certify.h"

#include <math.h>

#include "motion/model/evaluate.h"
#include "motion/reduce/lines.h"
#include "motion/reduce/written.h"

enum { NUMBERS_MAX = 16 }; /* components at a time */

/* ---- walking ------------------------------------------------------------------------------- */

/* A place on a timeline: before key `next`. */
typedef struct cursor {
    const pm_timeline *timeline;
    size_t next;
} cursor;

static double next_time(const cursor *c) {
    return c->next < c->timeline->key_count ? evaluate_key_time(c->timeline, c->next)
                                            : (double)INFINITY;
}

/* The interval of a walk, and the cursors at its end. */
typedef struct walk {
    cursor a, b;
    double begin, end;
} walk;

static double step(walk *w) {
    const double a = next_time(&w->a), b = next_time(&w->b), time = fmin(a, b);
    w->a.next += a == time;
    w->b.next += b == time;
    return time;
}

static walk walk_begin(const pm_timeline *a, const pm_timeline *b) {
    walk w = {.a = {a, 0}, .b = {b, 0}};
    w.end = step(&w);
    return w;
}

/* False: the walk is over. */
static bool walk_on(walk *w, walk *segment) {
    if (w->a.next >= w->a.timeline->key_count && w->b.next >= w->b.timeline->key_count)
        return false;
    *segment = *w;
    segment->begin = w->end;
    segment->end = step(w);
    w->begin = segment->begin;
    w->end = segment->end;
    return true;
}

/* ---- rotations ----------------------------------------------------------------------------- */

arc certified_arc(certified c, size_t next) {
    const size_t last = c.timeline->key_count - 1;
    double from[4], to[4];
    if (next == 0 || next > last) {
        unit_rotation(c.channel, next == 0 ? 0 : last, from);
        return arc_between(from, from, 0, 0);
    }
    unit_rotation(c.channel, next - 1, from);
    if (c.channel->interpolation == PM_MOTION_STEP)
        return arc_between(from, from, 0, 0);
    const double begin = evaluate_key_time(c.timeline, next - 1);
    unit_rotation(c.channel, next, to);
    return arc_between(from, to, begin, evaluate_key_time(c.timeline, next) - begin);
}

static arc_extent in_radians(arc_extent e) {
    return (arc_extent){arc_radians(e.found), arc_radians(e.bound) * (1 + 1e-15), e.time, 0};
}

cubic certified_cubic(certified c, size_t next) {
    const size_t last = c.timeline->key_count - 1;
    double key[4][4] = {{0}}; /* value, tangent, tangent, value */
    const size_t from = next == 0 ? 0 : next > last ? last : next - 1;
    const bool is_inside = next > 0 && next <= last;
    for (uint32_t i = 0; i < 4; i++) {
        key[0][i] = key[3][i] = evaluate_number(&c.channel->keys, 4, from, i);
        if (!is_inside)
            continue;
        key[1][i] = evaluate_number(&c.channel->out, 4, from, i);
        key[2][i] = evaluate_number(&c.channel->in, 4, next, i);
        key[3][i] = evaluate_number(&c.channel->keys, 4, next, i);
    }
    const double begin = evaluate_key_time(c.timeline, from);
    return cubic_between(key[0], key[1], key[2], key[3], begin,
                         is_inside ? evaluate_key_time(c.timeline, next) - begin : 0);
}

static void extend(arc_extent *extent, certified a, certified b, const walk *segment) {
    const arc first = certified_arc(a, segment->a.next);
    if (b.channel->interpolation == PM_MOTION_CUBICSPLINE) {
        const cubic second = certified_cubic(b, segment->b.next);
        cubic_extend(extent, &first, &second, segment->begin, segment->end);
    } else {
        const arc second = certified_arc(b, segment->b.next);
        arc_extend(extent, &first, &second, segment->begin, segment->end);
    }
}

arc_extent certify_rotation(certified a, certified b, double limit) {
    walk w = walk_begin(a.timeline, b.timeline), segment;
    arc_extent extent = {.limit = limit > 0 ? arc_apart_of(limit) : 0, .time = w.end};
    const walk start = {.a = {a.timeline, 0}, .b = {b.timeline, 0}, .begin = w.end, .end = w.end};
    extend(&extent, a, b, &start);
    while (walk_on(&w, &segment))
        extend(&extent, a, b, &segment);
    return in_radians(extent);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static double apart_at(certified a, certified b, double time, bool is_ratio) {
    double sum = 0, largest = 0;
    for (uint32_t first = 0; first < a.channel->components; first += NUMBERS_MAX) {
        const uint32_t left = a.channel->components - first;
        const uint32_t count = left < NUMBERS_MAX ? left : NUMBERS_MAX;
        double of_a[NUMBERS_MAX], of_b[NUMBERS_MAX];
        for (uint32_t i = 0; i < count; i++) {
            of_a[i] = evaluate_linear(a.channel, a.timeline, time, first + i);
            of_b[i] = evaluate_linear(b.channel, b.timeline, time, first + i);
        }
        const double apart = lines_apart(of_a, of_b, count, is_ratio);
        sum += apart * apart;
        largest = fmax(largest, apart);
    }
    return is_ratio ? largest : sqrt(sum);
}

/* The difference is linear between the times. */
arc_extent certify_numbers(certified a, certified b, bool is_ratio) {
    walk w = walk_begin(a.timeline, b.timeline), segment;
    arc_extent extent = {.found = apart_at(a, b, w.end, is_ratio), .time = w.end};
    while (walk_on(&w, &segment)) {
        const double apart = apart_at(a, b, segment.end, is_ratio);
        extent.time = apart > extent.found ? segment.end : extent.time;
        extent.found = fmax(extent.found, apart);
    }
    extent.bound = extent.found;
    return extent;
}
