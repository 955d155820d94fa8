/* SPDX-License-Identifier: MIT
 *
 * Segments of circular blending (docs/methods.md, "circular"): the two arcs between a segment's
 * keys, each on a circle through three keys, with the guard.
 */
#include "builder.h"

/* An arc between two keys: half its angle, alpha/sin(alpha), and the vector from the circle's
 * centre to the arc's middle. */
typedef struct arc {
    dreal alpha, stretch;
    dquat radius;
} arc;

static arc arc_select(dmask mask, const arc *yes, const arc *no) {
    return (arc){dreal_select(mask, yes->alpha, no->alpha),
                 dreal_select(mask, yes->stretch, no->stretch),
                 dquat_select(mask, yes->radius, no->radius)};
}

static arc great_arc(dquat a, dquat b) {
    dquat sum = dquat_sum(a, b);
    dreal length = dquat_norm(sum);
    dreal chord = dquat_norm(dquat_difference(b, a));
    dreal alpha = dreal_atan2(chord, length);
    dreal sine = chord * 0.5; /* the keys are unit */
    dreal stretch = dreal_select((dmask)(chord > 0), alpha / sine, dreal_of(1));
    return (arc){alpha, stretch, dquat_scaled(sum, 1 / length)};
}

/* The arc from a to b, of the circle through `third`, that does not contain `third`, computed from
 * inscribed angles. Where the three points do not differ pairwise, the result is not an arc. */
static arc circle_arc(dquat third, dquat a, dquat b) {
    dquat c = dquat_difference(b, a);
    dquat g = dquat_difference(third, a);
    dreal length = dquat_norm(c);
    dquat d = dquat_scaled(c, 1 / length);
    dquat p = dquat_difference(g, dquat_scaled(d, dquat_dot(d, g)));
    p = dquat_difference(p, dquat_scaled(d, dquat_dot(d, p)));
    dreal height2 = dquat_dot(p, p);
    dreal y = length * dreal_sqrt(height2);
    dreal x = -dquat_dot(g, dquat_difference(b, third));
    dreal alpha = dreal_atan2(y, x);
    dreal over_sine = dreal_sqrt(x * x + y * y) / y;
    dquat radius = dquat_scaled(p, -0.5 * (length * length) * over_sine / y);
    return (arc){alpha, alpha * over_sine, radius};
}

/* cos of the angle at b between the chords to a and c */
static dreal corner(dquat a, dquat b, dquat c) {
    dquat u = dquat_difference(a, b);
    dquat v = dquat_difference(c, b);
    return dquat_dot(u, v) / dreal_sqrt(dquat_dot(u, u) * dquat_dot(v, v));
}

/* The circle of a key and its neighbours: its arcs over the segments before and after the key, and
 * the speed of each arc's phase at the key, in arcs per segment. */
typedef struct key_circle {
    bool exists; /* the key has a segment on both sides */
    arc before, after;
    dreal speed_before, speed_after;
} key_circle;

/* The slope at the key of the parabola, in time, through three arc lengths. */
static void find_speeds(const pm_track *track, ptrdiff_t i, key_circle *c) {
    double h0 = pm_track_length(track, i - 1);
    double h1 = pm_track_length(track, i);
    dquat key = pm_track_key(track, i);
    dreal chord0 = dquat_norm(dquat_difference(key, pm_track_key(track, i - 1)));
    dreal chord1 = dquat_norm(dquat_difference(pm_track_key(track, i + 1), key));
    dreal l0 = chord0 * c->before.stretch;
    dreal l1 = chord1 * c->after.stretch;
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
static key_circle circle_of_key(const pm_track *track, ptrdiff_t i) {
    const double cos_15_degrees = 0.96592582628906831;
    key_circle c = {.exists = pm_track_has(track, i - 1) && pm_track_has(track, i)};
    if (!c.exists)
        return c;
    dquat before = pm_track_key(track, i - 1);
    dquat key = pm_track_key(track, i);
    dquat after = pm_track_key(track, i + 1);
    c.before = circle_arc(after, before, key);
    c.after = circle_arc(before, key, after);
    find_speeds(track, i, &c);
    dmask cusp = pm_track_repeats(track, i - 1) | pm_track_repeats(track, i) |
                 (dmask)(corner(before, key, after) > cos_15_degrees) |
                 (dmask)(c.before.alpha > PM_HALF_PI) | (dmask)(c.after.alpha > PM_HALF_PI);
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
static dreal clamped_speed(dreal speed, dreal alpha) {
    dreal max = 1.9e4 / dreal_max(alpha, dreal_of(1.9e-11));
    return dreal_max(-max, dreal_min(max, speed));
}

static void put_arcs(const pm_track *track, ptrdiff_t i, const arcs *a) {
    dreal leaving = a->leaving.stretch, arriving = a->arriving.stretch;
    if (track->block->builder == PM_BUILD_phased) {
        dquat chord = dquat_difference(pm_track_key(track, i + 1), pm_track_key(track, i));
        leaving = clamped_speed(a->leaving_speed, a->leaving.alpha);
        arriving = clamped_speed(a->arriving_speed, a->arriving.alpha);
        pm_put(track, i, 3, dquat_scaled(chord, dreal_of(0.5)));
    }
    pm_put(track, i, 0, a->leaving.radius);
    pm_put(track, i, 1, a->arriving.radius);
    pm_put(track, i, 2,
           (dquat){a->leaving.alpha * a->leaving.alpha, a->arriving.alpha * a->arriving.alpha,
                   leaving, arriving});
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
