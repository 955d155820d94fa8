/* SPDX-License-Identifier: MIT
 *
 * Segments of circular blending (docs/methods.md, "circular"): the two arcs between a segment's
 * keys, each on a circle through three keys, with the guard.
 */
#ifndef PM_CIRCULAR_SEGMENT_H
#define PM_CIRCULAR_SEGMENT_H

#include "pm_window.h"

/* An arc between two keys: half its angle alpha, squared; alpha/sin(alpha); and the vector from the
 * circle's centre to the arc's middle. */
typedef struct pm_circle_arc {
    dreal alpha2, stretch;
    dquat radius;
} pm_circle_arc;

pm_fn pm_circle_arc pm_arc_select(dmask mask, const pm_circle_arc *yes, const pm_circle_arc *no) {
    return (pm_circle_arc){dreal_select(mask, yes->alpha2, no->alpha2),
                           dreal_select(mask, yes->stretch, no->stretch),
                           dquat_select(mask, yes->radius, no->radius)};
}

pm_fn pm_circle_arc pm_great_arc(dquat a, dquat b) {
    dquat sum = dquat_sum(a, b), chord = dquat_difference(b, a);
    dreal length = dquat_norm(sum); /* 2 cos(alpha): the keys are unit */
    dreal stretch = dreal_arc(0.5 * length);
    return (pm_circle_arc){stretch * stretch * (0.25 * dquat_dot(chord, chord)), stretch,
                           dquat_scaled(sum, 1 / length)};
}

/* The circle of a key and its neighbours: its arcs over the segments before and after the key, and
 * the speed of each arc's phase at the key, in arcs per segment. */
typedef struct pm_key_circle {
    bool exists; /* the key has a segment on both sides */
    pm_circle_arc before, after;
    dreal speed_before, speed_after;
} pm_key_circle;

/* A triangle of three keys: its sides as vectors, with their squares, from the middle key to the one
 * before (u) and after (v), and from the one before to the one after (w). */
typedef struct pm_key_triangle {
    dquat u, v, w;
    dreal u2, v2, w2, uv;
} pm_key_triangle;

pm_fn pm_key_triangle pm_triangle_of(dquat before, dquat key, dquat after) {
    pm_key_triangle t = {.u = dquat_difference(before, key),
                         .v = dquat_difference(after, key),
                         .w = dquat_difference(after, before),
                         .uv = dreal_of(0)};
    t.u2 = dquat_dot(t.u, t.u);
    t.v2 = dquat_dot(t.v, t.v);
    t.w2 = dquat_dot(t.w, t.w);
    t.uv = dquat_dot(t.u, t.v);
    return t;
}

/* Both arcs, each the one without the third key, from inscribed angles: the angle alpha of an arc is
 * that of the triangle at the third key. Where two keys are the same, or alpha exceeds pi/2, the result
 * is not an arc. */
pm_fn void pm_find_arcs(const pm_key_triangle *t, pm_key_circle *c) {
    dreal inverse = 1 / (t->u2 * t->v2 * t->w2);
    dreal over_u2 = inverse * (t->v2 * t->w2);
    dreal over_v2 = inverse * (t->u2 * t->w2);
    dreal over_w2 = inverse * (t->u2 * t->v2);
    /* v without its part along u, twice: the second time removes what rounding left */
    dquat p = dquat_difference(t->v, dquat_scaled(t->u, t->uv * over_u2));
    p = dquat_difference(p, dquat_scaled(t->u, dquat_dot(t->u, p) * over_u2));
    dreal area2 = t->u2 * dquat_dot(p, p); /* the parallelogram's, squared */
    dreal over_area2 = 1 / area2;
    dreal over_vw2 = over_v2 * over_w2, over_uw2 = over_u2 * over_w2;
    dreal over_vw = dreal_sqrt(over_vw2), over_uw = dreal_sqrt(over_uw2);
    dreal before = dreal_arc((t->v2 - t->uv) * over_vw);
    dreal after = dreal_arc((t->u2 - t->uv) * over_uw);
    dreal from_u = -0.5 * (t->u2 * t->v2 * t->w2) * over_vw * over_area2;
    dreal from_v = -0.5 * (t->u2 * t->v2 * t->w2) * over_uw * over_area2;
    dquat q = dquat_difference(dquat_scaled(t->u, area2 * over_u2 * over_v2),
                               dquat_scaled(p, t->uv * over_v2)); /* u without its part along v */
    c->before =
        (pm_circle_arc){before * before * (area2 * over_vw2), before, dquat_scaled(p, from_u)};
    c->after = (pm_circle_arc){after * after * (area2 * over_uw2), after, dquat_scaled(q, from_v)};
}

/* The slope at the key of the parabola, in time, through three arc lengths. */
pm_fn void pm_find_speeds(const pm_window *w, ptrdiff_t i, const pm_key_triangle *t,
                          pm_key_circle *c) {
    double h0 = pm_window_length(w, i - 1);
    double h1 = pm_window_length(w, i);
    dreal l0 = dreal_sqrt(t->u2) * c->before.stretch;
    dreal l1 = dreal_sqrt(t->v2) * c->after.stretch;
    dreal rate = (h1 * (l0 * (1 / h0)) + h0 * (l1 * (1 / h1))) * (1 / (h0 + h1));
    c->speed_before = rate * h0 / l0;
    c->speed_after = rate * h1 / l1;
}

/* At a cusp the arcs are great arcs, and the speeds are 0. */
pm_fn void pm_use_cusps(const pm_window *w, ptrdiff_t i, dmask cusp, pm_key_circle *c) {
    dquat key = pm_window_key(w, i);
    pm_circle_arc before = pm_great_arc(pm_window_key(w, i - 1), key);
    pm_circle_arc after = pm_great_arc(key, pm_window_key(w, i + 1));
    c->before = pm_arc_select(cusp, &before, &c->before);
    c->after = pm_arc_select(cusp, &after, &c->after);
    c->speed_before = dreal_where(~cusp, c->speed_before);
    c->speed_after = dreal_where(~cusp, c->speed_after);
}

/* A key is a cusp when a neighbour repeats it, an adjacent arc exceeds pi, or the curve turns
 * back by more than 165 degrees. */
pm_fn dmask pm_is_cusp(const pm_window *w, ptrdiff_t i, const pm_key_triangle *t) {
    const double cos2_15_degrees = 0.93301270189221932;
    const dmask turns_back =
        dmask_of(t->uv > 0) & dmask_of(t->uv * t->uv > cos2_15_degrees * (t->u2 * t->v2));
    return pm_window_repeats(w, i - 1) | pm_window_repeats(w, i) | turns_back |
           dmask_of(t->v2 < t->uv) | dmask_of(t->u2 < t->uv);
}

pm_fn pm_key_circle pm_circle_of_key(const pm_window *w, ptrdiff_t i, bool is_phased) {
    pm_key_circle c = {.exists = pm_window_has(w, i - 1) && pm_window_has(w, i)};
    if (!c.exists)
        return c;
    const pm_key_triangle t =
        pm_triangle_of(pm_window_key(w, i - 1), pm_window_key(w, i), pm_window_key(w, i + 1));
    pm_find_arcs(&t, &c);
    if (is_phased)
        pm_find_speeds(w, i, &t, &c);
    dmask cusp = pm_is_cusp(w, i, &t);
    if (dmask_any(cusp))
        pm_use_cusps(w, i, cusp, &c);
    return c;
}

/* Both arcs of a segment and the speeds of their phases, each at the arc's own key. */
typedef struct pm_circle_arcs {
    pm_circle_arc leaving, arriving;
    dreal leaving_speed, arriving_speed;
} pm_circle_arcs;

/* At the ends of an open track the only arc that exists is used twice; at its other end, its phase
 * k u + (1 - k) u^2 has speed 2 - k. Without any arc, the great arc is used. */
pm_fn pm_circle_arcs pm_arcs_of(const pm_window *w, ptrdiff_t i, const pm_key_circle *first,
                                const pm_key_circle *second) {
    pm_circle_arcs a = {first->after, second->before, first->speed_after, second->speed_before};
    if (!first->exists && !second->exists) {
        a.leaving = a.arriving = pm_great_arc(pm_window_key(w, i), pm_window_key(w, i + 1));
        a.leaving_speed = a.arriving_speed = dreal_of(1);
    } else if (!first->exists) {
        a.leaving = a.arriving;
        a.leaving_speed = 2 - a.arriving_speed;
    } else if (!second->exists) {
        a.arriving = a.leaving;
        a.arriving_speed = 2 - a.leaving_speed;
    }
    return a;
}

/* A phase leaves its arc by up to half its speed, kernels accept angles of up to 1e4 rad from an
 * arc's middle, and the square of the phase must fit in a float. Only neighbouring segments of
 * extremely different lengths exceed the limit. */
pm_fn dreal pm_clamped_speed(dreal speed, dreal alpha2) {
    const double most = 1.9e4, least = 1.9e-11;
    const dreal bounded = dreal_max(alpha2, dreal_of(least * least));
    if (!dmask_any(dmask_of(speed * speed * bounded > most * most)))
        return speed;
    const dreal max = most / dreal_sqrt(bounded);
    return dreal_max(-max, dreal_min(max, speed));
}

pm_fn void pm_put_arcs(const pm_window *w, ptrdiff_t i, const pm_circle_arcs *a, bool is_phased,
                       pm_coefficients *c) {
    dreal leaving = a->leaving.stretch, arriving = a->arriving.stretch;
    if (is_phased) {
        dquat chord = dquat_difference(pm_window_key(w, i + 1), pm_window_key(w, i));
        leaving = pm_clamped_speed(a->leaving_speed, a->leaving.alpha2);
        arriving = pm_clamped_speed(a->arriving_speed, a->arriving.alpha2);
        c->of[3] = dquat_scaled(chord, dreal_of(0.5));
    }
    c->of[0] = a->leaving.radius;
    c->of[1] = a->arriving.radius;
    c->of[2] = (dquat){a->leaving.alpha2, a->arriving.alpha2, leaving, arriving};
}

#define pm_circular_planes 3
#define pm_circular_needs 0u
#define pm_circular_knot pm_key_circle

pm_fn pm_key_circle pm_circular_knot_at(const pm_window *w, ptrdiff_t i) {
    return pm_circle_of_key(w, i, false);
}

pm_fn void pm_circular_build(const pm_window *w, ptrdiff_t i, const pm_key_circle *here,
                             const pm_key_circle *next, pm_coefficients *c) {
    pm_circle_arcs a = pm_arcs_of(w, i, here, next);
    pm_put_arcs(w, i, &a, false, c);
}

#define pm_phased_planes 4
#define pm_phased_needs 0u
#define pm_phased_knot pm_key_circle

pm_fn pm_key_circle pm_phased_knot_at(const pm_window *w, ptrdiff_t i) {
    return pm_circle_of_key(w, i, true);
}

pm_fn void pm_phased_build(const pm_window *w, ptrdiff_t i, const pm_key_circle *here,
                           const pm_key_circle *next, pm_coefficients *c) {
    pm_circle_arcs a = pm_arcs_of(w, i, here, next);
    pm_put_arcs(w, i, &a, true, c);
}

#endif
