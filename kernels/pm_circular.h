/* SPDX-License-Identifier: MIT
 *
 * Circular blending (spec: methods, section 6). An arc from a to b of angle 2 alpha
 * and radius R is, at s = 2u - 1,
 *   (a + b)/2 + (b - a)/2 sin(s alpha)/sin(alpha) + R n (cos(s alpha) - cos(alpha)),
 * n the unit vector from the circle's centre to the middle of the arc: the form in
 * which nearly geodesic circles lose nothing. R n and alpha are made in double when
 * the clip is built, guard and all; the kernel has no special case.
 */
#ifndef PM_CIRCULAR_H
#define PM_CIRCULAR_H

#include "pm_slerp.h"

#define pm_circular_extras 3 /* R n of both arcs, then alpha^2 and alpha/sin(alpha) of both */
#define pm_circular_statics 0

typedef struct pm_circle {
    pm_quat rise; /* R n */
    real alpha2;
    real stretch; /* alpha/sin(alpha) */
    real sagitta; /* 1 - cos(alpha) */
} pm_circle;

typedef struct pm_circular_segment {
    pm_quat a, b;
    pm_quat middle, half_chord; /* (a + b)/2, (b - a)/2 */
    pm_circle leaving, arriving;
} pm_circular_segment;

pm_fn pm_circle pm_circle_of(pm_quat rise, real alpha2, real stretch) {
    pm_circle c;
    c.rise = rise;
    c.alpha2 = alpha2;
    c.stretch = stretch;
    c.sagitta = alpha2 * pm_versin(alpha2);
    return c;
}

pm_fn pm_circular_segment pm_circular_begin(const pm_rows *rows) {
    pm_circular_segment s;
    pm_quat numbers = rows->extras[2];
    s.a = rows->key;
    s.b = rows->next;
    s.middle = pm_quat_scaled(pm_quat_sum(s.a, s.b), PM_REAL(0.5f));
    s.half_chord = pm_quat_scaled(pm_quat_difference(s.b, s.a), PM_REAL(0.5f));
    s.leaving = pm_circle_of(rows->extras[0], numbers.x, numbers.z);
    s.arriving = pm_circle_of(rows->extras[1], numbers.y, numbers.w);
    return s;
}

/* A point of an arc is middle + along half_chord + up rise. */
typedef struct pm_arc_point {
    real along, up;
} pm_arc_point;

pm_fn pm_arc_point pm_circle_at(const pm_circle *c, real t) {
    pm_arc_point p;
    real x2 = pm_square_times(t, c->alpha2);
    p.along = t * pm_sinc(x2) * c->stretch;
    p.up = pm_fma(-x2, pm_versin(x2), c->sagitta);
    return p;
}

/* The slerp of two points in those coordinates, so that the large terms are rounded once. */
pm_fn pm_quat pm_arc_points_slerp(const pm_circular_segment *s, pm_arc_point p, pm_arc_point q,
                                  real u) {
    pm_quat leaving = pm_quat_scaled(s->leaving.rise, p.up);
    pm_quat arriving = pm_quat_scaled(s->arriving.rise, q.up);
    pm_quat difference =
        pm_quat_plus(pm_quat_difference(arriving, leaving), q.along - p.along, s->half_chord);
    pm_arc arc = pm_arc_of(PM_REAL(0.25f) * pm_quat_norm2(difference));
    real v = PM_REAL(1.0f) - u;
    real wp = pm_arc_weight(arc, v);
    real wq = pm_arc_weight(arc, u);
    pm_quat r = pm_quat_blend(wp, leaving, wq, arriving);
    r = pm_quat_plus(r, pm_fma(wp, p.along, wq * q.along), s->half_chord);
    return pm_quat_plus(r, wp + wq, s->middle);
}

pm_fn pm_quat pm_circular_at(const pm_circular_segment *s, real u) {
    real t = u - (PM_REAL(1.0f) - u);
    pm_quat r =
        pm_arc_points_slerp(s, pm_circle_at(&s->leaving, t), pm_circle_at(&s->arriving, t), u);
    r = pm_quat_select(u == PM_REAL(0.0f), s->a, r);
    return pm_quat_select(u == PM_REAL(1.0f), s->b, r);
}

#endif
