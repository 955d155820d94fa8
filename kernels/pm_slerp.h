/* SPDX-License-Identifier: MIT
 *
 * The methods that know two keys: step, nlerp and slerp (spec: methods, section 3).
 * Keys are unrolled, so the 4-D angle theta between them is at most pi/2 and nothing
 * here flips a sign. No root, no quotient, no trigonometry, no branch.
 */
#ifndef PM_SLERP_H
#define PM_SLERP_H

#include "pm_math.h"
#include "pm_rows.h"

#define pm_step_extras 0
#define pm_step_statics 0
#define pm_nlerp_extras 0
#define pm_nlerp_statics 0
#define pm_slerp_extras 0
#define pm_slerp_statics 0

/* sin(theta/2)^2 of the 4-D angle theta between unit quaternions. */
pm_fn real pm_half_chord2(pm_quat a, pm_quat b) {
    return PM_REAL(0.25f) * pm_quat_norm2(pm_quat_difference(b, a));
}

typedef struct pm_step_segment {
    pm_quat a, b;
} pm_step_segment;

pm_fn pm_step_segment pm_step_begin(const pm_rows *rows) {
    pm_step_segment s;
    s.a = rows->key;
    s.b = rows->next;
    return s;
}

/* u is 1 only at the very last key. */
pm_fn pm_quat pm_step_at(const pm_step_segment *s, real u) {
    return pm_quat_select(u == PM_REAL(1.0f), s->b, s->a);
}

typedef struct pm_nlerp_segment {
    pm_quat a, b;
    real chord2; /* |b - a|^2 */
} pm_nlerp_segment;

pm_fn pm_nlerp_segment pm_nlerp_begin(const pm_rows *rows) {
    pm_nlerp_segment s;
    s.a = rows->key;
    s.b = rows->next;
    s.chord2 = pm_quat_norm2(pm_quat_difference(s.b, s.a));
    return s;
}

/* The squared length of the mix is 1 - u(1-u)|b-a|^2. */
pm_fn pm_quat pm_nlerp_at(const pm_nlerp_segment *s, real u) {
    real v = PM_REAL(1.0f) - u;
    real scale = pm_inverse_root(u * v * s->chord2);
    return pm_quat_blend(v * scale, s->a, u * scale, s->b);
}

/* What weights along an arc of 4-D angle theta in [0, pi/2] depend on. */
typedef struct pm_arc {
    real gain;   /* theta/sin(theta) */
    real angle2; /* theta^2 */
} pm_arc;

/* y = sin(theta/2)^2 */
pm_fn pm_arc pm_arc_of(real y) {
    pm_arc arc;
    arc.gain = pm_arc_gain(y);
    /* theta^2 = gain^2 sin(theta)^2 and sin(theta)^2 = 4 y (1 - y) */
    arc.angle2 = PM_REAL(4.0f) * y * (PM_REAL(1.0f) - y) * arc.gain * arc.gain;
    return arc;
}

pm_fn pm_arc pm_arc_between(pm_quat a, pm_quat b) {
    return pm_arc_of(pm_half_chord2(a, b));
}

/* sin(u theta)/sin(theta); within rounding of 1 at 1. */
pm_fn real pm_arc_weight(pm_arc arc, real u) {
    return u * arc.gain * pm_sinc(u * u * arc.angle2);
}

/* The slerp of a and b, which come out bit for bit at the ends. */
pm_fn pm_quat pm_slerp_arc(pm_arc arc, pm_quat a, pm_quat b, real u) {
    real one = PM_REAL(1.0f);
    real v = one - u;
    real wa = pm_select(v == one, one, pm_arc_weight(arc, v));
    real wb = pm_select(u == one, one, pm_arc_weight(arc, u));
    return pm_quat_blend(wa, a, wb, b);
}

typedef struct pm_slerp_segment {
    pm_quat a, b;
    pm_arc arc;
} pm_slerp_segment;

pm_fn pm_slerp_segment pm_slerp_begin(const pm_rows *rows) {
    pm_slerp_segment s;
    s.a = rows->key;
    s.b = rows->next;
    s.arc = pm_arc_between(s.a, s.b);
    return s;
}

pm_fn pm_quat pm_slerp_at(const pm_slerp_segment *s, real u) {
    return pm_slerp_arc(s->arc, s->a, s->b, u);
}

#endif
