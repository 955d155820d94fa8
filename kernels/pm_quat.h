/* SPDX-License-Identifier: MIT
 *
 * Quaternions of `real`: a single one, or one in each lane. Arithmetic only; pm_memory.h
 * loads and stores them.
 */
#ifndef PM_QUAT_H
#define PM_QUAT_H

#include "pm_lang.h"

typedef struct pm_quat {
    real x, y, z, w;
} pm_quat;

pm_fn pm_quat pm_quat_of(real x, real y, real z, real w) {
    pm_quat q;
    q.x = x;
    q.y = y;
    q.z = z;
    q.w = w;
    return q;
}

pm_fn pm_quat pm_quat_sum(pm_quat a, pm_quat b) {
    return pm_quat_of(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

pm_fn pm_quat pm_quat_difference(pm_quat a, pm_quat b) {
    return pm_quat_of(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

pm_fn pm_quat pm_quat_scaled(pm_quat a, real s) {
    return pm_quat_of(a.x * s, a.y * s, a.z * s, a.w * s);
}

/* a + s b */
pm_fn pm_quat pm_quat_plus(pm_quat a, real s, pm_quat b) {
    return pm_quat_of(pm_fma(s, b.x, a.x), pm_fma(s, b.y, a.y), pm_fma(s, b.z, a.z),
                      pm_fma(s, b.w, a.w));
}

/* r a + s b. For finite numbers exactly b at r = 0, s = 1, and exactly a at r = 1, s = 0. */
pm_fn pm_quat pm_quat_blend(real r, pm_quat a, real s, pm_quat b) {
    return pm_quat_plus(pm_quat_scaled(a, r), s, b);
}

pm_fn real pm_quat_dot(pm_quat a, pm_quat b) {
    return pm_fma(a.x, b.x, pm_fma(a.y, b.y, pm_fma(a.z, b.z, a.w * b.w)));
}

pm_fn pm_quat pm_quat_conjugate(pm_quat a) {
    return pm_quat_of(-a.x, -a.y, -a.z, a.w);
}

pm_fn real pm_quat_norm2(pm_quat a) {
    return pm_fma(a.x, a.x, a.y * a.y) + pm_fma(a.z, a.z, a.w * a.w);
}

pm_fn pm_quat pm_quat_select(pm_mask mask, pm_quat yes, pm_quat no) {
    return pm_quat_of(pm_select(mask, yes.x, no.x), pm_select(mask, yes.y, no.y),
                      pm_select(mask, yes.z, no.z), pm_select(mask, yes.w, no.w));
}

/* Hamilton product a b: rotates by b first, then by a. */
pm_fn pm_quat pm_quat_product(pm_quat a, pm_quat b) {
    return pm_quat_of(pm_fma(a.w, b.x, pm_fma(a.x, b.w, pm_fma(a.y, b.z, -a.z * b.y))),
                      pm_fma(a.w, b.y, pm_fma(a.y, b.w, pm_fma(a.z, b.x, -a.x * b.z))),
                      pm_fma(a.w, b.z, pm_fma(a.z, b.w, pm_fma(a.x, b.y, -a.y * b.x))),
                      pm_fma(a.w, b.w, pm_fma(-a.x, b.x, pm_fma(-a.y, b.y, -a.z * b.z))));
}

/* Of vectors. */
pm_fn pm_quat pm_cross(pm_quat a, pm_quat b) {
    return pm_quat_of(pm_fma(a.y, b.z, -(a.z * b.y)), pm_fma(a.z, b.x, -(a.x * b.z)),
                      pm_fma(a.x, b.y, -(a.y * b.x)), PM_REAL(0.0f));
}

/* One Newton step towards unit length, for quaternions already within 1e-3 of it. */
pm_fn pm_quat pm_quat_renormalized(pm_quat a) {
    return pm_quat_scaled(a, pm_fma(PM_REAL(-0.5f), pm_quat_norm2(a), PM_REAL(1.5f)));
}

#endif
