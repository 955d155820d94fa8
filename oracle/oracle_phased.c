/* SPDX-License-Identifier: MIT
 *
 * The oracle's circles through three keys and the phased curves along them: the arc length is a
 * parabola in time through the three key times. Cusps are found in oracle_curves.c.
 */
#include "oracle_private.h"

#include <math.h>

circle_arc arc_through(quat p0, quat p1, quat p2) {
    const quat c = quat_subtract(p2, p1), back = quat_subtract(p0, p1);
    circle_arc arc = {.from = p1, .chord = quat_norm(c)};
    arc.along = quat_scale(c, 1.0 / arc.chord);
    quat p = quat_subtract(back, quat_scale(arc.along, quat_dot(arc.along, back)));
    p = quat_subtract(p, quat_scale(arc.along, quat_dot(arc.along, p)));
    const double height = quat_norm(p);
    arc.across = quat_scale(p, -1.0 / height);
    arc.alpha = atan2(arc.chord * height, quat_dot(quat_subtract(p1, p0), quat_subtract(p2, p0)));
    return arc;
}

quat arc_at(const circle_arc *arc, double h) {
    const double length = arc->chord * sin(h * arc->alpha) / sin(arc->alpha);
    const double turn = (1.0 - h) * arc->alpha;
    const quat direction =
        quat_add(quat_scale(arc->along, cos(turn)), quat_scale(arc->across, sin(turn)));
    return quat_add(arc->from, quat_scale(direction, length));
}

double arc_length(const circle_arc *arc) {
    return arc->chord * arc->alpha / sin(arc->alpha);
}

double blend_weight(bool third_derivative, double u) {
    return third_derivative ? u * u * u * (10.0 + u * (6.0 * u - 15.0)) : u * u * (3.0 - 2.0 * u);
}

/* The value at time `t` of the parabola that is a at -before, 0 at 0 and b at after. */
static double parabola(double a, double before, double b, double after, double t) {
    return a * t * (t - after) / (before * (before + after)) +
           b * t * (t + before) / (after * (before + after));
}

/* The curve from a key towards a neighbour: its circle, and the arc length as a function of
 * time. */
typedef struct phased {
    bool cusp;
    circle_arc way;
    double length, back, ahead, behind;
} phased;

/* For key i towards `side`, +1 or -1. */
static phased phased_of(const oracle_track *t, ptrdiff_t i, ptrdiff_t side) {
    const quat key = track_key(t, i), to = track_key(t, i + side), other = track_key(t, i - side);
    const ptrdiff_t n = (ptrdiff_t)t->key_count;
    phased p = {.cusp = t->cusp[((i % n) + n) % n],
                .ahead = track_step(t, side > 0 ? i : i - 1),
                .behind = track_step(t, side > 0 ? i - 1 : i)};
    if (!p.cusp) {
        const circle_arc back = arc_through(to, key, other);
        p.way = arc_through(other, key, to);
        p.length = arc_length(&p.way);
        p.back = arc_length(&back);
    }
    return p;
}

/* The curve of key i at `part` of the way to its neighbour at `side`. */
static quat from_key(const oracle_track *t, ptrdiff_t i, ptrdiff_t side, double part) {
    const phased p = phased_of(t, i, side);
    if (p.cusp)
        return quat_slerp(track_key(t, i), track_key(t, i + side), part * part);
    const double gone = parabola(-p.back, p.behind, p.length, p.ahead, part * p.ahead);
    return arc_at(&p.way, gone / p.length);
}

/* The length that the parabola would cover in the segment at its speed at the key, in radians of
 * rotation. */
static double reach_from(const oracle_track *t, ptrdiff_t i, ptrdiff_t side) {
    const phased p = phased_of(t, i, side);
    if (p.cusp)
        return 0.0;
    const double slope = p.ahead * p.back / p.behind + p.behind * p.length / p.ahead;
    return 2.0 * p.ahead * slope / (p.ahead + p.behind);
}

double phased_reach(const oracle_track *t, ptrdiff_t i) {
    double reach = 2.0 * vec3_norm(chord_log(t, i));
    if (track_has_key(t, i - 1))
        reach = fmax(reach, reach_from(t, i, 1));
    if (track_has_key(t, i + 2))
        reach = fmax(reach, reach_from(t, i + 1, -1));
    return reach;
}

quat phased_inside(pm_method method, const oracle_track *t, ptrdiff_t i, double u) {
    const bool first = track_has_key(t, i - 1), second = track_has_key(t, i + 2);
    if (!first && !second)
        return quat_slerp(track_key(t, i), track_key(t, i + 1), u);
    if (!second)
        return from_key(t, i, 1, u);
    if (!first)
        return from_key(t, i + 1, -1, 1.0 - u);
    const double weight =
        method == PM_METHOD_CIRCULAR_C1 ? u : blend_weight(method == PM_METHOD_CIRCULAR_C3, u);
    return quat_slerp(from_key(t, i, 1, u), from_key(t, i + 1, -1, 1.0 - u), weight);
}
