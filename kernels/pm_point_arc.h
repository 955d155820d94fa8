/* SPDX-License-Identifier: MIT
 *
 * Points in float32 that an arc moves: a rotation and a way of constant speed from one key to the next (docs/points.md),
 * with what is fixed on both sides. With a = M p + m, which is the point at the key, y = v x a (+ way) and
 * x = u |v|,
 *   T + a + u sin(x)/x y + u^2 (1 - cos x)/x^2 v x y + u way,
 * where a screw has u^3 (x - sin x)/x^3 (v . way) v in place of the last term.
 */
#ifndef PM_POINT_ARC_H
#define PM_POINT_ARC_H

#include "pm_quat.h"

typedef struct pm_point_arc {
    pm_quat rows[3]; /* of M; w: m */
    pm_quat v;       /* w: |v|^2, up to PM_LITTLE_TURN2 */
    pm_quat way;     /* w: v . way */
    pm_quat t;
} pm_point_arc;

#define PM_POINT_ARC_FLOATS 24
#define PM_LITTLE_TURN2 0.25 /* rad^2: four terms of the series are within 2e-8 */

/* Which of the parts of a segment, a power of 2, has u, which becomes that of the part, exactly. One number. */
pm_fn pm_u32 pm_point_part(pm_u32 parts, float *u) {
    float all = *u * (float)parts;
    pm_u32 part = (pm_u32)all < parts ? (pm_u32)all : parts - 1;
    *u = all - (float)part;
    return part;
}

pm_fn real pm_row_times(pm_quat row, pm_quat p) {
    return pm_fma(row.x, p.x, pm_fma(row.y, p.y, pm_fma(row.z, p.z, row.w)));
}

pm_fn pm_quat pm_turned_by(pm_quat v, pm_quat a) {
    return pm_quat_of(pm_fma(v.y, a.z, -(v.z * a.y)), pm_fma(v.z, a.x, -(v.x * a.z)),
                      pm_fma(v.x, a.y, -(v.y * a.x)), PM_REAL(0.0f));
}

/* `screw` is a compile-time constant, or the same in all work-items. */
pm_fn pm_quat pm_point_along(pm_point_arc arc, int screw, real u, pm_quat p) {
    pm_quat a = pm_quat_of(pm_row_times(arc.rows[0], p), pm_row_times(arc.rows[1], p),
                           pm_row_times(arc.rows[2], p), PM_REAL(0.0f));
    pm_quat y = pm_turned_by(arc.v, a);
    real along = u, u2 = u * u, x2 = u2 * arc.v.w;
    real s = pm_fma(x2, PM_REAL(-1.98412698e-4f), PM_REAL(8.33333333e-3f));
    real c = pm_fma(x2, PM_REAL(-2.48015873e-5f), PM_REAL(1.38888889e-3f));
    s = pm_fma(x2, pm_fma(x2, s, PM_REAL(-0.166666667f)), PM_REAL(1.0f));
    c = pm_fma(x2, pm_fma(x2, c, PM_REAL(-4.16666667e-2f)), PM_REAL(0.5f));
    pm_quat to = arc.way;
    if (screw) {
        real d = pm_fma(x2, PM_REAL(1.98412698e-4f), PM_REAL(-8.33333333e-3f));
        along = u * u2 * pm_fma(x2, d, PM_REAL(0.166666667f)) * arc.way.w;
        y = pm_quat_of(y.x + arc.way.x, y.y + arc.way.y, y.z + arc.way.z, y.w);
        to = arc.v;
    }
    a = pm_quat_plus(a, u * s, y);
    a = pm_quat_plus(a, u2 * c, pm_turned_by(arc.v, y));
    a = pm_quat_plus(a, along, to);
    return pm_quat_sum(arc.t, a);
}

/* A moved point; NaN where a coordinate of p is not finite. */
pm_fn pm_quat pm_point_unless_odd(pm_quat moved, pm_quat p) {
    real none = (p.x * PM_REAL(0.0f) + p.y * PM_REAL(0.0f)) + p.z * PM_REAL(0.0f);
    return pm_quat_of(moved.x + none, moved.y + none, moved.z + none, moved.w);
}

pm_fn pm_quat pm_point_moved_by(pm_point_arc arc, int screw, real u, pm_quat p) {
    return pm_point_unless_odd(pm_point_along(arc, screw, u, p), p);
}

#endif
