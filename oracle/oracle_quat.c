/* SPDX-License-Identifier: MIT
 *
 * Quaternions in double for the oracle, from textbook formulas. This file shares no code with the
 * library, so that a mistake in one is not repeated in the other.
 */
#include "oracle_quat.h"

#include <math.h>

quat quat_of(const double q[4]) {
    return (quat){q[0], q[1], q[2], q[3]};
}

quat quat_add(quat a, quat b) {
    return (quat){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

quat quat_subtract(quat a, quat b) {
    return (quat){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

quat quat_scale(quat a, double s) {
    return (quat){a.x * s, a.y * s, a.z * s, a.w * s};
}

double quat_dot(quat a, quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

double quat_norm(quat a) {
    return sqrt(quat_dot(a, a));
}

quat quat_normalise(quat a) {
    return quat_scale(a, 1.0 / quat_norm(a));
}

quat quat_multiply(quat a, quat b) {
    return (quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

quat quat_conjugate(quat a) {
    return (quat){-a.x, -a.y, -a.z, a.w};
}

quat quat_exp(vec3 half_angle) {
    const double angle = vec3_norm(half_angle);
    const double s = angle > 1e-8 ? sin(angle) / angle : 1.0 - angle * angle / 6.0;
    return (quat){s * half_angle.x, s * half_angle.y, s * half_angle.z, cos(angle)};
}

vec3 quat_log(quat q) {
    const vec3 v = {q.x, q.y, q.z};
    const double length = vec3_norm(v);
    if (length == 0.0)
        return (vec3){0.0, 0.0, 0.0};
    return vec3_scale(v, atan2(length, q.w) / length);
}

quat quat_power(quat q, double t) {
    return quat_exp(vec3_scale(quat_log(q), t));
}

vec3 quat_rotate(quat q, vec3 v) {
    const quat turned =
        quat_multiply(quat_multiply(q, (quat){v.x, v.y, v.z, 0.0}), quat_conjugate(q));
    return (vec3){turned.x, turned.y, turned.z};
}

quat quat_slerp(quat a, quat b, double u) {
    const quat difference = quat_subtract(b, a), sum = quat_add(a, b);
    const double minus = quat_norm(difference), plus = quat_norm(sum);
    if (plus == 0.0) { /* antipodal: any great arc is valid, the definition chooses this one */
        const quat middle = quat_multiply(a, (quat){1.0, 0.0, 0.0, 0.0});
        return quat_slerp(u < 0.5 ? a : middle, u < 0.5 ? middle : b, u < 0.5 ? 2 * u : 2 * u - 1);
    }
    const double angle = 2.0 * atan2(minus, plus);
    if (angle < 1e-7)
        return quat_normalise(quat_add(a, quat_scale(difference, u)));
    if (angle < 2.0) {
        return quat_add(quat_scale(a, sin((1.0 - u) * angle) / sin(angle)),
                        quat_scale(b, sin(u * angle) / sin(angle)));
    }
    /* Expressed around the middle, where sin(angle) is no small divisor. The sum of nearly
     * antipodal operands is mostly rounding error, so it is made orthogonal to the difference
     * again. */
    const double from_middle = (u - 0.5) * angle;
    const quat across = quat_scale(difference, 1.0 / minus);
    const quat middle =
        quat_normalise(quat_subtract(sum, quat_scale(across, quat_dot(across, sum))));
    return quat_add(quat_scale(middle, cos(from_middle)), quat_scale(across, sin(from_middle)));
}

vec3 vec3_of(const double v[3]) {
    return (vec3){v[0], v[1], v[2]};
}

vec3 vec3_add(vec3 a, vec3 b) {
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

vec3 vec3_subtract(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

vec3 vec3_scale(vec3 a, double s) {
    return (vec3){a.x * s, a.y * s, a.z * s};
}

double vec3_dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double vec3_norm(vec3 a) {
    return sqrt(vec3_dot(a, a));
}

double oracle_error(quat a, quat b) {
    const double minus = quat_norm(quat_subtract(a, b)), plus = quat_norm(quat_add(a, b));
    return 4.0 * atan2(fmin(minus, plus), fmax(minus, plus));
}
