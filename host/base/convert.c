/* SPDX-License-Identifier: MIT
 *
 * Euler angles and 3x3 matrices to and from quaternions, all in double. The same code handles
 * all twelve Euler orders: an order is its axes i, j, k and the sign in i * j = +-k. This file
 * does not depend on clips, devices or float32.
 */
#include "counts.h"
#include "eigen.h"
#include "elementary.h"
#include <posemill/posemill.h>

#include <float.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TURN 6.28318530717958647693

/* Sine of half the middle angle below which the first and third axis are treated as one.
 * Quaternions that were once float32 carry noise of 6e-8; without the limit, angles computed from
 * noise would replace steady ones. The error is at most 2e-7 rad. */
#define GIMBAL_LOCK 1e-7

typedef struct axes {
    unsigned char i, j, k; /* k is the third axis, even if the order does not rotate about it */
    bool proper;           /* the third rotation is about i again */
    double parity;         /* +1 when i * j = +k */
} axes;

static const char order_names[PM_EULER_COUNT][4] = {
    [PM_EULER_XYZ] = "XYZ", [PM_EULER_XZY] = "XZY", [PM_EULER_YXZ] = "YXZ", [PM_EULER_YZX] = "YZX",
    [PM_EULER_ZXY] = "ZXY", [PM_EULER_ZYX] = "ZYX", [PM_EULER_XYX] = "XYX", [PM_EULER_XZX] = "XZX",
    [PM_EULER_YXY] = "YXY", [PM_EULER_YZY] = "YZY", [PM_EULER_ZXZ] = "ZXZ", [PM_EULER_ZYZ] = "ZYZ",
};

size_t pm_euler_order_count(void) {
    return PM_EULER_COUNT;
}

const char *pm_euler_order_name(pm_euler_order order) {
    return (unsigned)order < PM_EULER_COUNT ? order_names[order] : NULL;
}

bool pm_euler_order_find(const char *name, pm_euler_order *order) {
    if (!name || !order)
        return false;
    for (int i = 0; i < PM_EULER_COUNT; i++)
        if (strcmp(name, order_names[i]) == 0) {
            *order = (pm_euler_order)i;
            return true;
        }
    return false;
}

static axes axes_of(pm_euler_order order) {
    const char *name = order_names[order];
    const int i = name[0] - 'X', j = name[1] - 'X';
    return (axes){.i = (unsigned char)i,
                  .j = (unsigned char)j,
                  .k = (unsigned char)(3 - i - j),
                  .proper = name[2] == name[0],
                  .parity = j == (i + 1) % 3 ? 1 : -1};
}

bool pm_quat_from_euler(pm_euler_order order, const double angles[3], double quaternion[4]) {
    if (!pm_euler_order_name(order) || !angles || !quaternion)
        return false;
    const axes a = axes_of(order);
    const double e = a.parity;
    const double c0 = pm_same_cos(0.5 * angles[0]), s0 = pm_same_sin(0.5 * angles[0]);
    const double c1 = pm_same_cos(0.5 * angles[1]), s1 = pm_same_sin(0.5 * angles[1]);
    const double c2 = pm_same_cos(0.5 * angles[2]), s2 = pm_same_sin(0.5 * angles[2]);
    if (a.proper) {
        quaternion[3] = c1 * (c0 * c2 - s0 * s2);
        quaternion[a.i] = c1 * (s0 * c2 + c0 * s2);
        quaternion[a.j] = s1 * (c0 * c2 + s0 * s2);
        quaternion[a.k] = e * s1 * (s0 * c2 - c0 * s2);
    } else {
        quaternion[3] = c0 * c1 * c2 - e * s0 * s1 * s2;
        quaternion[a.i] = s0 * c1 * c2 + e * c0 * s1 * s2;
        quaternion[a.j] = c0 * s1 * c2 - e * s0 * c1 * s2;
        quaternion[a.k] = c0 * c1 * s2 + e * s0 * s1 * c2;
    }
    return true;
}

/* The angle plus the number of whole turns that brings it nearest to `near`. */
static double nearest_turn(double angle, double near) {
    return angle - TURN * rint((angle - near) * (1.0 / TURN));
}

static double distance_to(const double angles[3], const double near[3]) {
    const double x = angles[0] - near[0], y = angles[1] - near[1], z = angles[2] - near[2];
    return x * x + y * y + z * z;
}

/* (cos, sin) pairs of half the sum and half the difference of the outer angles,
 * scaled by the cosine and the sine of half the middle one. */
typedef struct halves {
    double sum_cos, sum_sin, difference_cos, difference_sin;
} halves;

/* A Tait-Bryan order is the proper order i-j-i of q * (1 + j), with the middle angle increased by
 * a quarter turn and the third angle multiplied by -parity. Scale is irrelevant. */
static halves halves_of(axes a, const double q[4]) {
    const double e = a.parity;
    if (a.proper)
        return (halves){q[3], q[a.i], q[a.j], e * q[a.k]};
    return (halves){q[3] - q[a.j], q[a.i] - e * q[a.k], q[a.j] + q[3], e * q[a.k] + q[a.i]};
}

/* Scales a quaternion whose squared norm would overflow or underflow to a norm near 1. */
static void rescale(double q[4]) {
    const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (!(largest > 1e-100 && largest < 1e100) && largest > 0.0 && largest <= DBL_MAX) {
        int exponent = 0;
        (void)frexp(largest, &exponent);
        for (int n = 0; n < 4; n++)
            q[n] = ldexp(q[n], -exponent);
    }
}

/* Both outer axes coincide, so only the sum or the difference of the outer angles is defined. */
static void solve_locked(axes a, halves h, bool aligned, const double near[3], double angles[3]) {
    double middle = aligned ? 0.0 : PI;
    double third = aligned ? 2.0 * pm_same_atan2(h.sum_sin, h.sum_cos) - near[0]
                           : near[0] - 2.0 * pm_same_atan2(h.difference_sin, h.difference_cos);
    if (!a.proper) {
        middle -= 0.5 * PI;
        third *= -a.parity;
    }
    angles[0] = near[0];
    angles[1] = nearest_turn(middle, near[1]);
    angles[2] = nearest_turn(third, near[2]);
}

bool pm_euler_from_quat(pm_euler_order order, const double quaternion[4], const double near[3],
                        double angles[3]) {
    static const double zero[3] = {0.0, 0.0, 0.0};
    if (!pm_euler_order_name(order) || !quaternion || !angles)
        return false;
    const axes a = axes_of(order);
    const double nearest[3] = {(near ? near : zero)[0], (near ? near : zero)[1],
                               (near ? near : zero)[2]};
    double q[4] = {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
    rescale(q);
    const halves h = halves_of(a, q);
    const double aligned = h.sum_cos * h.sum_cos + h.sum_sin * h.sum_sin;
    const double opposed =
        h.difference_cos * h.difference_cos + h.difference_sin * h.difference_sin;
    const double locked = GIMBAL_LOCK * GIMBAL_LOCK * (aligned + opposed);
    if (aligned <= locked || opposed <= locked) {
        solve_locked(a, h, opposed <= locked, nearest, angles);
        return true;
    }
    const double sum = pm_same_atan2(h.sum_sin, h.sum_cos);
    const double difference = pm_same_atan2(h.difference_sin, h.difference_cos);
    const double middle = 2.0 * pm_same_atan2(sqrt(opposed), sqrt(aligned));
    const double third = sum - difference;
    /* `other` is the same rotation with the opposite sign of the middle angle. */
    double one[3] = {sum + difference, middle, third};
    double other[3] = {one[0] + PI, -middle, third + PI};
    if (!a.proper) {
        one[1] = middle - 0.5 * PI;
        one[2] = -a.parity * third;
        other[1] = 1.5 * PI - middle;
        other[2] = one[2] + PI;
    }
    for (int n = 0; n < 3; n++) {
        one[n] = nearest_turn(one[n], nearest[n]);
        other[n] = nearest_turn(other[n], nearest[n]);
    }
    const bool take_other = distance_to(other, nearest) < distance_to(one, nearest);
    for (int n = 0; n < 3; n++)
        angles[n] = take_other ? other[n] : one[n];
    return true;
}

bool pm_matrix_from_quat(const double quaternion[4], double matrix[9]) {
    if (!quaternion || !matrix)
        return false;
    double q[4] = {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
    rescale(q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double norm2 = x * x + y * y + z * z + w * w;
    const double s = norm2 > 0.0 ? 2.0 / norm2 : 0.0;
    matrix[0] = 1.0 - s * (y * y + z * z);
    matrix[1] = s * (x * y - z * w);
    matrix[2] = s * (x * z + y * w);
    matrix[3] = s * (x * y + z * w);
    matrix[4] = 1.0 - s * (x * x + z * z);
    matrix[5] = s * (y * z - x * w);
    matrix[6] = s * (x * z - y * w);
    matrix[7] = s * (y * z + x * w);
    matrix[8] = 1.0 - s * (x * x + y * y);
    return true;
}

/* Copies a matrix divided by a power of two near its largest element. */
static bool scale_matrix(const double matrix[9], double m[9]) {
    double largest = 0.0;
    for (int n = 0; n < 9; n++) {
        if (!isfinite(matrix[n]))
            return false;
        largest = fmax(largest, fabs(matrix[n]));
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    for (int n = 0; n < 9; n++)
        m[n] = ldexp(matrix[n], -exponent);
    return true;
}

bool pm_quat_from_matrix(const double matrix[9], double quaternion[4]) {
    double m[9];
    if (!matrix || !quaternion || !scale_matrix(matrix, m))
        return false;
    const double determinant = m[0] * (m[4] * m[8] - m[5] * m[7]) -
                               m[1] * (m[3] * m[8] - m[5] * m[6]) +
                               m[2] * (m[3] * m[7] - m[4] * m[6]);
    if (!(determinant > 0.0))
        return false;
    /* q' K q / 2 + trace(M) / 2 is the trace of R(q)' M, so the eigenvector of the largest
     * eigenvalue is the nearest rotation; it is simple for every positive determinant. */
    double k[4][4] = {
        {m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6], m[7] - m[5]},
        {m[1] + m[3], m[4] - m[0] - m[8], m[5] + m[7], m[2] - m[6]},
        {m[2] + m[6], m[5] + m[7], m[8] - m[0] - m[4], m[3] - m[1]},
        {m[7] - m[5], m[2] - m[6], m[3] - m[1], m[0] + m[4] + m[8]},
    };
    double q[4];
    pm_largest_eigenvector(k, q);
    /* For a half turn w is 0; the sign of the first nonzero component decides. */
    double leading = q[3];
    for (int n = 0; n < 3 && leading == 0.0; n++)
        leading = q[n];
    const double sign = leading < 0.0 ? -1.0 : 1.0;
    const double scale = sign / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int n = 0; n < 4; n++)
        quaternion[n] = q[n] * scale + 0.0;
    return true;
}
