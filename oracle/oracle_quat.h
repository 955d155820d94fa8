/* SPDX-License-Identifier: MIT
 *
 * Quaternions in double for the oracle: textbook formulas, chosen for simplicity and accuracy, not
 * for speed. Shares no code with the kernels.
 */
#ifndef POSEMILL_TESTS_ORACLE_QUAT_H
#define POSEMILL_TESTS_ORACLE_QUAT_H

typedef struct quat {
    double x, y, z, w;
} quat;

typedef struct vec3 {
    double x, y, z;
} vec3;

quat quat_of(const double q[4]);
quat quat_add(quat a, quat b);
quat quat_subtract(quat a, quat b);
quat quat_scale(quat a, double s);
double quat_dot(quat a, quat b);
double quat_norm(quat a);
quat quat_normalise(quat a);
quat quat_multiply(quat a, quat b);
quat quat_conjugate(quat a);
quat quat_exp(vec3 half_angle);
vec3 quat_log(quat q); /* half-angle vector, |log| <= pi */
quat quat_power(quat q, double t);
vec3 quat_rotate(quat q, vec3 v);

/* The great arc between operands at any angle, without a change of sign. */
quat quat_slerp(quat a, quat b, double u);

vec3 vec3_of(const double v[3]);
vec3 vec3_add(vec3 a, vec3 b);
vec3 vec3_subtract(vec3 a, vec3 b);
vec3 vec3_scale(vec3 a, double s);
double vec3_dot(vec3 a, vec3 b);
double vec3_norm(vec3 a);

/* The rotation angle between two unit quaternions of any signs. */
double oracle_error(quat a, quat b);

#endif
