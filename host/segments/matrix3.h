/* SPDX-License-Identifier: MIT
 *
 * 3x3 matrices in lanes of double, stored as columns.
 */
#ifndef PM_HOST_MATRIX3_H
#define PM_HOST_MATRIX3_H

#include "dquat.h"

typedef struct dmat3 {
    dvec3 x, y, z;
} dmat3;

static inline dmat3 dmat3_diagonal(double value) {
    dreal d = dreal_of(value), none = {0};
    return (dmat3){{d, none, none}, {none, d, none}, {none, none, d}};
}

/* s I + t [v]x + u v v^T */
static inline dmat3 dmat3_of(dvec3 v, dreal s, dreal t, dreal u) {
    dvec3 scaled = dvec3_scaled(v, u), turned = dvec3_scaled(v, t);
    dreal xy = scaled.x * v.y, xz = scaled.x * v.z, yz = scaled.y * v.z;
    return (dmat3){{s + scaled.x * v.x, xy + turned.z, xz - turned.y},
                   {xy - turned.z, s + scaled.y * v.y, yz + turned.x},
                   {xz + turned.y, yz - turned.x, s + scaled.z * v.z}};
}

/* m += a b^T */
static inline void dmat3_add_outer(dmat3 *m, dvec3 a, dvec3 b) {
    m->x = dvec3_sum(m->x, dvec3_scaled(a, b.x));
    m->y = dvec3_sum(m->y, dvec3_scaled(a, b.y));
    m->z = dvec3_sum(m->z, dvec3_scaled(a, b.z));
}

/* m += [v]x */
static inline void dmat3_add_cross(dmat3 *m, dvec3 v) {
    m->x.y += v.z;
    m->x.z -= v.y;
    m->y.x -= v.z;
    m->y.z += v.x;
    m->z.x += v.y;
    m->z.y -= v.x;
}

/* m += factor a */
static inline void dmat3_add(dmat3 *m, double factor, const dmat3 *a) {
    m->x = dvec3_sum(m->x, dvec3_times(a->x, factor));
    m->y = dvec3_sum(m->y, dvec3_times(a->y, factor));
    m->z = dvec3_sum(m->z, dvec3_times(a->z, factor));
}

static inline dmat3 dmat3_scaled(dmat3 m, double factor) {
    return (dmat3){dvec3_times(m.x, factor), dvec3_times(m.y, factor), dvec3_times(m.z, factor)};
}

static inline dvec3 dmat3_times(const dmat3 *m, dvec3 v) {
    return (dvec3){m->x.x * v.x + m->y.x * v.y + m->z.x * v.z,
                   m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                   m->x.z * v.x + m->y.z * v.y + m->z.z * v.z};
}

static inline dmat3 dmat3_product(const dmat3 *a, const dmat3 *b) {
    return (dmat3){dmat3_times(a, b->x), dmat3_times(a, b->y), dmat3_times(a, b->z)};
}

/* By cofactors, without pivots, because pivots would differ from lane to lane. */
static inline dmat3 dmat3_inverse(const dmat3 *m) {
    dvec3 yz = dvec3_cross(m->y, m->z);
    dvec3 zx = dvec3_cross(m->z, m->x);
    dvec3 xy = dvec3_cross(m->x, m->y);
    dreal scale = 1 / dvec3_dot(m->x, yz);
    yz = dvec3_scaled(yz, scale);
    zx = dvec3_scaled(zx, scale);
    xy = dvec3_scaled(xy, scale);
    return (dmat3){{yz.x, zx.x, xy.x}, {yz.y, zx.y, xy.y}, {yz.z, zx.z, xy.z}};
}

#endif
