/* SPDX-License-Identifier: MIT
 *
 * Swing-twist interpolation (spec: methods, section 4): r = q S^ts T^tt. The clip
 * stores the logarithms of S and T, so that powers are products, and the two windows
 * that make ts and tt of u.
 */
#ifndef PM_STERP_H
#define PM_STERP_H

#include "pm_math.h"
#include "pm_rows.h"

#define pm_sterp_extras 2  /* log S, log T */
#define pm_sterp_statics 2 /* swing window, twist window */

typedef struct pm_sterp_segment {
    pm_quat a, b;
    pm_quat swing, twist; /* half-angle vectors, |.| <= pi/2; w unused */
    real swing2, twist2;  /* their squared lengths */
    pm_quat swing_window, twist_window;
} pm_sterp_segment;

pm_fn real pm_vector_norm2(pm_quat v) {
    return pm_fma(v.x, v.x, pm_fma(v.y, v.y, v.z * v.z));
}

pm_fn pm_sterp_segment pm_sterp_begin(const pm_rows *rows) {
    pm_sterp_segment s;
    s.a = rows->key;
    s.b = rows->next;
    s.swing = rows->extras[0];
    s.twist = rows->extras[1];
    s.swing2 = pm_vector_norm2(s.swing);
    s.twist2 = pm_vector_norm2(s.twist);
    s.swing_window = rows->statics[0];
    s.twist_window = rows->statics[1];
    return s;
}

/* clamp((u - begin)/(end - begin)). The window's begin is x + y, y what float32
 * rounding left over: u - x is exact near it, so a short window costs no accuracy.
 * z is 1/(end - begin). */
pm_fn real pm_window_at(pm_quat window, real u) {
    real zero = PM_REAL(0.0f);
    real one = PM_REAL(1.0f);
    real t = ((u - window.x) - window.y) * window.z;
    t = pm_select(t > zero, t, zero);
    return pm_select(t < one, t, one);
}

/* exp(t v) of a half-angle vector v of squared length v2 */
pm_fn pm_quat pm_power(pm_quat v, real v2, real t) {
    real x2 = t * t * v2;
    real s = t * pm_sinc(x2);
    return pm_quat_of(s * v.x, s * v.y, s * v.z, pm_cos(x2));
}

pm_fn pm_quat pm_sterp_at(const pm_sterp_segment *s, real u) {
    pm_quat swing = pm_power(s->swing, s->swing2, pm_window_at(s->swing_window, u));
    pm_quat twist = pm_power(s->twist, s->twist2, pm_window_at(s->twist_window, u));
    pm_quat r = pm_quat_product(s->a, pm_quat_product(swing, twist));
    r = pm_quat_select(u == PM_REAL(0.0f), s->a, r);
    return pm_quat_select(u == PM_REAL(1.0f), s->b, r);
}

#endif
