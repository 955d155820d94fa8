/* SPDX-License-Identifier: MIT
 *
 * Quaternions and vectors in double, for what is computed once when a clip is built.
 */
#ifndef PM_HOST_DQUAT_H
#define PM_HOST_DQUAT_H

#include <math.h>

typedef struct dvec3 {
    double x, y, z;
} dvec3;

typedef struct dquat {
    double x, y, z, w;
} dquat;

static inline dvec3 dvec3_of(double x, double y, double z) {
    return (dvec3){x, y, z};
}

static inline dvec3 dvec3_scaled(dvec3 a, double s) {
    return dvec3_of(a.x * s, a.y * s, a.z * s);
}

/* r a + s b */
static inline dvec3 dvec3_blend(double r, dvec3 a, double s, dvec3 b) {
    return dvec3_of(r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z);
}

static inline double dvec3_dot(dvec3 a, dvec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dvec3 dvec3_cross(dvec3 a, dvec3 b) {
    return dvec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline dquat dquat_blend(double r, dquat a, double s, dquat b) {
    return (dquat){r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z, r * a.w + s * b.w};
}

static inline dquat dquat_scaled(dquat a, double s) {
    return (dquat){a.x * s, a.y * s, a.z * s, a.w * s};
}

static inline dquat dquat_difference(dquat a, dquat b) {
    return dquat_blend(1, a, -1, b);
}

static inline double dquat_dot(dquat a, dquat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline double dquat_norm(dquat a) {
    return sqrt(dquat_dot(a, a));
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

/* Of a half-angle vector. */
static inline dquat dquat_exp(dvec3 v) {
    double angle = sqrt(dvec3_dot(v, v));
    double s = angle > 0 ? sin(angle) / angle : 1;
    return (dquat){s * v.x, s * v.y, s * v.z, cos(angle)};
}

/* The half-angle vector of a quaternion of any positive norm, at most pi long. */
static inline dvec3 dquat_log(dquat q) {
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double s = length > 0 ? atan2(length, q.w) / length : 0;
    return dvec3_of(s * q.x, s * q.y, s * q.z);
}

static inline dvec3 dquat_rotate_back(dquat q, dvec3 v) {
    dquat r = dquat_product(dquat_conjugate(q), dquat_product((dquat){v.x, v.y, v.z, 0}, q));
    return dvec3_of(r.x, r.y, r.z);
}

#endif
