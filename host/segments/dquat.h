/* SPDX-License-Identifier: MIT
 *
 * Quaternions and vectors in lanes of double, for computations that are done once, when a clip
 * is built.
 */
#ifndef PM_HOST_DQUAT_H
#define PM_HOST_DQUAT_H

#include "lanes.h"

typedef struct dvec3 {
    dreal x, y, z;
} dvec3;

typedef struct dquat {
    dreal x, y, z, w;
} dquat;

static inline dvec3 dvec3_sum(dvec3 a, dvec3 b) {
    return (dvec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline dvec3 dvec3_difference(dvec3 a, dvec3 b) {
    return (dvec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline dvec3 dvec3_scaled(dvec3 a, dreal s) {
    return (dvec3){a.x * s, a.y * s, a.z * s};
}

/* Scaled by the same number in all lanes. */
static inline dvec3 dvec3_times(dvec3 a, double s) {
    return (dvec3){a.x * s, a.y * s, a.z * s};
}

/* r a + s b */
static inline dvec3 dvec3_blend(double r, dvec3 a, double s, dvec3 b) {
    return (dvec3){r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z};
}

static inline dreal dvec3_dot(dvec3 a, dvec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dreal dvec3_norm(dvec3 a) {
    return dreal_sqrt(dvec3_dot(a, a));
}

static inline dvec3 dvec3_cross(dvec3 a, dvec3 b) {
    return (dvec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline dvec3 dvec3_select(dmask mask, dvec3 yes, dvec3 no) {
    return (dvec3){dreal_select(mask, yes.x, no.x), dreal_select(mask, yes.y, no.y),
                   dreal_select(mask, yes.z, no.z)};
}

/* (v, w) */
static inline dquat dquat_of(dvec3 v, dreal w) {
    return (dquat){v.x, v.y, v.z, w};
}

static inline dvec3 dquat_vector(dquat a) {
    return (dvec3){a.x, a.y, a.z};
}

static inline dquat dquat_sum(dquat a, dquat b) {
    return (dquat){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

static inline dquat dquat_difference(dquat a, dquat b) {
    return (dquat){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

static inline dquat dquat_scaled(dquat a, dreal s) {
    return (dquat){a.x * s, a.y * s, a.z * s, a.w * s};
}

static inline dreal dquat_dot(dquat a, dquat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline dreal dquat_norm(dquat a) {
    return dreal_sqrt(dquat_dot(a, a));
}

static inline dquat dquat_unit(dquat a) {
    return dquat_scaled(a, 1 / dquat_norm(a));
}

static inline dquat dquat_product(dquat a, dquat b) {
    return (dquat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                   a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline dquat dquat_conjugate(dquat a) {
    return (dquat){-a.x, -a.y, -a.z, a.w};
}

static inline dquat dquat_select(dmask mask, dquat yes, dquat no) {
    return (dquat){dreal_select(mask, yes.x, no.x), dreal_select(mask, yes.y, no.y),
                   dreal_select(mask, yes.z, no.z), dreal_select(mask, yes.w, no.w)};
}

/* a, or -a where the mask is set */
static inline dquat dquat_flipped(dquat a, dmask mask) {
    return dquat_select(mask, (dquat){-a.x, -a.y, -a.z, -a.w}, a);
}

/* The quaternion of a half-angle vector. */
static inline dquat dquat_exp(dvec3 v) {
    dturn turn = dreal_turn(dvec3_norm(v));
    return dquat_of(dvec3_scaled(v, turn.sine), turn.cosine);
}

/* The half-angle vector, at most pi long, of a quaternion of any positive norm. */
static inline dvec3 dquat_log(dquat q) {
    dvec3 v = dquat_vector(q);
    dreal length = dvec3_norm(v);
    dmask turned = (dmask)(length > 0);
    dreal angle = dreal_atan2(length, q.w);
    return dvec3_scaled(v, dreal_where(turned, angle / length));
}

static inline dvec3 dquat_rotate_back(dquat q, dvec3 v) {
    dquat none = {0};
    return dquat_vector(dquat_product(dquat_conjugate(q), dquat_product(dquat_of(v, none.w), q)));
}

#endif
