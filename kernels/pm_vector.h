/* SPDX-License-Identifier: MIT
 *
 * Positions and scales (spec: methods, section 7): step, linear and cubic in each
 * component. They travel as quaternions whose w is unused.
 */
#ifndef PM_VECTOR_H
#define PM_VECTOR_H

#include "pm_rows.h"

#define pm_vector_step_extras 0
#define pm_vector_step_statics 0
#define pm_vector_linear_extras 0
#define pm_vector_linear_statics 0
#define pm_vector_cubic_extras 2 /* slopes at both ends, times the segment's length */
#define pm_vector_cubic_statics 0

typedef struct pm_vector_linear_segment {
    pm_quat a, b;
} pm_vector_linear_segment;

pm_fn pm_vector_linear_segment pm_vector_linear_begin(const pm_rows *rows) {
    pm_vector_linear_segment s;
    s.a = rows->key;
    s.b = rows->next;
    return s;
}

pm_fn pm_quat pm_vector_linear_at(const pm_vector_linear_segment *s, real u) {
    return pm_quat_blend(PM_REAL(1.0f) - u, s->a, u, s->b);
}

typedef pm_vector_linear_segment pm_vector_step_segment;

pm_fn pm_vector_step_segment pm_vector_step_begin(const pm_rows *rows) {
    return pm_vector_linear_begin(rows);
}

pm_fn pm_quat pm_vector_step_at(const pm_vector_step_segment *s, real u) {
    (void)u;
    return s->a;
}

typedef struct pm_vector_cubic_segment {
    pm_quat a, b, leaving, arriving;
} pm_vector_cubic_segment;

pm_fn pm_vector_cubic_segment pm_vector_cubic_begin(const pm_rows *rows) {
    pm_vector_cubic_segment s;
    s.a = rows->key;
    s.b = rows->next;
    s.leaving = rows->extras[0];
    s.arriving = rows->extras[1];
    return s;
}

/* Hermite's weights */
pm_fn pm_quat pm_vector_cubic_at(const pm_vector_cubic_segment *s, real u) {
    real v = PM_REAL(1.0f) - u;
    real to_b = u * u * pm_fma(PM_REAL(-2.0f), u, PM_REAL(3.0f));
    real to_a = v * v * pm_fma(PM_REAL(-2.0f), v, PM_REAL(3.0f));
    pm_quat r = pm_quat_blend(u * v * v, s->leaving, -(u * u * v), s->arriving);
    return pm_quat_plus(pm_quat_plus(r, to_a, s->a), to_b, s->b);
}

#endif
