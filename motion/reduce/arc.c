/* SPDX-License-Identifier: MIT
 *
 * Arcs of constant speed on the sphere of unit quaternions.
 */
#include "motion/reduce/arc.h"

#include <math.h>
#include <string.h>

enum {
    HALVINGS = 24 /* of an interval. The bound's excess is below 4^-24 of its value then */
};

/* Rounding of a chord: two quaternions of three roundings each, in four components. */
static const double chord_rounding = 4e-15;

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

/* `apart`, from above. */
static double apart_at_most(const double a[4], const double b[4], double sign) {
    const double length = arc_chord_at_most(a, b, sign);
    return length * length / 2;
}

arc arc_between(const double from[4], const double to[4], double begin, double seconds) {
    const double sign = arc_sign(from, to);
    arc a = {.begin = begin, .seconds = seconds};
    memcpy(a.from, from, sizeof a.from);
    for (int i = 0; i < 4; i++)
        a.to[i] = sign * to[i];
    a.angle = 2 * asin(fmin(chord(from, a.to, 1) / 2, 1));
    return a;
}

void arc_value(const arc *a, double time, double q[4]) {
    const double u = a->seconds > 0 ? (time - a->begin) / a->seconds : 0;
    const double sine = sin(a->angle);
    const double from = a->angle > straight ? sin((1 - u) * a->angle) / sine : 1 - u;
    const double to = a->angle > straight ? sin(u * a->angle) / sine : u;
    double length2 = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = from * a->from[i] + to * a->to[i];
        length2 += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length2);
}

double arc_bound(double apart, double a, double b) {
    const double curve = (a * a + b * b) / 8, drift = (a - b) * (a - b) / 8;
    return curve < 1 ? fmax(apart, (apart - drift) / (1 - curve)) * (1 + 1e-14) : (double)INFINITY;
}

double arc_speed(const arc *a) {
    return a->seconds > 0 ? a->angle / a->seconds : 0;
}

/* An interval whose ends are known. */
typedef struct span {
    const arc *a, *b;
    double sign, begin, end;
    double from, to; /* apart at its ends, from above */
} span;

static double apart_of(const span *s, double time) {
    double p[4], q[4];
    arc_value(s->a, time, p);
    arc_value(s->b, time, q);
    return apart_at_most(p, q, s->sign);
}

static span span_of(const arc *a, const arc *b, double begin, double end) {
    span s = {.a = a, .b = b, .begin = begin, .end = end};
    double p[4], q[4];
    arc_value(a, begin, p);
    arc_value(b, begin, q);
    s.sign = arc_sign(p, q);
    s.from = apart_at_most(p, q, s.sign);
    s.to = apart_of(&s, end);
    return s;
}

static double bound_of(const span *s) {
    const double seconds = s->end - s->begin;
    return arc_bound(fmax(s->from, s->to), arc_speed(s->a) * seconds, arc_speed(s->b) * seconds);
}

static span half_of(const span *s, double middle, double apart, bool is_second) {
    span half = *s;
    if (is_second) {
        half.begin = middle;
        half.from = apart;
    } else {
        half.end = middle;
        half.to = apart;
    }
    return half;
}

static bool span_holds(const span *s, double limit, int halvings) {
    if (fmax(s->from, s->to) > limit)
        return false;
    if (bound_of(s) <= limit)
        return true;
    const double middle = (s->begin + s->end) / 2;
    if (halvings == 0 || !(s->begin < middle && middle < s->end))
        return false;
    const double apart = apart_of(s, middle);
    const span first = half_of(s, middle, apart, false), second = half_of(s, middle, apart, true);
    return span_holds(&first, limit, halvings - 1) && span_holds(&second, limit, halvings - 1);
}

bool arc_holds(const arc *a, const arc *b, double begin, double end, double limit) {
    const span s = span_of(a, b, begin, end);
    return span_holds(&s, limit, HALVINGS);
}

static void note(arc_extent *extent, double apart, double time) {
    if (apart <= extent->found)
        return;
    extent->found = apart;
    extent->time = time;
}

/* A bound is stated to one part in ten thousand of the angle. */
static void span_extend(arc_extent *extent, const span *s, int halvings) {
    const double bound = bound_of(s), middle = (s->begin + s->end) / 2;
    const bool is_last = halvings == 0 || !(s->begin < middle && middle < s->end);
    const bool is_decided =
        extent->limit == 0 || bound <= extent->limit || extent->found > extent->limit;
    if (is_last || (is_decided && bound <= extent->found * (1 + 2e-4))) {
        extent->bound = fmax(extent->bound, bound);
        return;
    }
    const double apart = apart_of(s, middle);
    const span first = half_of(s, middle, apart, false), second = half_of(s, middle, apart, true);
    note(extent, apart, middle);
    span_extend(extent, &first, halvings - 1);
    span_extend(extent, &second, halvings - 1);
}

void arc_extend(arc_extent *extent, const arc *a, const arc *b, double begin, double end) {
    const span s = span_of(a, b, begin, end);
    note(extent, s.from, begin);
    note(extent, s.to, end);
    span_extend(extent, &s, HALVINGS);
}

double arc_radians(double apart) {
    return 4 * asin(fmin(sqrt(apart / 2), 1));
}

double arc_apart_of(double radians) {
    const double sine = sin(radians / 4);
    return 2 * sine * sine;
}
