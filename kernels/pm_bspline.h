/* SPDX-License-Identifier: MIT
 *
 * The cumulative uniform cubic B-spline (spec: methods, section 7): with the logarithms
 * l0, l1, l2 of the steps before, of and after the segment,
 *   r = q exp((b0 - 1) l0) exp(b1 l1) exp(b2 l2),
 * b0, b1, b2 the cumulative basis. It approximates its keys.
 */
#ifndef PM_BSPLINE_H
#define PM_BSPLINE_H

#include "pm_math.h"
#include "pm_rows.h"

#define pm_bspline_extras 3 /* l0, l1, l2, each with its squared length as w */
#define pm_bspline_statics 0
#define pm_bspline_passes 0

typedef struct pm_bspline_segment {
    pm_quat a, before, during, after;
} pm_bspline_segment;

pm_fn pm_bspline_segment pm_bspline_begin(const pm_rows *rows) {
    pm_bspline_segment s;
    s.a = rows->key;
    s.before = rows->extras[0];
    s.during = rows->extras[1];
    s.after = rows->extras[2];
    return s;
}

/* exp(t l) of a half-angle vector l of at most pi/2 */
pm_fn pm_quat pm_bspline_power(pm_quat l, real t) {
    pm_turn turn = pm_turn_narrow(pm_square_times(t, l.w));
    real s = t * turn.sine;
    return pm_quat_of(s * l.x, s * l.y, s * l.z, turn.cosine);
}

pm_fn pm_quat pm_bspline_at(const pm_bspline_segment *s, real u) {
    real v = PM_REAL(1.0f) - u;
    real sixth = PM_REAL(0.166666672f);
    real u2 = u * u;
    real before = -sixth * v * v * v; /* (5 + 3u - 3u^2 + u^3)/6 - 1 */
    real after = sixth * u2 * u;
    /* (1 + 3u + 3u^2 - 2u^3)/6 */
    real during = pm_fma(PM_REAL(-2.0f), u, PM_REAL(3.0f));
    during = sixth * pm_fma(u, pm_fma(during, u, PM_REAL(3.0f)), PM_REAL(1.0f));
    pm_quat r =
        pm_quat_product(pm_bspline_power(s->during, during), pm_bspline_power(s->after, after));
    r = pm_quat_product(pm_bspline_power(s->before, before), r);
    return pm_quat_renormalized(pm_quat_product(s->a, r));
}

#endif
