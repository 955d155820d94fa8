/* SPDX-License-Identifier: MIT
 *
 * Squad at any key times (spec: methods, section 5). The inner points a and b may lie
 * at any angle, so the clip stores their slerp as middle m and half arc d: its value
 * at s = 2u - 1 is cos(s phi) m + sin(s phi)/phi d with phi = |d|, which has no
 * special case. With the limiter the two inner values are never more than pi/2
 * apart; `squad_unlimited` is the same curve without that promise.
 */
#ifndef PM_SQUAD_H
#define PM_SQUAD_H

#include "pm_slerp.h"

#define pm_squad_extras 2 /* m, d */
#define pm_squad_statics 0
#define pm_squad_unlimited_extras 2
#define pm_squad_unlimited_statics 0

typedef struct pm_squad_segment {
    pm_quat a, b;
    pm_arc arc;
    pm_quat middle, half_arc;
    real phi2;
} pm_squad_segment;

pm_fn pm_squad_segment pm_squad_begin(const pm_rows *rows) {
    pm_squad_segment s;
    s.a = rows->key;
    s.b = rows->next;
    s.arc = pm_arc_between(s.a, s.b);
    s.middle = rows->extras[0];
    s.half_arc = rows->extras[1];
    s.phi2 = pm_quat_norm2(s.half_arc);
    return s;
}

pm_fn pm_quat pm_squad_inner(const pm_squad_segment *s, real u) {
    real t = u - (PM_REAL(1.0f) - u);
    real x2 = t * t * s->phi2;
    return pm_quat_blend(pm_cos(x2), s->middle, t * pm_sinc(x2), s->half_arc);
}

pm_fn real pm_squad_weight(real u) {
    return PM_REAL(2.0f) * u * (PM_REAL(1.0f) - u);
}

pm_fn pm_quat pm_squad_at(const pm_squad_segment *s, real u) {
    pm_quat chord = pm_slerp_arc(s->arc, s->a, s->b, u);
    pm_quat inner = pm_squad_inner(s, u);
    return pm_slerp_arc(pm_arc_between(chord, inner), chord, inner, pm_squad_weight(u));
}

typedef pm_squad_segment pm_squad_unlimited_segment;

pm_fn pm_squad_unlimited_segment pm_squad_unlimited_begin(const pm_rows *rows) {
    return pm_squad_begin(rows);
}

/* Slerp of unit quaternions at any angle, without a flip; exactly antipodal operands
 * turn by way of a i. */
pm_fn pm_quat pm_slerp_any(pm_quat a, pm_quat b, real u) {
    pm_quat sum = pm_quat_sum(a, b);
    pm_quat difference = pm_quat_difference(b, a);
    real sum2 = pm_quat_norm2(sum);
    real difference2 = pm_quat_norm2(difference);
    real one = PM_REAL(1.0f);
    pm_mask antipodal = sum2 < PM_REAL(1e-12f);
    pm_mask equal = difference2 < PM_REAL(1e-12f);
    real length = pm_sqrt(sum2);
    real chord = pm_sqrt(difference2);
    real phi = pm_atan2_quadrant(chord, length);
    real t = u - (one - u);
    real x2 = t * t * phi * phi;
    pm_quat middle = pm_quat_scaled(sum, one / pm_select(antipodal, one, length));
    middle = pm_quat_select(antipodal, pm_quat_of(a.w, a.z, -a.y, -a.x), middle);
    real slope = pm_select(equal, PM_REAL(0.5f), phi / pm_select(equal, one, chord));
    pm_quat r = pm_quat_blend(pm_cos(x2), middle, t * pm_sinc(x2) * slope, difference);
    r = pm_quat_select(u == PM_REAL(0.0f), a, r);
    return pm_quat_select(u == one, b, r);
}

pm_fn pm_quat pm_squad_unlimited_at(const pm_squad_unlimited_segment *s, real u) {
    pm_quat chord = pm_slerp_arc(s->arc, s->a, s->b, u);
    return pm_slerp_any(chord, pm_squad_inner(s, u), pm_squad_weight(u));
}

#endif
