/* SPDX-License-Identifier: MIT
 *
 * The terms of cubics, and bounds of their derivatives.
 */
#include "motion/reduce/segment.h"

#include <math.h>

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
turning cubic_turning(const cubic *c, double begin, double end) {
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
        return (turning){(double)INFINITY, (double)INFINITY};
    const double rate = speed / size;
    return (turning){rate, push / size + 2 * rate * rate};
}
