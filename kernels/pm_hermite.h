/* SPDX-License-Identifier: MIT
 *
 * Cubics in the space of rotation vectors (spec: methods, section 7): q exp(rho/2), rho
 * a cubic in u. `hermite` and `spline` differ in how the clip finds the velocities; the
 * curve is one. The clip stores q times the cubic's coefficients, so that
 *   r = cos|v| q + sin|v|/|v| (q v),  q v = u (c1 + u (c2 + u c3)).
 */
#ifndef PM_HERMITE_H
#define PM_HERMITE_H

#include "pm_math.h"
#include "pm_rows.h"

#define pm_hermite_extras 3 /* c1, c2, c3 */
#define pm_hermite_statics 0
#define pm_hermite_passes 1
#define pm_hermite_wide_extras pm_hermite_extras
#define pm_hermite_wide_statics 0
#define pm_hermite_wide_passes 1

typedef struct pm_hermite_segment {
    pm_quat a, c1, c2, c3;
} pm_hermite_segment;

pm_fn pm_hermite_segment pm_hermite_begin(const pm_rows *rows) {
    pm_hermite_segment s;
    s.a = rows->key;
    s.c1 = rows->extras[0];
    s.c2 = rows->extras[1];
    s.c3 = rows->extras[2];
    return s;
}

pm_fn pm_quat pm_hermite_vector(const pm_hermite_segment *s, real u) {
    pm_quat v = pm_quat_plus(s->c2, u, s->c3);
    v = pm_quat_plus(s->c1, u, v);
    return pm_quat_scaled(v, u);
}

/* |v| at most pi/2 throughout the segment */
pm_fn pm_quat pm_hermite_at(const pm_hermite_segment *s, real u) {
    pm_quat v = pm_hermite_vector(s, u);
    pm_turn turn = pm_turn_narrow(pm_quat_norm2(v));
    return pm_quat_renormalized(pm_quat_blend(turn.sine, v, turn.cosine, s->a));
}

typedef pm_hermite_segment pm_hermite_wide_segment;

pm_fn pm_hermite_wide_segment pm_hermite_wide_begin(const pm_rows *rows) {
    return pm_hermite_begin(rows);
}

pm_fn pm_quat pm_hermite_wide_at(const pm_hermite_wide_segment *s, real u) {
    pm_quat v = pm_hermite_vector(s, u);
    pm_turn turn = pm_turn_wide(pm_quat_norm2(v));
    return pm_quat_renormalized(pm_quat_blend(turn.sine, v, turn.cosine, s->a));
}

#endif
