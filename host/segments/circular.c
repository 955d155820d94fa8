/* SPDX-License-Identifier: MIT
 *
 * Segments of circular blending (docs/methods.md, "circular"): the two arcs between a segment's
 * keys, each on a circle through three keys, with the guard.
 */
#include "builder.h"

/* An arc between two keys: half its angle alpha, squared; alpha/sin(alpha); and the vector from the
 * circle's centre to the arc's middle. */
typedef struct arc {
    dreal alpha2, stretch;
    dquat radius;
} arc;

static arc arc_select(dmask mask, const arc *yes, const arc *no) {
    return (arc){dreal_select(mask, yes->alpha2, no->alpha2),
                 dreal_select(mask, yes->stretch, no->stretch),
                 dquat_select(mask, yes->radius, no->radius)};
}

static arc great_arc(dquat a, dquat b) {
    dquat sum = dquat_sum(a, b), chord = dquat_difference(b, a);
    dreal length = dquat_norm(sum); /* 2 cos(alpha): the keys are unit */
    dreal stretch = dreal_arc(0.5 * length);
    return (arc){stretch * stretch * (0.25 * dquat_dot(chord, chord)), stretch,
                 dquat_scaled(sum, 1 / length)};
}

/* The circle of a key and its neighbours: its arcs over the segments before and after the key, and
 * the speed of each arc's phase at the key, in arcs per segment. */
typedef struct key_circle {
    bool exists; /* the key has a segment on both sides */
    arc before, after;
    dreal speed_before, speed_after;
} key_circle;

/* A triangle of three keys: its sides as vectors, with their squares, from the middle key to the one
 * before (u) and after (v), and from the one before to the one after (w). */
typedef struct triangle {
    dquat u, v, w;
    dreal u2, v2, w2, uv;
} triangle;

static triangle triangle_of(dquat before, dquat key, dquat after) {
    triangle t = {.u = dquat_difference(before, key),
                  .v = dquat_difference(after, key),
                  .w = dquat_difference(after, before),
                  .uv = {0}};
    t.u2 = dquat_dot(t.u, t.u);
    t.v2 = dquat_dot(t.v, t.v);
    t.w2 = dquat_dot(t.w, t.w);
    t.uv = dquat_dot(t.u, t.v);
    return t;
}

/* Both arcs, each the one without the third key, from inscribed angles: the angle alpha of an arc is
 * that of the triangle at the third key. Where two keys are the same, or alpha exceeds pi/2, the result
 * is not an arc. */
static void find_arcs(const triangle *t, key_circle *c) {
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
    c->before = (arc){before * before * (area2 * over_vw2), before, dquat_scaled(p, from_u)};
    c->after = (arc){after * after * (area2 * over_uw2), after, dquat_scaled(q, from_v)};
}

/* The slope at the key of the parabola, in time, through three arc lengths. */
static void find_speeds(const pm_track *track, ptrdiff_t i, const triangle *t, key_circle *c) {
    double h0 = pm_track_length(track, i - 1);
    double h1 = pm_track_length(track, i);
    dreal l0 = dreal_sqrt(t->u2) * c->before.stretch;
    dreal l1 = dreal_sqrt(t->v2) * c->after.stretch;
    dreal rate = (h1 * (l0 * (1 / h0)) + h0 * (l1 * (1 / h1))) * (1 / (h0 + h1));
    c->speed_before = rate * h0 / l0;
    c->speed_after = rate * h1 / l1;
}

/* At a cusp the arcs are great arcs, and the speeds are 0. */
static void use_cusps(const pm_track *track, ptrdiff_t i, dmask cusp, key_circle *c) {
    dquat key = pm_track_key(track, i);
    arc before = great_arc(pm_track_key(track, i - 1), key);
    arc after = great_arc(key, pm_track_key(track, i + 1));
    c->before = arc_select(cusp, &before, &c->before);
    c->after = arc_select(cusp, &after, &c->after);
    c->speed_before = dreal_where(~cusp, c->speed_before);
    c->speed_after = dreal_where(~cusp, c->speed_after);
}

/* A key is a cusp when a neighbour repeats it, an adjacent arc exceeds pi, or the curve turns
 * back by more than 165 degrees. */
static dmask is_cusp(const pm_track *track, ptrdiff_t i, const triangle *t) {
    const double cos2_15_degrees = 0.93301270189221932;
    const dmask turns_back =
        (dmask)(t->uv > 0) & (dmask)(t->uv * t->uv > cos2_15_degrees * (t->u2 * t->v2));
    return pm_track_repeats(track, i - 1) | pm_track_repeats(track, i) | turns_back |
           (dmask)(t->v2 < t->uv) | (dmask)(t->u2 < t->uv);
}

static key_circle circle_of_key(const pm_track *track, ptrdiff_t i) {
    key_circle c = {.exists = pm_track_has(track, i - 1) && pm_track_has(track, i)};
    if (!c.exists)
        return c;
    const triangle t =
        triangle_of(pm_track_key(track, i - 1), pm_track_key(track, i), pm_track_key(track, i + 1));
    find_arcs(&t, &c);
    if (track->block->builder == PM_BUILD_phased)
        find_speeds(track, i, &t, &c);
    dmask cusp = is_cusp(track, i, &t);
    if (dmask_any(cusp))
        use_cusps(track, i, cusp, &c);
    return c;
}

/* Both arcs of a segment and the speeds of their phases, each at the arc's own key. */
typedef struct arcs {
    arc leaving, arriving;
    dreal leaving_speed, arriving_speed;
} arcs;

/* At the ends of an open track the only arc that exists is used twice; at its other end, its phase
 * k u + (1 - k) u^2 has speed 2 - k. Without any arc, the great arc is used. */
static arcs arcs_of(const pm_track *track, ptrdiff_t i, const key_circle *first,
                    const key_circle *second) {
    arcs a = {first->after, second->before, first->speed_after, second->speed_before};
    if (!first->exists && !second->exists) {
        a.leaving = a.arriving = great_arc(pm_track_key(track, i), pm_track_key(track, i + 1));
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
static dreal clamped_speed(dreal speed, dreal alpha2) {
    const double most = 1.9e4, least = 1.9e-11;
    const dreal bounded = dreal_max(alpha2, dreal_of(least * least));
    if (!dmask_any((dmask)(speed * speed * bounded > most * most)))
        return speed;
    const dreal max = most / dreal_sqrt(bounded);
    return dreal_max(-max, dreal_min(max, speed));
}

static void put_arcs(const pm_track *track, ptrdiff_t i, const arcs *a) {
    dreal leaving = a->leaving.stretch, arriving = a->arriving.stretch;
    if (track->block->builder == PM_BUILD_phased) {
        dquat chord = dquat_difference(pm_track_key(track, i + 1), pm_track_key(track, i));
        leaving = clamped_speed(a->leaving_speed, a->leaving.alpha2);
        arriving = clamped_speed(a->arriving_speed, a->arriving.alpha2);
        pm_put(track, i, 3, dquat_scaled(chord, dreal_of(0.5)));
    }
    pm_put(track, i, 0, a->leaving.radius);
    pm_put(track, i, 1, a->arriving.radius);
    pm_put(track, i, 2, (dquat){a->leaving.alpha2, a->arriving.alpha2, leaving, arriving});
}

static void build(pm_track *track) {
    key_circle here = circle_of_key(track, track->first);
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        key_circle next = circle_of_key(track, i + 1);
        arcs a = arcs_of(track, i, &here, &next);
        put_arcs(track, i, &a);
        here = next;
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_circular) = {.window = build};
const pm_segment_builder PM_SET_NAME(pm_build_phased) = {.window = build};
