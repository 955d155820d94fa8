/* SPDX-License-Identifier: MIT
 *
 * Walks along the key times of both channels: between two of them both curves are single segments.
 */
#include "motion/reduce/channel.h"

#include <math.h>
#include <stdlib.h>

#include "motion/base/fault.h"
#include "motion/model/evaluate.h"

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
static bool walk_on(walk *w, walk *part) {
    if (w->a.next >= w->a.timeline->key_count && w->b.next >= w->b.timeline->key_count)
        return false;
    *part = *w;
    part->begin = w->end;
    part->end = step(w);
    w->begin = part->begin;
    w->end = part->end;
    return true;
}

/* ---- rotations ----------------------------------------------------------------------------- */

static arc arc_of(certified c, size_t next) {
    const size_t last = c.timeline->key_count - 1;
    double from[4], to[4];
    if (c.known && next > 0 && next <= last)
        return turns_arc(c.known, next - 1);
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

static cubic cubic_of(certified c, size_t next) {
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

segment certified_segment(certified c, size_t next) {
    if (c.channel->interpolation == PM_MOTION_CUBICSPLINE)
        return (segment){SEGMENT_CUBIC, .cubic = cubic_of(c, next)};
    if (c.curve && next > 0 && next < c.timeline->key_count)
        return (segment){SEGMENT_CURVE, .curve = {c.curve, next - 1}};
    return (segment){SEGMENT_ARC, .arc = arc_of(c, next)};
}

double length_slack(double off, double vector) {
    return off * fmax(2, 4 * vector);
}

/* Along an arc whose ends have one sign of w, the vector is not longer than at its ends. */
double certified_slack(certified c, size_t next) {
    const size_t last = c.timeline->key_count - 1;
    const size_t ends[2] = {next == 0 ? 0 : next - 1, next > last ? last : next};
    double q[2][4], off = 0, vector = 0, dot = 0;
    if (c.slack == 0)
        return 0;
    for (int e = 0; e < 2; e++) {
        evaluate_key(c.channel, ends[e], q[e]);
        const double v = sqrt(q[e][0] * q[e][0] + q[e][1] * q[e][1] + q[e][2] * q[e][2]);
        off = fmax(off, fabs(sqrt(v * v + q[e][3] * q[e][3]) - 1));
        vector = fmax(vector, v);
    }
    for (int i = 0; i < 4; i++)
        dot += q[0][i] * q[1][i];
    return fmin(c.slack, length_slack(off, q[0][3] * q[1][3] * dot > 0 ? vector : 1));
}

pm_status certified_make_curve(certified *c, pm_method method, pm_error *error) {
    const size_t count = c->timeline->key_count;
    FREED double(*keys)[4] = calloc(count, sizeof *keys), *times = calloc(count, sizeof *times);
    method_curve *curve = calloc(1, sizeof *curve);
    pm_status status = keys && times && curve ? PM_OK : motion_refuse_memory(error);
    for (size_t k = 0; status == PM_OK && k < count; k++) {
        unit_rotation(c->channel, k, keys[k]);
        times[k] = evaluate_key_time(c->timeline, k);
    }
    if (status == PM_OK)
        status = method_curve_make(curve, method, times, (const double(*)[4])keys, count, error);
    c->curve = status == PM_OK ? curve : NULL;
    if (status != PM_OK)
        free(curve);
    return status;
}

bool certified_free_curve(method_curve *curve) {
    const bool good = !curve || !curve->lacks_memory;
    if (curve)
        method_curve_release(curve);
    free(curve);
    return good;
}

static void extend(arc_extent *extent, certified a, certified b, const walk *w) {
    const segment of_a = certified_segment(a, w->a.next), of_b = certified_segment(b, w->b.next);
    segments_extend(extent, &of_a, &of_b, w->begin, w->end);
}

arc_extent certify_rotation(certified a, certified b, double limit) {
    walk w = walk_begin(a.timeline, b.timeline), part;
    arc_extent extent = {.limit = limit > 0 ? arc_apart_of(limit) : 0, .time = w.end};
    const walk start = {.a = {a.timeline, 0}, .b = {b.timeline, 0}, .begin = w.end, .end = w.end};
    extend(&extent, a, b, &start);
    while (walk_on(&w, &part))
        extend(&extent, a, b, &part);
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
    walk w = walk_begin(a.timeline, b.timeline), part;
    arc_extent extent = {.found = apart_at(a, b, w.end, is_ratio), .time = w.end};
    while (walk_on(&w, &part)) {
        const double apart = apart_at(a, b, part.end, is_ratio);
        extent.time = apart > extent.found ? part.end : extent.time;
        extent.found = fmax(extent.found, apart);
    }
    extent.bound = extent.found;
    return extent;
}
