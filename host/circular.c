/* SPDX-License-Identifier: MIT
 *
 * Segments of circular blending (spec: methods, section 6): the two arcs between a
 * segment's keys, of the circles through three keys each, with the guard.
 */
#include "segments.h"

static const double half_pi = 1.57079632679489661923;

/* An arc between two keys: half its angle, and from the circle's centre to the arc's
 * middle. */
typedef struct arc {
    double alpha;
    dquat rise;
} arc;

static arc great_arc(dquat a, dquat b) {
    dquat sum = dquat_blend(1, a, 1, b);
    double length = dquat_norm(sum);
    return (arc){atan2(dquat_norm(dquat_difference(b, a)), length), dquat_scaled(sum, 1 / length)};
}

/* The arc from a to b of the circle through `third` that does not contain it, by
 * inscribed angles. The three differ pairwise. */
static arc circle_arc(dquat third, dquat a, dquat b) {
    dquat c = dquat_difference(b, a);
    dquat g = dquat_difference(third, a);
    double length = dquat_norm(c);
    dquat d = dquat_scaled(c, 1 / length);
    dquat p = dquat_blend(1, g, -dquat_dot(d, g), d);
    p = dquat_blend(1, p, -dquat_dot(d, p), d);
    double height = dquat_norm(p);
    double alpha = atan2(length * height, -dquat_dot(g, dquat_difference(b, third)));
    return (arc){alpha, dquat_scaled(p, -length / (2 * sin(alpha) * height))};
}

/* cos of the angle at b between the chords to a and c */
static double corner(dquat a, dquat b, dquat c) {
    dquat u = dquat_difference(a, b);
    dquat v = dquat_difference(c, b);
    return dquat_dot(u, v) / (dquat_norm(u) * dquat_norm(v));
}

/* The circle of a key and its neighbours: its arcs over the segments before and behind the
 * key, and the phase's speed there at the key, in arcs a segment. */
typedef struct key_circle {
    bool exists; /* the key has a segment on both sides */
    arc before, after;
    double speed_before, speed_after;
} key_circle;

/* alpha/sin(alpha) */
static double stretch_of(const arc *a) {
    return a->alpha > 0 ? a->alpha / sin(a->alpha) : 1;
}

/* The slope at the key of the parabola, in time, through three arc lengths. */
static void find_speeds(const pm_track *track, ptrdiff_t i, double chord0, double chord1,
                        key_circle *c) {
    double h0 = pm_track_length(track, i - 1);
    double h1 = pm_track_length(track, i);
    double l0 = chord0 * stretch_of(&c->before);
    double l1 = chord1 * stretch_of(&c->after);
    double rate = (h1 * (l0 / h0) + h0 * (l1 / h1)) / (h0 + h1);
    c->speed_before = rate * h0 / l0;
    c->speed_after = rate * h1 / l1;
}

/* A key is a cusp when a neighbour repeats it, an arc beside it exceeds pi, or the curve
 * turns back by more than 165 degrees: then it takes great arcs and is at rest. */
static key_circle circle_of_key(const pm_track *track, ptrdiff_t i) {
    const double cos_15_degrees = 0.96592582628906831;
    key_circle c = {.exists = pm_track_has(track, i - 1) && pm_track_has(track, i)};
    if (!c.exists)
        return c;
    dquat before = pm_track_key(track, i - 1);
    dquat key = pm_track_key(track, i);
    dquat after = pm_track_key(track, i + 1);
    bool cusp = pm_track_repeats(track, i - 1) || pm_track_repeats(track, i) ||
                corner(before, key, after) > cos_15_degrees;
    if (!cusp) {
        c.before = circle_arc(after, before, key);
        c.after = circle_arc(before, key, after);
        cusp = c.before.alpha > half_pi || c.after.alpha > half_pi;
    }
    if (cusp) {
        c.before = great_arc(before, key);
        c.after = great_arc(key, after);
        return c;
    }
    find_speeds(track, i, dquat_norm(dquat_difference(key, before)),
                dquat_norm(dquat_difference(after, key)), &c);
    return c;
}

/* Both arcs of a segment and the speeds of their phases, each seen from its own key. */
typedef struct arcs {
    arc leaving, arriving;
    double leaving_speed, arriving_speed;
} arcs;

/* At the ends of an open track the one arc that exists counts twice; seen from the other
 * end, its phase k u + (1 - k) u^2 has speed 2 - k. Without any: the great arc. */
static arcs arcs_of(const pm_track *track, ptrdiff_t i, const key_circle *first,
                    const key_circle *second) {
    arcs a = {first->after, second->before, first->speed_after, second->speed_before};
    if (!first->exists && !second->exists) {
        a.leaving = a.arriving = great_arc(pm_track_key(track, i), pm_track_key(track, i + 1));
        a.leaving_speed = a.arriving_speed = 1;
    } else if (!first->exists) {
        a.leaving = a.arriving;
        a.leaving_speed = 2 - a.arriving_speed;
    } else if (!second->exists) {
        a.arriving = a.leaving;
        a.arriving_speed = 2 - a.leaving_speed;
    }
    return a;
}

static void put_arcs(const pm_extras_out *out, size_t segment, const arcs *a) {
    dquat numbers = {a->leaving.alpha * a->leaving.alpha, a->arriving.alpha * a->arriving.alpha,
                     stretch_of(&a->leaving), stretch_of(&a->arriving)};
    pm_put(out, segment, 0, a->leaving.rise);
    pm_put(out, segment, 1, a->arriving.rise);
    pm_put(out, segment, 2, numbers);
}

static bool is_narrow(double speed) {
    return speed >= 0 && speed <= 2;
}

static pm_built_segments build(const pm_track *track, const pm_extras_out *out, bool phased) {
    pm_built_segments built = {PM_OK, false};
    key_circle here = circle_of_key(track, 0);
    for (size_t k = 0; k < track->segment_count; k++) {
        key_circle next = circle_of_key(track, (ptrdiff_t)k + 1);
        arcs a = arcs_of(track, (ptrdiff_t)k, &here, &next);
        put_arcs(out, k, &a);
        if (phased) {
            dquat chord = dquat_difference(pm_track_key(track, (ptrdiff_t)k + 1),
                                           pm_track_key(track, (ptrdiff_t)k));
            pm_put(out, k, 3, (dquat){a.leaving_speed, a.arriving_speed, 0, 0});
            pm_put(out, k, 4, dquat_scaled(chord, 0.5));
            built.wide = built.wide || !is_narrow(a.leaving_speed) || !is_narrow(a.arriving_speed);
        }
        here = next;
    }
    return built;
}

pm_built_segments pm_build_circular(const pm_track *track, const pm_extras_out *out) {
    return build(track, out, false);
}

pm_built_segments pm_build_phased(const pm_track *track, const pm_extras_out *out) {
    return build(track, out, true);
}
