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

/* Both arcs of a segment; at the ends of an open track the one that exists, twice. */
typedef struct arcs {
    arc leaving, arriving;
    bool has_leaving, has_arriving; /* whether it is the segment's own first or last key's */
} arcs;

static arcs arcs_of(const pm_track *track, ptrdiff_t i) {
    arcs a = {.has_leaving = pm_track_has(track, i - 1),
              .has_arriving = pm_track_has(track, i + 1)};
    if (a.has_leaving)
        a.leaving = arc_of(track, i, i, i - 1);
    if (a.has_arriving)
        a.arriving = arc_of(track, i, i + 1, i + 2);
    if (!a.has_leaving && !a.has_arriving)
        a.leaving = a.arriving = great_arc(pm_track_key(track, i), pm_track_key(track, i + 1));
    else if (!a.has_leaving)
        a.leaving = a.arriving;
    else if (!a.has_arriving)
        a.arriving = a.leaving;
    return a;
}

/* alpha/sin(alpha) */
static double stretch_of(const arc *a) {
    return a->alpha > 0 ? a->alpha / sin(a->alpha) : 1;
}

static void put_arcs(const pm_extras_out *out, size_t segment, const arcs *a) {
    dquat numbers = {a->leaving.alpha * a->leaving.alpha, a->arriving.alpha * a->arriving.alpha,
                     stretch_of(&a->leaving), stretch_of(&a->arriving)};
    pm_put(out, segment, 0, a->leaving.rise);
    pm_put(out, segment, 1, a->arriving.rise);
    pm_put(out, segment, 2, numbers);
}

pm_built_segments pm_build_circular(const pm_track *track, const pm_extras_out *out) {
    for (size_t k = 0; k < track->segment_count; k++) {
        arcs a = arcs_of(track, (ptrdiff_t)k);
        put_arcs(out, k, &a);
    }
    return (pm_built_segments){PM_OK, false};
}

/* Length of an arc of the circle of key `owner` over segment i */
static double arc_length(const pm_track *track, ptrdiff_t i, ptrdiff_t owner, ptrdiff_t third) {
    arc a = arc_of(track, i, owner, third);
    dquat chord = dquat_difference(pm_track_key(track, i + 1), pm_track_key(track, i));
    return dquat_norm(chord) * stretch_of(&a);
}

/* Speed at which key i's circle is left over segment i (step 1) or i - 1 (step -1), in
 * arcs a segment: the slope at the key of the parabola through the three arc lengths. A
 * cusp is at rest. */
static double phase_speed(const pm_track *track, ptrdiff_t i, ptrdiff_t step) {
    if (is_cusp(track, i))
        return 0;
    double h0 = pm_track_length(track, i - 1);
    double h1 = pm_track_length(track, i);
    double l0 = arc_length(track, i - 1, i, i + 1);
    double l1 = arc_length(track, i, i, i - 1);
    double rate = (h1 * l0 / h0 + h0 * l1 / h1) / (h0 + h1);
    return step > 0 ? rate * h1 / l1 : rate * h0 / l0;
}

pm_built_segments pm_build_phased(const pm_track *track, const pm_extras_out *out) {
    pm_built_segments built = {PM_OK, false};
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        arcs a = arcs_of(track, i);
        double leaving = a.has_leaving ? phase_speed(track, i, 1) : 1;
        double arriving = a.has_arriving ? phase_speed(track, i + 1, -1) : 1;
        /* the lone arc's phase, seen from its other end: k u + (1 - k) u^2 mirrored */
        if (!a.has_leaving)
            leaving = 2 - arriving;
        else if (!a.has_arriving)
            arriving = 2 - leaving;
        put_arcs(out, k, &a);
        pm_put(out, k, 3, (dquat){leaving, arriving, 0, 0});
        built.wide = built.wide || !(fmin(leaving, arriving) >= 0 && fmax(leaving, arriving) <= 2);
    }
    return built;
}
