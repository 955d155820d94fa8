/* SPDX-License-Identifier: MIT
 *
 * The oracle's curves from basis polynomials: the cumulative uniform cubic B-spline of rotations,
 * glTF's cubic of components, and the Catmull-Rom cubic of components.
 */
#include "oracle_private.h"

void bspline_weights(double u, double weights[4]) {
    const double v = 1.0 - u;
    weights[0] = v * v * v / 6.0;
    weights[1] = (4.0 + u * u * (3.0 * u - 6.0)) / 6.0;
    weights[2] = (4.0 + v * v * (3.0 * v - 6.0)) / 6.0;
    weights[3] = u * u * u / 6.0;
}

/* Beyond the ends of an open track, the end key repeats. */
static quat bspline_key(const oracle_track *t, ptrdiff_t i) {
    const ptrdiff_t last = (ptrdiff_t)t->key_count - 1;
    return track_key(t, t->period > 0.0 ? i : i < 0 ? 0 : i > last ? last : i);
}

quat bspline_at(const oracle_track *t, ptrdiff_t i, double u) {
    double weights[4];
    bspline_weights(u, weights);
    quat r = bspline_key(t, i - 1);
    for (ptrdiff_t k = 0; k < 3; k++) {
        double rest = 0.0; /* sums over this key and all later keys */
        for (ptrdiff_t j = k + 1; j < 4; j++)
            rest += weights[j];
        const quat turn =
            quat_multiply(quat_conjugate(bspline_key(t, i - 1 + k)), bspline_key(t, i + k));
        r = quat_multiply(r, quat_power(turn, rest));
    }
    return r;
}

quat cubicspline_inside(const oracle_track *t, ptrdiff_t i, double u) {
    const size_t next = ((size_t)i + 1) % t->key_count;
    const double h = track_step(t, i), u2 = u * u, u3 = u2 * u;
    quat sum = quat_scale(track_key(t, i), 2.0 * u3 - 3.0 * u2 + 1.0);
    sum = quat_add(sum, quat_scale(t->out[i], h * (u3 - 2.0 * u2 + u)));
    sum = quat_add(sum, quat_scale(track_key(t, i + 1), -2.0 * u3 + 3.0 * u2));
    return quat_add(sum, quat_scale(t->in[next], h * (u3 - u2)));
}

/* The slope at key i of the parabola through the key and its neighbours, in Lagrange's form. An end
 * key has only one neighbour, so its slope is that of the line. */
static quat parabola_slope(const oracle_track *t, ptrdiff_t i) {
    const ptrdiff_t last = (ptrdiff_t)t->key_count - 1;
    if (t->period == 0.0 && (i == 0 || i == last)) {
        const ptrdiff_t from = i == 0 ? 0 : i - 1;
        const quat step = quat_add(track_key(t, from + 1), quat_scale(track_key(t, from), -1.0));
        return quat_scale(step, 1.0 / track_step(t, from));
    }
    const double h0 = track_step(t, i - 1), h1 = track_step(t, i);
    quat slope = quat_scale(track_key(t, i - 1), -h1 / (h0 * (h0 + h1)));
    slope = quat_add(slope, quat_scale(track_key(t, i), (h1 - h0) / (h0 * h1)));
    return quat_add(slope, quat_scale(track_key(t, i + 1), h0 / (h1 * (h0 + h1))));
}

/* Control points of the same cubic in Bernstein form. */
static void control_points(const oracle_track *t, ptrdiff_t i, quat points[4]) {
    const double third = track_step(t, i) / 3.0;
    points[0] = track_key(t, i);
    points[3] = track_key(t, i + 1);
    points[1] = quat_add(points[0], quat_scale(parabola_slope(t, i), third));
    points[2] = quat_add(points[3], quat_scale(parabola_slope(t, i + 1), -third));
}

quat ncubic_inside(const oracle_track *t, ptrdiff_t i, double u) {
    const double v = 1.0 - u;
    quat p[4];
    control_points(t, i, p);
    const quat outer = quat_add(quat_scale(p[0], v * v * v), quat_scale(p[3], u * u * u));
    const quat inner = quat_add(quat_scale(p[1], v), quat_scale(p[2], u));
    return quat_add(outer, quat_scale(inner, 3.0 * u * v));
}

double ncubic_reach(const oracle_track *t, ptrdiff_t i) {
    double length = 0.0;
    quat p[4];
    control_points(t, i, p);
    for (int n = 0; n < 3; n++)
        length += quat_norm(quat_add(p[n + 1], quat_scale(p[n], -1.0)));
    return 2.0 * length;
}
