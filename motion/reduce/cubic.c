/* SPDX-License-Identifier: MIT
 *
 * A slerp and a cubic between the times at which both are known.
 */
#include "motion/reduce/cubic.h"

#include <math.h>

enum { HALVINGS = 30 };

/* Rounding of what is across a quaternion. */
static const double rounding = 1e-15;

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

/* Derivative `order` at a time, per second. */
static void derive(const cubic *c, double time, int order, double out[4]) {
    const double per = c->seconds > 0 ? 1 / c->seconds : 0;
    const double s = c->seconds > 0 ? (time - c->begin) / c->seconds : 0;
    for (int i = 0; i < 4; i++) {
        const double *t[4] = {c->terms[0], c->terms[1], c->terms[2], c->terms[3]};
        const double orders[3] = {((t[3][i] * s + t[2][i]) * s + t[1][i]) * s + t[0][i],
                                  ((3 * t[3][i] * s + 2 * t[2][i]) * s + t[1][i]) * per,
                                  (6 * t[3][i] * s + 2 * t[2][i]) * per * per};
        out[i] = orders[order];
    }
}

static double length(const double a[4]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
}

void cubic_value(const cubic *c, double time, double q[4]) {
    derive(c, time, 0, q);
    const double size = length(q);
    for (int i = 0; i < 4; i++)
        q[i] = size > 0 ? q[i] / size : i == 3;
}

/* The second derivative is linear, and the others differ from those at the ends by at most what it
 * moves them. */
cubic_motion cubic_rates(const cubic *c, double begin, double end) {
    const double h = end - begin;
    double largest[3] = {0}, least = (double)INFINITY;
    for (int order = 0; order < 3; order++)
        for (int i = 0; i < 2; i++) {
            double v[4];
            derive(c, i ? end : begin, order, v);
            largest[order] = fmax(largest[order], length(v));
            least = order == 0 ? fmin(least, length(v)) : least;
        }
    const double push = largest[2], speed = largest[1] + h / 2 * push;
    const double size = least - h / 2 * speed;
    if (!(size > 0))
        return (cubic_motion){(double)INFINITY, (double)INFINITY};
    const double rate = speed / size;
    return (cubic_motion){2 * rate, 2 * (push / size + 2 * rate * rate)};
}

/* ---- both at a time ------------------------------------------------------------------------ */

static double dot(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

typedef struct place {
    double time;
    double along, across;     /* of the cubic: on the slerp's quaternion, and the rest */
    double size, speed, push; /* lengths of p, p' and p'' */
    double bend;              /* of p'' + w^2 p */
} place;

static place place_at(const arc *a, const cubic *b, double time) {
    const double w = arc_speed(a);
    double p[4], first[4], second[4], bend[4], rest[4], q[4];
    arc_value(a, time, q);
    derive(b, time, 0, p);
    derive(b, time, 1, first);
    derive(b, time, 2, second);
    for (int i = 0; i < 4; i++)
        bend[i] = second[i] + w * w * p[i];
    const double along = dot(p, q);
    for (int i = 0; i < 4; i++)
        rest[i] = p[i] - along * q[i];
    return (place){.time = time,
                   .along = along,
                   .across = length(rest) + rounding * fabs(along),
                   .size = length(p),
                   .speed = length(first),
                   .push = length(second),
                   .bend = length(bend)};
}

/* 1 - the cosine of an angle, from its tangent. */
static double apart_of(double across, double along) {
    if (!(along > 0))
        return 2;
    const double tangent = across / along, secant = sqrt(1 + tangent * tangent);
    return tangent * tangent / (secant * (1 + secant));
}

static double apart_at(const place *at, double sign) {
    return apart_of(at->across, sign * at->along);
}

/* ---- intervals ----------------------------------------------------------------------------- */

typedef struct span {
    const arc *a;
    const cubic *b;
    double sign; /* with which the quaternions are near each other */
    place from, to;
} span;

static span span_of(const arc *a, const cubic *b, double begin, double end) {
    span s = {.a = a, .b = b, .from = place_at(a, b, begin), .to = place_at(a, b, end)};
    s.sign = s.from.along < 0 ? -1 : 1;
    return s;
}

static double bound_of(const span *s) {
    const double h = s->to.time - s->from.time, w = arc_speed(s->a), part = h * h / 8;
    const double ends = fmax(s->from.across, s->to.across);
    if (!(h > 0))
        return fmax(apart_at(&s->from, s->sign), apart_at(&s->to, s->sign));
    const double push = fmax(s->from.push, s->to.push); /* p'' is linear */
    const double speed = fmax(s->from.speed, s->to.speed) + h * push;
    const double size = fmax(s->from.size, s->to.size) + h * speed;
    const double bend = fmax(s->from.bend, s->to.bend) + part * w * w * push;
    const double drift = fabs(s->to.along - s->from.along) / h;
    const double curve = part * w * w;
    if (curve >= 1)
        return (double)INFINITY;
    const double across = (ends + part * (bend + 2 * drift * w)) / (1 - curve);
    const double least = fmin(s->sign * s->from.along, s->sign * s->to.along);
    const double along = least - part * (push + 2 * speed * w + w * w * size);
    return along > 0 ? apart_of(across, along) * (1 + 1e-14) : (double)INFINITY;
}

static bool is_whole(const span *s, double middle) {
    return !(s->from.time < middle && middle < s->to.time);
}

static bool span_holds(const span *s, double limit, int halvings) {
    if (fmax(apart_at(&s->from, s->sign), apart_at(&s->to, s->sign)) > limit)
        return false;
    if (bound_of(s) <= limit)
        return true;
    const double middle = (s->from.time + s->to.time) / 2;
    if (halvings == 0 || is_whole(s, middle))
        return false;
    span first = *s, second = *s;
    first.to = second.from = place_at(s->a, s->b, middle);
    return span_holds(&first, limit, halvings - 1) && span_holds(&second, limit, halvings - 1);
}

bool cubic_holds(const arc *a, const cubic *b, double begin, double end, double limit) {
    const span s = span_of(a, b, begin, end);
    return span_holds(&s, limit, HALVINGS);
}

static void note(arc_extent *extent, const span *s, const place *at) {
    const double apart = apart_at(at, s->sign);
    if (apart <= extent->found)
        return;
    extent->found = apart;
    extent->time = at->time;
}

/* A bound is stated to one part in a thousand of the angle, or to a microradian. */
static void span_extend(arc_extent *extent, const span *s, int halvings) {
    const double bound = bound_of(s), middle = (s->from.time + s->to.time) / 2;
    const bool is_decided =
        extent->limit == 0 || bound <= extent->limit || extent->found > extent->limit;
    if (halvings == 0 || is_whole(s, middle) ||
        (is_decided && bound <= extent->found * (1 + 2e-3) + 1e-13)) {
        extent->bound = fmax(extent->bound, bound < 2 ? bound : 2);
        return;
    }
    span first = *s, second = *s;
    first.to = second.from = place_at(s->a, s->b, middle);
    note(extent, s, &first.to);
    span_extend(extent, &first, halvings - 1);
    span_extend(extent, &second, halvings - 1);
}

void cubic_extend(arc_extent *extent, const arc *a, const cubic *b, double begin, double end) {
    const span s = span_of(a, b, begin, end);
    note(extent, &s, &s.from);
    note(extent, &s, &s.to);
    span_extend(extent, &s, HALVINGS);
}
