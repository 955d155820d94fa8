/* SPDX-License-Identifier: MIT
 *
 * Arcs of constant speed on the sphere of unit quaternions.
 */
#include "motion/reduce/arc.h"

#include <math.h>
#include <string.h>

/* Rounding of a chord: two quaternions of three roundings each, in four components. */
static const double chord_rounding = 4e-15;

/* Below this angle the weights of slerp are those of a straight line in double. */
static const double straight = 1e-8;

double arc_sign(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
}

static double chord(const double a[4], const double b[4], double sign) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    return sqrt(sum);
}

double arc_apart(const double a[4], const double b[4], double sign) {
    const double length = chord(a, b, sign);
    return length * length / 2;
}

double arc_chord_at_most(const double a[4], const double b[4], double sign) {
    return chord(a, b, sign) + chord_rounding;
}

arc arc_between(const double from[4], const double to[4], double begin, double seconds) {
    const double sign = arc_sign(from, to);
    arc a = {.begin = begin, .seconds = seconds};
    memcpy(a.from, from, sizeof a.from);
    for (int i = 0; i < 4; i++)
        a.to[i] = sign * to[i];
    a.angle = 2 * asin(fmin(chord(from, a.to, 1) / 2, 1));
    return a;
}

void arc_value(const arc *a, double time, double q[4]) {
    const double u = a->seconds > 0 ? (time - a->begin) / a->seconds : 0;
    const double sine = sin(a->angle);
    const double from = a->angle > straight ? sin((1 - u) * a->angle) / sine : 1 - u;
    const double to = a->angle > straight ? sin(u * a->angle) / sine : u;
    double length2 = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = from * a->from[i] + to * a->to[i];
        length2 += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length2);
}

double arc_bound(double apart, double a, double b) {
    const double curve = (a * a + b * b) / 8, drift = (a - b) * (a - b) / 8;
    return curve < 1 ? fmax(apart, (apart - drift) / (1 - curve)) * (1 + 1e-14) : (double)INFINITY;
}

double arc_speed(const arc *a) {
    return a->seconds > 0 ? a->angle / a->seconds : 0;
}

double arc_radians(double apart) {
    return 4 * asin(fmin(sqrt(apart / 2), 1));
}

double arc_apart_of(double radians) {
    const double sine = sin(radians / 4);
    return 2 * sine * sine;
}
