/* SPDX-License-Identifier: MIT
 *
 * Arcs of constant speed on the sphere of unit quaternions, cubics with bounds of their derivatives, and two
 * segments between the times at which both are known.
 */
#include "motion/reduce/segment.h"

#include "host/base/elementary.h"

#include <math.h>
#include <string.h>

/* ---- arcs -------------------------------------------------------------------------------------- */

/* Rounding of a chord: two quaternions of three roundings each, in four components. */
static const double chord_rounding = 4e-15;

/* A half of a longer arc has the sine x / sqrt(2 + 2 cos). */
double arcsine(double x) {
    double times = 1;
    for (x = x < 1 ? x : 1; x > 0.1; times *= 2)
        x /= sqrt(2 + 2 * sqrt((1 - x) * (1 + x)));
    const double y = x * x;
    double sum = 10395.0 / 599040;
    sum = sum * y + 945.0 / 42240;
    sum = sum * y + 105.0 / 3456;
    sum = sum * y + 15.0 / 336;
    sum = sum * y + 3.0 / 40;
    sum = sum * y + 1.0 / 6;
    return times * (x + x * y * sum);
}

/* sin(x) from 0 on; of short arcs within 1e-16. */
static double sine(double x) {
    return x > 0.5 ? pm_same_sin(x) : short_sine(x);
}

/* Below this angle the weights of slerp are those of a straight line in double. */
static const double straight = 1e-8;

double arc_sign(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
}

static double chord(const double a[4], const double b[4], double sign) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    return sqrt(sum);
}

double arc_apart(const double a[4], const double b[4], double sign) {
    const double length = chord(a, b, sign);
    return length * length / 2;
}

double arc_chord_at_most(const double a[4], const double b[4], double sign) {
    return chord(a, b, sign) + chord_rounding;
}

arc arc_between(const double from[4], const double to[4], double begin, double seconds) {
    const double sign = arc_sign(from, to);
    arc a = {.begin = begin, .seconds = seconds};
    memcpy(a.from, from, sizeof a.from);
    for (int i = 0; i < 4; i++)
        a.to[i] = sign * to[i];
    a.angle = 2 * arcsine(chord(from, a.to, 1) / 2);
    return a;
}

void arc_value(const arc *a, double time, double q[4]) {
    const double u = a->seconds > 0 ? (time - a->begin) / a->seconds : 0;
    if (u == 0 || u == 1) {
        memcpy(q, u == 0 ? a->from : a->to, sizeof a->from);
        return;
    }
    const double whole = sine(a->angle);
    const double from = a->angle > straight ? sine((1 - u) * a->angle) / whole : 1 - u;
    const double to = a->angle > straight ? sine(u * a->angle) / whole : u;
    double length2 = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = from * a->from[i] + to * a->to[i];
        length2 += q[i] * q[i];
    }
    const double per_length = 1 / sqrt(length2);
    for (int i = 0; i < 4; i++)
        q[i] *= per_length;
}

/* The largest `apart` between two arcs within an interval of `a` and `b` radians, whose ends have at
 * most `apart`. */
static double arc_bound(double apart, double a, double b) {
    const double curve = (a * a + b * b) / 8, drift = (a - b) * (a - b) / 8;
    return curve < 1 ? fmax(apart, (apart - drift) / (1 - curve)) * (1 + 1e-14) : (double)INFINITY;
}

/* Radians of the quaternion per second. */
static double arc_speed(const arc *a) {
    return a->seconds > 0 ? a->angle / a->seconds : 0;
}

double arc_radians(double apart) {
    return 4 * pm_same_asin(fmin(sqrt(apart / 2), 1));
}

double arc_apart_of(double radians) {
    const double sine = pm_same_sin(radians / 4);
    return 2 * sine * sine;
}

/* ---- cubics ------------------------------------------------------------------------------------ */

cubic cubic_between(const double from[4], const double out[4], const double in[4],
                    const double to[4], double begin, double seconds) {
    cubic c = {.begin = begin, .seconds = seconds};
    for (int i = 0; i < 4; i++) {
        const double step = to[i] - from[i], leaves = seconds * out[i], arrives = seconds * in[i];
        c.terms[0][i] = from[i];
        c.terms[1][i] = leaves;
        c.terms[2][i] = 3 * step - 2 * leaves - arrives;
        c.terms[3][i] = leaves + arrives - 2 * step;
    }
    return c;
}

/* The value and two derivatives at a time, per second. */
typedef struct cubic_at {
    double value[4], first[4], second[4];
} cubic_at;

static cubic_at derive(const cubic *c, double time) {
    const double per = c->seconds > 0 ? 1 / c->seconds : 0;
    const double s = c->seconds > 0 ? (time - c->begin) / c->seconds : 0;
    cubic_at at;
    for (int i = 0; i < 4; i++) {
        const double t[4] = {c->terms[0][i], c->terms[1][i], c->terms[2][i], c->terms[3][i]};
        at.value[i] = ((t[3] * s + t[2]) * s + t[1]) * s + t[0];
        at.first[i] = ((3 * t[3] * s + 2 * t[2]) * s + t[1]) * per;
        at.second[i] = (6 * t[3] * s + 2 * t[2]) * per * per;
    }
    return at;
}

static double length(const double a[4]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
}

/* The unit quaternion at a time, which lies in the cubic. */
static void cubic_value(const cubic *c, double time, double q[4]) {
    const cubic_at at = derive(c, time);
    const double size = length(at.value);
    for (int i = 0; i < 4; i++)
        q[i] = size > 0 ? at.value[i] / size : i == 3;
}

/* 2 p' conj(p) / |p|^2, without the part that changes the length. */
void cubic_spin(const cubic *c, double time, double spin[3]) {
    const cubic_at at = derive(c, time);
    const double *p = at.value, *v = at.first, size = length(p), scale = 2 / (size * size);
    spin[0] = scale * (v[0] * p[3] - v[3] * p[0] - v[1] * p[2] + v[2] * p[1]);
    spin[1] = scale * (v[1] * p[3] - v[3] * p[1] - v[2] * p[0] + v[0] * p[2]);
    spin[2] = scale * (v[2] * p[3] - v[3] * p[2] - v[0] * p[1] + v[1] * p[0]);
}

static double dot(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The length of the part of `v` that is across p. */
static double across(const double v[4], const double p[4]) {
    const double along = dot(v, p) / dot(p, p);
    const double rest[4] = {v[0] - along * p[0], v[1] - along * p[1], v[2] - along * p[2],
                            v[3] - along * p[3]};
    return length(rest);
}

/* In an interval of h seconds. With p the cubic, n its length and q = p / n, q moves by at most |p'| / n, and its second
 * derivative across it is that of p across q / n, less 2 n' q' / n. Infinite where n may be 0. p'' is linear. What else
 * is known at both ends moves from there for at most h / 2: p' by |p''|, n by |p'|, n' = p' q by |p''| + |p'| |q'|, and
 * p'' across q by |p'''| + 2 |p''| |q'|. */
static turning cubic_turning(const cubic *c, double begin, double end) {
    const double half = (end - begin) / 2, per = c->seconds > 0 ? 1 / c->seconds : 0;
    const cubic_at at[2] = {derive(c, begin), derive(c, end)};
    double speed = 0, push = 0, aside = 0, growth = 0, size = (double)INFINITY;
    for (int i = 0; i < 2; i++) {
        const double n = length(at[i].value);
        size = n < size ? n : size;
        speed = larger(speed, length(at[i].first));
        push = larger(push, length(at[i].second));
        aside = larger(aside, across(at[i].second, at[i].value));
        growth = larger(growth, fabs(dot(at[i].first, at[i].value)) / n);
    }
    speed += half * push;
    size -= half * speed;
    if (!(size > 0))
        return (turning){(double)INFINITY, (double)INFINITY};
    const double rate = speed / size, jerk = 6 * length(c->terms[3]) * per * per * per;
    aside += half * (jerk + 2 * push * rate) + 1e-15 * push;
    growth += half * (push + speed * rate);
    return (turning){rate, (aside + 2 * growth * rate) / size};
}

/* Of an interval. The excess of the bound of arcs is below 4^-24 of its value then. */
enum { HALVINGS = 30, ARC_HALVINGS = 24 };

void segment_value(const segment *s, double time, double q[4]) {
    float value[1][4];
    if (s->kind == SEGMENT_ARC) {
        arc_value(&s->arc, time, q);
    } else if (s->kind == SEGMENT_CUBIC) {
        cubic_value(&s->cubic, time, q);
    } else if (method_curve_sample(s->curve.of, &time, 1, value, NULL) == PM_OK) {
        method_curve_unit(value[0], q);
    } else {
        s->curve.of->lacks_memory = true;
        memset(q, 0, 4 * sizeof *q);
    }
}

turning segment_turning(const segment *s, double begin, double end) {
    if (s->kind == SEGMENT_CUBIC)
        return cubic_turning(&s->cubic, begin, end);
    return s->kind == SEGMENT_ARC ? (turning){arc_speed(&s->arc), 0}
                                  : s->curve.of->parts[s->curve.index].most;
}

double segment_rounding(const segment *s) {
    return s->kind == SEGMENT_CURVE ? s->curve.of->parts[s->curve.index].rounding : 0;
}

/* What is computed, from a chord: the exact curve is farther by the rounding, and its bound is that of
 * what is computed with the rounding again. */
double segments_bound(double chord, double seconds, turning a, turning b, double rounding) {
    const double part = seconds * seconds / 8, ends = chord + rounding;
    const double push = part > 0 ? part * (a.change + b.change) : 0;
    const double rest = part > 0 ? 1 - part * (a.rate * a.rate + b.rate * b.rate) : 1;
    if (!(rest > 0))
        return (double)INFINITY;
    const double most = (push + sqrt(push * push + rest * ends * ends)) / rest + rounding;
    return most * most / 2 * (1 + 1e-14);
}

/* An interval whose ends are known. */
typedef struct span {
    const segment *a, *b;
    bool are_arcs;
    double sign, begin, end, rounding;
    double from, to; /* chords at its ends, from above */
} span;

static double chord_at(const span *s, double time) {
    double p[4], q[4];
    segment_value(s->a, time, p);
    segment_value(s->b, time, q);
    return arc_chord_at_most(p, q, s->sign);
}

static span span_of(const segment *a, const segment *b, double begin, double end) {
    span s = {.a = a,
              .b = b,
              .are_arcs = a->kind == SEGMENT_ARC && b->kind == SEGMENT_ARC,
              .begin = begin,
              .end = end,
              .rounding = segment_rounding(a) + segment_rounding(b)};
    double p[4], q[4];
    segment_value(a, begin, p);
    segment_value(b, begin, q);
    s.sign = arc_sign(p, q);
    s.from = arc_chord_at_most(p, q, s.sign);
    s.to = chord_at(&s, end);
    return s;
}

static double apart_of(double chord) {
    return chord * chord / 2;
}

/* The least bound of what reaches a chord. */
static double least_of(const span *s, double chord) {
    return s->are_arcs ? apart_of(chord) : apart_of(chord + 2 * s->rounding) * (1 + 1e-14);
}

static double bound_of(const span *s) {
    const double chord = fmax(s->from, s->to), seconds = s->end - s->begin;
    if (s->are_arcs)
        return arc_bound(apart_of(chord), arc_speed(&s->a->arc) * seconds,
                         arc_speed(&s->b->arc) * seconds);
    return segments_bound(chord, seconds, segment_turning(s->a, s->begin, s->end),
                          segment_turning(s->b, s->begin, s->end), s->rounding);
}

static bool halve(const span *s, span halves[2]) {
    const double middle = (s->begin + s->end) / 2;
    if (!(s->begin < middle && middle < s->end))
        return false;
    halves[0] = halves[1] = *s;
    halves[0].end = halves[1].begin = middle;
    halves[0].to = halves[1].from = chord_at(s, middle);
    return true;
}

static bool span_holds(const span *s, double limit, int halvings) {
    span halves[2];
    if (!(least_of(s, fmax(s->from, s->to)) <= limit))
        return false;
    if (bound_of(s) <= limit)
        return true;
    return halvings > 0 && halve(s, halves) && span_holds(&halves[0], limit, halvings - 1) &&
           span_holds(&halves[1], limit, halvings - 1);
}

bool segments_hold(const segment *a, const segment *b, double begin, double end, double limit) {
    const span s = span_of(a, b, begin, end);
    return span_holds(&s, limit, s.are_arcs ? ARC_HALVINGS : HALVINGS);
}

static void note(arc_extent *extent, double chord, double time) {
    const double apart = apart_of(chord);
    if (apart <= extent->found)
        return;
    extent->found = apart;
    extent->time = time;
}

/* A bound of arcs is stated to one part in ten thousand of the angle; another one to one part in a thousand,
 * or to a microradian. */
static bool is_precise(const arc_extent *extent, const span *s, double bound) {
    return s->are_arcs ? bound <= extent->found * (1 + 2e-4)
                       : bound <= least_of(s, sqrt(2 * extent->found)) * (1 + 2e-3) + 1e-13;
}

static void span_extend(arc_extent *extent, const span *s, int halvings) {
    const double bound = bound_of(s);
    /* But for arcs, what was found elsewhere may have another rounding, and decides nothing here. */
    const double least = s->are_arcs ? extent->found : least_of(s, fmax(s->from, s->to));
    const bool is_decided = extent->limit == 0 || bound <= extent->limit || least > extent->limit;
    span halves[2];
    if (halvings == 0 || (is_decided && is_precise(extent, s, bound)) || !halve(s, halves)) {
        extent->bound = fmax(extent->bound, bound < 2 ? bound : 2);
        return;
    }
    note(extent, halves[0].to, halves[0].end);
    span_extend(extent, &halves[0], halvings - 1);
    span_extend(extent, &halves[1], halvings - 1);
}

void segments_extend(arc_extent *extent, const segment *a, const segment *b, double begin,
                     double end) {
    const span s = span_of(a, b, begin, end);
    note(extent, s.from, begin);
    note(extent, s.to, end);
    span_extend(extent, &s, s.are_arcs ? ARC_HALVINGS : HALVINGS);
}
