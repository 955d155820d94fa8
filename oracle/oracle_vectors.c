/* SPDX-License-Identifier: MIT
 *
 * The oracle's positions and scales: one function per vector method.
 */
#include "oracle_private.h"

#include <stdlib.h>

static vec3 value_at(const oracle_track *t, const vec3 *values, ptrdiff_t i) {
    const ptrdiff_t n = (ptrdiff_t)t->key_count;
    return values[((i % n) + n) % n];
}

static vec3 value_slope(const oracle_track *t, const vec3 *values, ptrdiff_t i) {
    return vec3_scale(vec3_subtract(value_at(t, values, i + 1), value_at(t, values, i)),
                      1.0 / track_step(t, i));
}

static vec3 linear(vec3 p, vec3 q, double u) {
    return vec3_add(vec3_scale(p, 1.0 - u), vec3_scale(q, u));
}

/* From values and velocities at both ends of a segment. */
static vec3 cubic(vec3 p, vec3 leaving, vec3 q, vec3 arriving, double h, double u) {
    const double v = 1.0 - u;
    vec3 sum = vec3_scale(p, (1.0 + 2.0 * u) * v * v);
    sum = vec3_add(sum, vec3_scale(leaving, h * u * v * v));
    sum = vec3_add(sum, vec3_scale(q, u * u * (3.0 - 2.0 * u)));
    return vec3_add(sum, vec3_scale(arriving, -h * u * u * v));
}

/* ---- Catmull-Rom ------------------------------------------------------------------ */

static vec3 parabola_slope(const oracle_track *t, const vec3 *values, ptrdiff_t i) {
    const double h0 = track_step(t, i - 1), h1 = track_step(t, i);
    return vec3_scale(vec3_add(vec3_scale(value_slope(t, values, i - 1), h1),
                               vec3_scale(value_slope(t, values, i), h0)),
                      1.0 / (h0 + h1));
}

/* The velocity at one end of segment i; `side` is -1 at its start and +1 at its end. */
static vec3 value_tangent(const oracle *o, const oracle_track *t, const vec3 *values, ptrdiff_t i,
                          ptrdiff_t side) {
    const ptrdiff_t key = side < 0 ? i : i + 1;
    if (track_has_key(t, i + (side < 0 ? -1 : 2)))
        return parabola_slope(t, values, key);
    const ptrdiff_t inward = i - side, opposite = side < 0 ? i + 1 : i;
    if (!track_has_key(t, opposite - side))
        return value_slope(t, values, i); /* two keys */
    return end_tangent(o->ends, value_slope(t, values, i), value_slope(t, values, inward),
                       track_step(t, i), track_step(t, inward),
                       parabola_slope(t, values, opposite));
}

static vec3 catmull_rom(const oracle *o, const oracle_track *t, const vec3 *values, ptrdiff_t i,
                        double u) {
    return cubic(value_at(t, values, i), value_tangent(o, t, values, i, -1),
                 value_at(t, values, i + 1), value_tangent(o, t, values, i, 1), track_step(t, i),
                 u);
}

/* ---- parabolas ---------------------------------------------------------------------- */

/* The parabola through keys i - 1, i and i + 1, `time` seconds after key i, in Newton's form. */
static vec3 parabola(const oracle_track *t, const vec3 *values, ptrdiff_t i, double time) {
    const double h0 = track_step(t, i - 1), h1 = track_step(t, i);
    const vec3 before = value_slope(t, values, i - 1), after = value_slope(t, values, i);
    const vec3 bend = vec3_scale(vec3_subtract(after, before), 1.0 / (h0 + h1));
    const vec3 slope = vec3_add(before, vec3_scale(bend, time + h0));
    return vec3_add(value_at(t, values, i), vec3_scale(slope, time));
}

static vec3 parabolas(const oracle *o, const oracle_track *t, const vec3 *values, ptrdiff_t i,
                      double u) {
    const bool first = track_has_key(t, i - 1), second = track_has_key(t, i + 2);
    const double h = track_step(t, i);
    if (!first && !second)
        return linear(value_at(t, values, i), value_at(t, values, i + 1), u);
    const vec3 from = parabola(t, values, first ? i : i + 1, first ? u * h : (u - 1.0) * h);
    const vec3 to = second ? parabola(t, values, i + 1, (u - 1.0) * h) : from;
    return linear(from, to, blend_weight(o->vector_method == PM_VECTOR_PARABOLAS_C3, u));
}

/* ---- spline --------------------------------------------------------------------------- */

/* The equation of an open track's end: the second derivative is zero, or the velocity is given. It
 * equals the equation of an inner key whose curve continues beyond the end at that velocity. */
static void end_row(const oracle *o, const oracle_track *t, const vec3 *values, size_t key,
                    double *at, double *beside, vec3 *right) {
    const bool first = key == 0;
    const ptrdiff_t own = first ? 0 : (ptrdiff_t)key - 1, inward = first ? 1 : own - 1;
    const vec3 none = {0.0, 0.0, 0.0};
    *at = 1.0;
    *beside = 0.0;
    *right = none;
    if (o->ends == PM_ENDS_NATURAL)
        return;
    const vec3 slope = value_slope(t, values, own);
    const vec3 velocity = end_tangent(o->ends, slope, value_slope(t, values, inward),
                                      track_step(t, own), track_step(t, inward), none);
    *at = 2.0 * track_step(t, own);
    *beside = track_step(t, own);
    *right = vec3_scale(vec3_subtract(slope, velocity), first ? 6.0 : -6.0);
}

void vector_spline_prepare(const oracle *o, const oracle_track *t, vector_curve *curve) {
    const size_t n = t->key_count;
    curve->bend = oracle_allocate(n, sizeof *curve->bend);
    if (n < 2 || (n == 2 && t->period == 0.0))
        return; /* linear */
    double *below = oracle_allocate(n, sizeof *below), *at = oracle_allocate(n, sizeof *at);
    double *above = oracle_allocate(n, sizeof *above), *right[3];
    for (int c = 0; c < 3; c++)
        right[c] = oracle_allocate(n, sizeof *right[c]);
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t k = (ptrdiff_t)i;
        vec3 r;
        if (t->period == 0.0 && (i == 0 || i + 1 == n)) {
            end_row(o, t, curve->values, i, &at[i], i == 0 ? &above[i] : &below[i], &r);
        } else {
            below[i] = track_step(t, k - 1);
            above[i] = track_step(t, k);
            at[i] = 2.0 * (below[i] + above[i]);
            r = vec3_scale(vec3_subtract(value_slope(t, curve->values, k),
                                         value_slope(t, curve->values, k - 1)),
                           6.0);
        }
        right[0][i] = r.x, right[1][i] = r.y, right[2][i] = r.z;
    }
    for (int c = 0; c < 3; c++)
        (void)solve_ring(n, 1, below, at, above, right[c]); /* dominant diagonal */
    for (size_t i = 0; i < n; i++)
        curve->bend[i] = (vec3){right[0][i], right[1][i], right[2][i]};
    free(below);
    free(at);
    free(above);
    for (int c = 0; c < 3; c++)
        free(right[c]);
}

static vec3 spline(const oracle_track *t, const vector_curve *curve, ptrdiff_t i, double u) {
    const double sixth = track_step(t, i) * track_step(t, i) / 6.0, v = 1.0 - u;
    const vec3 b0 = vec3_scale(value_at(t, curve->bend, i), sixth);
    const vec3 b1 = vec3_scale(value_at(t, curve->bend, i + 1), sixth);
    const vec3 straight =
        linear(value_at(t, curve->values, i), value_at(t, curve->values, i + 1), u);
    return vec3_add(straight,
                    vec3_add(vec3_scale(b0, v * (v * v - 1.0)), vec3_scale(b1, u * (u * u - 1.0))));
}

/* ---- other methods ----------------------------------------------------------------------- */

static vec3 bspline(const oracle_track *t, const vec3 *values, ptrdiff_t i, double u) {
    const ptrdiff_t last = (ptrdiff_t)t->key_count - 1;
    double weights[4];
    bspline_weights(u, weights);
    vec3 sum = {0.0, 0.0, 0.0};
    for (ptrdiff_t k = 0; k < 4; k++) {
        ptrdiff_t j = i - 1 + k;
        if (t->period == 0.0)
            j = j < 0 ? 0 : j > last ? last : j;
        sum = vec3_add(sum, vec3_scale(value_at(t, values, j), weights[k]));
    }
    return sum;
}

vec3 vector_at(const oracle *o, const oracle_track *t, const vector_curve *curve, ptrdiff_t i,
               double u) {
    const vec3 *values = curve->values;
    const vec3 p = value_at(t, values, i), q = value_at(t, values, i + 1);
    if (t->key_count < 2)
        return p;
    if (o->vector_method == PM_VECTOR_BSPLINE)
        return bspline(t, values, i, u);
    if (u <= 0.0 || u >= 1.0)
        return u <= 0.0 ? p : q;
    switch (o->vector_method) {
    case PM_VECTOR_STEP:
        return p;
    case PM_VECTOR_CATMULL_ROM:
        return catmull_rom(o, t, values, i, u);
    case PM_VECTOR_PARABOLAS_C2:
    case PM_VECTOR_PARABOLAS_C3:
        return parabolas(o, t, values, i, u);
    case PM_VECTOR_SPLINE:
        return spline(t, curve, i, u);
    case PM_VECTOR_CUBICSPLINE:
        return cubic(p, curve->out[i], q, value_at(t, curve->in, i + 1), track_step(t, i), u);
    case PM_VECTOR_LINEAR:
    case PM_VECTOR_AUTO:
    case PM_VECTOR_BSPLINE:
    default:
        return linear(p, q, u);
    }
}
