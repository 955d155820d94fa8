/* SPDX-License-Identifier: MIT
 *
 * Transforms of rotation, translation and one scale, in double.
 */
#pragma once

#include <math.h>
#include <stdbool.h>

/* v' = s q(v) + p, with a unit quaternion q. */
typedef struct similarity {
    double q[4], p[3], s;
} similarity;

static const similarity similarity_identity = {{0, 0, 0, 1}, {0, 0, 0}, 1};

/* The result is neither of them. */
static inline void vector_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double vector_length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static inline double quat_length(const double q[4]) {
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

/* First b, then a; the result may be either. */
static inline void quat_multiply(const double a[4], const double b[4], double out[4]) {
    const double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const double y = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    const double z = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* Which of the units i, j, k and 1 a quaternion is, but for its sign; -1: none. */
static inline int quat_unit_of(const double q[4]) {
    for (int i = 0; i < 4; i++)
        if (fabs(q[i]) == 1)
            return i;
    return -1;
}

/* Of unit quaternions within 1e-3. A gap, which is NaN, has no length. */
static inline bool quat_is_unit(const double q[4]) {
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return !(fabs(square - 1.0) > 2e-3);
}

static inline double quat_largest(const double q[4]) {
    return fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
}

/* The largest number is divided by first, so that no square overflows. */
static inline void quat_normalise(double q[4]) {
    const double most = quat_largest(q);
    for (int i = 0; i < 4; i++)
        q[i] /= most;
    const double length = quat_length(q);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

static inline void quat_rotate(const double q[4], const double v[3], double out[3]) {
    double t[3], turned[3];
    for (int i = 0; i < 3; i++)
        t[i] = 2 * (q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        turned[i] =
            v[i] + q[3] * t[i] + q[(i + 1) % 3] * t[(i + 2) % 3] - q[(i + 2) % 3] * t[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        out[i] = turned[i];
}

static inline similarity similarity_product(const similarity *a, const similarity *b) {
    similarity r = {.s = a->s * b->s};
    quat_multiply(a->q, b->q, r.q);
    quat_rotate(a->q, b->p, r.p);
    for (int i = 0; i < 3; i++)
        r.p[i] = a->p[i] + a->s * r.p[i];
    return r;
}

static inline similarity similarity_inverse(const similarity *a) {
    similarity r = {.q = {-a->q[0], -a->q[1], -a->q[2], a->q[3]}, .s = 1 / a->s};
    quat_rotate(r.q, a->p, r.p);
    for (int i = 0; i < 3; i++)
        r.p[i] *= -r.s;
    return r;
}
