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

/* Whether key i, with a segment on both sides, takes great arcs: a neighbour repeats
 * it, an arc beside it exceeds pi, or the curve turns back by more than 165 degrees. */
static bool is_cusp(const pm_track *track, ptrdiff_t i) {
    const double cos_15_degrees = 0.96592582628906831;
    if (pm_track_repeats(track, i - 1) || pm_track_repeats(track, i))
        return true;
    dquat before = pm_track_key(track, i - 1);
    dquat key = pm_track_key(track, i);
    dquat after = pm_track_key(track, i + 1);
    return corner(before, key, after) > cos_15_degrees ||
           circle_arc(before, key, after).alpha > half_pi ||
           circle_arc(after, before, key).alpha > half_pi;
}

/* Of segment i, the arc of the circle that belongs to key `owner`, which is i or i + 1;
 * `third` is its other neighbour. */
static arc arc_of(const pm_track *track, ptrdiff_t i, ptrdiff_t owner, ptrdiff_t third) {
    dquat a = pm_track_key(track, i);
    dquat b = pm_track_key(track, i + 1);
    if (is_cusp(track, owner))
        return great_arc(a, b);
    return circle_arc(pm_track_key(track, third), a, b);
}

void pm_build_circular(const pm_track *track, const pm_extras_out *out) {
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        bool before = pm_track_has(track, i - 1);
        bool after = pm_track_has(track, i + 1);
        arc leaving, arriving;
        if (before)
            leaving = arc_of(track, i, i, i - 1);
        if (after)
            arriving = arc_of(track, i, i + 1, i + 2);
        if (!before && !after)
            leaving = arriving = great_arc(pm_track_key(track, i), pm_track_key(track, i + 1));
        else if (!before)
            leaving = arriving;
        else if (!after)
            arriving = leaving;
        pm_put(out, k, 0, leaving.rise);
        pm_put(out, k, 1, arriving.rise);
        dquat numbers = {leaving.alpha * leaving.alpha, arriving.alpha * arriving.alpha,
                         leaving.alpha > 0 ? leaving.alpha / sin(leaving.alpha) : 1,
                         arriving.alpha > 0 ? arriving.alpha / sin(arriving.alpha) : 1};
        pm_put(out, k, 2, numbers);
    }
}
