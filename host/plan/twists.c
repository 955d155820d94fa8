/* SPDX-License-Identifier: MIT
 *
 * Rigid motions of constant twist.
 */
#include "points_request.h"

#include <string.h>

static void cross(const double a[3], const double b[3], double to[3]) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* 1/n! - x2/(n + 2)! + x2^2/(n + 4)! - ..., for x2 up to 1. */
static double series(double x2, int n) {
    enum { TERMS = 9 };
    double sum = 1, first = 1;
    for (int k = TERMS; k > 0; k--)
        sum = 1 - sum * x2 / ((n + 2 * k - 1) * (n + 2 * k));
    for (int k = 2; k <= n; k++)
        first *= k;
    return sum / first;
}

static void rotate(const double q[4], const double v[3], double to[3]) {
    double once[3], twice[3];
    cross(q, v, once);
    cross(q, once, twice);
    for (size_t c = 0; c < 3; c++)
        to[c] = v[c] + 2 * (q[3] * once[c] + twice[c]);
}

/* Without functions of the C library, whose bits differ: turns above 1 rad are computed in halves. */
void pm_twist_by(const double w[3], const double way[3], double seconds, double turn[4],
                 double moved[3]) {
    double by[3] = {w[0] * seconds, w[1] * seconds, w[2] * seconds};
    double part[3] = {way[0], way[1], way[2]}, once[3], twice[3];
    double angle2 = by[0] * by[0] + by[1] * by[1] + by[2] * by[2];
    int halves = 0;
    for (; angle2 > 1 && halves < 1024; halves++, angle2 /= 4)
        for (size_t c = 0; c < 3; c++) {
            by[c] /= 2;
            part[c] /= 2;
        }
    const double sine = series(angle2 / 4, 1), rest = series(angle2, 3);
    cross(by, part, once);
    cross(by, once, twice);
    for (size_t c = 0; c < 3; c++) {
        turn[c] = sine * by[c] / 2;
        moved[c] = part[c] + sine * sine * once[c] / 2 + rest * twice[c];
    }
    turn[3] = series(angle2 / 4, 0);
    for (; halves > 0; halves--) {
        rotate(turn, moved, once);
        for (size_t c = 0; c < 3; c++) {
            moved[c] += once[c];
            turn[c] *= 2 * turn[3];
        }
        turn[3] = 2 * turn[3] * turn[3] - 1;
    }
}

void pm_turn_back(const double q[4], double v[3]) {
    const double back[4] = {-q[0], -q[1], -q[2], q[3]};
    double turned[3];
    rotate(back, v, turned);
    for (size_t c = 0; c < 3; c++)
        v[c] = turned[c];
}

/* ---- arcs ------------------------------------------------------------------------------------------- */

static void times_conjugate(const double a[4], const double b[4], double to[4]) {
    to[0] = -a[3] * b[0] + a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
    to[1] = -a[3] * b[1] + a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
    to[2] = -a[3] * b[2] + a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
    to[3] = a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* v = the rotation vector from q to the next quaternion, in the outer frame. Returns half its length times the
 * cotangent of that. */
static double turn_between(const double q[4], const double next[4], double v[3]) {
    double r[4];
    times_conjugate(next, q, r);
    const double sine = pm_same_hypot(pm_same_hypot(r[0], r[1]), r[2]);
    const double half = sine > 0 ? pm_same_atan2(sine, r[3]) : 0;
    for (size_t c = 0; c < 3; c++)
        v[c] = sine > 0 ? 2 * half / sine * r[c] : 0;
    return sine > 0 ? half * r[3] / sine : 1;
}

/* way = V^-1 d, where exp moves the frame's origin by V way: I - v x/2 + g v x v x, g = (1 - h cot h)/(2 h)^2. */
static void screw_way(const double v[3], double cotangent, const double d[3], double way[3]) {
    double once[3], twice[3];
    const double x2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double g = x2 < 1e-3 ? 1.0 / 12 + x2 / 720 + x2 * x2 / 30240 : (1 - cotangent) / x2;
    cross(v, d, once);
    cross(v, once, twice);
    for (size_t c = 0; c < 3; c++)
        way[c] = d[c] - once[c] / 2 + g * twice[c];
}

static void connect(pm_rigid_arc *a, pm_rigid_arc *next, bool screw, double seconds) {
    const double dot =
        a->q[0] * next->q[0] + a->q[1] * next->q[1] + a->q[2] * next->q[2] + a->q[3] * next->q[3];
    for (size_t c = 0; c < 4 && dot < 0; c++)
        next->q[c] = -next->q[c];
    const double cotangent = turn_between(a->q, next->q, a->v);
    const double d[3] = {next->t[0] - a->t[0], next->t[1] - a->t[1], next->t[2] - a->t[2]};
    memcpy(a->way, d, sizeof d);
    if (screw)
        screw_way(a->v, cotangent, d, a->way);
    for (size_t c = 0; c < 3; c++) {
        a->angle2 += a->v[c] * a->v[c];
        a->along += screw ? a->v[c] * a->way[c] : 0;
    }
    a->rate = 1 / seconds;
}

/* The twist of the segment before, as it is seen from the last key. */
static void end(const pm_rigid_arc *before, pm_rigid_arc *last, bool screw) {
    const double d[3] = {last->t[0] - before->t[0], last->t[1] - before->t[1],
                         last->t[2] - before->t[2]};
    double carried[3];
    cross(before->v, d, carried);
    memcpy(last->v, before->v, sizeof last->v);
    for (size_t c = 0; c < 3; c++)
        last->way[c] = before->way[c] + (screw ? carried[c] : 0);
    last->rate = before->rate;
}

double pm_rigid_arcs_connect(pm_rigid_arc *arcs, size_t count, const int64_t *stamps, bool screw) {
    double largest = 0;
    for (size_t k = 0; k < count; k++) {
        double *q = arcs[k].q;
        const double scale = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (size_t c = 0; c < 4; c++)
            q[c] *= scale;
    }
    for (size_t k = 0; k + 1 < count; k++) {
        connect(&arcs[k], &arcs[k + 1], screw,
                1e-9 * (double)((uint64_t)stamps[k + 1] - (uint64_t)stamps[k]));
        largest = fmax(largest, arcs[k].angle2);
    }
    if (count > 1)
        end(&arcs[count - 2], &arcs[count - 1], screw);
    return largest;
}
