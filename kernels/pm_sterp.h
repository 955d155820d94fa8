/* SPDX-License-Identifier: MIT
 *
 * Swing-twist interpolation (spec: methods, section 4): r = q S^ts T^tt. The clip
 * stores the logarithms of S and T with their squared lengths, and the two windows
 * that make ts and tt of u.
 */
#ifndef PM_STERP_H
#define PM_STERP_H

#include "pm_math.h"
#include "pm_rows.h"

#define pm_sterp_extras 2  /* log S, log T */
#define pm_sterp_statics 2 /* swing window, twist window */

/* With swing vector v and twist vector l, at right angles,
 *   q exp(v) exp(l) = cos cos q + sinc cos (q v) + cos sinc (q l) + sinc sinc (q (v x l)):
 * four quaternions that the samples of a segment share. */
typedef struct pm_sterp_segment {
    pm_quat a, b;
    pm_quat swing, twist, both; /* q v, q l, q (v x l) */
    real swing2, twist2;        /* |v|^2, |l|^2: each at most (pi/2)^2 */
    pm_quat swing_window, twist_window;
} pm_sterp_segment;

/* q (v, 0) */
pm_fn pm_quat pm_times_vector(pm_quat q, pm_quat v) {
    return pm_quat_of(pm_fma(q.w, v.x, pm_fma(q.y, v.z, -q.z * v.y)),
                      pm_fma(q.w, v.y, pm_fma(q.z, v.x, -q.x * v.z)),
                      pm_fma(q.w, v.z, pm_fma(q.x, v.y, -q.y * v.x)),
                      pm_fma(-q.x, v.x, pm_fma(-q.y, v.y, -q.z * v.z)));
}

pm_fn pm_quat pm_cross(pm_quat v, pm_quat w) {
    return pm_quat_of(pm_fma(v.y, w.z, -v.z * w.y), pm_fma(v.z, w.x, -v.x * w.z),
                      pm_fma(v.x, w.y, -v.y * w.x), PM_REAL(0.0f));
}

pm_fn pm_sterp_segment pm_sterp_begin(const pm_rows *rows) {
    pm_sterp_segment s;
    pm_quat swing = rows->extras[0];
    pm_quat twist = rows->extras[1];
    s.a = rows->key;
    s.b = rows->next;
    s.swing = pm_times_vector(s.a, swing);
    s.twist = pm_times_vector(s.a, twist);
    s.both = pm_times_vector(s.a, pm_cross(swing, twist));
    s.swing2 = swing.w;
    s.twist2 = twist.w;
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

/* cos(t x) and sin(t x)/x of x^2 */
typedef struct pm_turn {
    real cosine, sine;
} pm_turn;

pm_fn pm_turn pm_turn_of(real x2, real t) {
    pm_turn turn;
    real tx2 = pm_square_times(t, x2);
    turn.cosine = pm_cos(tx2);
    turn.sine = t * pm_sinc(tx2);
    return turn;
}

pm_fn pm_quat pm_sterp_at(const pm_sterp_segment *s, real u) {
    pm_turn swing = pm_turn_of(s->swing2, pm_window_at(s->swing_window, u));
    pm_turn twist = pm_turn_of(s->twist2, pm_window_at(s->twist_window, u));
    pm_quat r =
        pm_quat_blend(swing.sine * twist.sine, s->both, swing.cosine * twist.sine, s->twist);
    r = pm_quat_plus(r, swing.sine * twist.cosine, s->swing);
    r = pm_quat_plus(r, swing.cosine * twist.cosine, s->a);
    r = pm_quat_select(u == PM_REAL(0.0f), s->a, r);
    return pm_quat_select(u == PM_REAL(1.0f), s->b, r);
}

#endif
