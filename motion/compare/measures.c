/* SPDX-License-Identifier: MIT
 *
 * Angles by the arc tangent of a quaternion's parts, which is exact near 0 and near 180 degrees, and
 * speeds by central differences.
 */
#include "motion/compare/compare.h"

#include <math.h>
#include <string.h>

/* The rotation from `from` to `to`, in the frame in which both stand: to * conjugate(from). */
static void turn_between(const double from[4], const double to[4], double q[4]) {
    const double x = -from[0], y = -from[1], z = -from[2], w = from[3];
    q[0] = to[3] * x + to[0] * w + (to[1] * z - to[2] * y);
    q[1] = to[3] * y + to[1] * w + (to[2] * x - to[0] * z);
    q[2] = to[3] * z + to[2] * w + (to[0] * y - to[1] * x);
    q[3] = to[3] * w - to[0] * x - to[1] * y - to[2] * z;
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

double measure_angle(const double a[4], const double b[4]) {
    double turn[4];
    turn_between(a, b, turn);
    return 2 * atan2(length(turn), fabs(turn[3])) * MEASURE_DEGREES;
}

double measure_distance(const double a[3], const double b[3]) {
    const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length(difference);
}

void measure_turn(const double from[4], const double to[4], double vector[3]) {
    double turn[4];
    turn_between(from, to, turn);
    const double sine = length(turn);
    const double angle = 2 * atan2(sine, fabs(turn[3])) * MEASURE_DEGREES;
    const double factor = sine > 0 ? (turn[3] < 0 ? -angle : angle) / sine : 0;
    for (size_t i = 0; i < 3; i++)
        vector[i] = factor * turn[i];
}

/* ---- speeds -------------------------------------------------------------------------------- */

bool speeds_begin(speed_state *s, motion_arena *arena, size_t pairs, double step) {
    bool done = true;
    *s = (speed_state){.step = step};
    for (size_t i = 0; i < 3; i++) {
        s->rotations[i] = motion_allocate(arena, pairs, 8 * sizeof(double));
        done = done && s->rotations[i] != NULL;
    }
    s->speeds = motion_allocate(arena, pairs, sizeof *s->speeds);
    return done && s->speeds != NULL;
}

bool speeds_want(const speed_state *s, double time) {
    return s->count == 0 || time - s->time[2] >= s->step - SUBJECT_SAME_TIME;
}

static void shift(speed_state *s, uint64_t index, double time) {
    double *oldest = s->rotations[0];
    for (size_t i = 0; i < 2; i++) {
        s->rotations[i] = s->rotations[i + 1];
        s->time[i] = s->time[i + 1];
        s->index[i] = s->index[i + 1];
    }
    s->rotations[2] = oldest;
    s->time[2] = time;
    s->index[2] = index;
    s->count += s->count < 3;
}

/* Of one joint, whose rotations are `at` those of the pairs. */
static void differentiate(const speed_state *s, size_t at, double velocity[3],
                          double acceleration[3]) {
    const double before = s->time[1] - s->time[0], after = s->time[2] - s->time[1];
    double whole[3], first[3], second[3];
    measure_turn(s->rotations[0] + at, s->rotations[2] + at, whole);
    measure_turn(s->rotations[0] + at, s->rotations[1] + at, first);
    measure_turn(s->rotations[1] + at, s->rotations[2] + at, second);
    for (size_t i = 0; i < 3; i++) {
        velocity[i] = whole[i] / (before + after);
        acceleration[i] = (second[i] / after - first[i] / before) / ((before + after) / 2);
    }
}

bool speeds_add(speed_state *s, uint64_t index, double time, const joint_pairs *pairs,
                const subject_pose *a, const subject_pose *b) {
    shift(s, index, time);
    for (size_t p = 0; p < pairs->count; p++) {
        double *to = s->rotations[2] + 8 * p;
        memcpy(to, a[pairs->pairs[p].a].rotation, 4 * sizeof *to);
        memcpy(to + 4, b[pairs->pairs[p].b].rotation, 4 * sizeof *to);
    }
    for (size_t p = 0; p < pairs->count && s->count == 3; p++) {
        pair_speeds *speeds = &s->speeds[p];
        for (size_t side = 0; side < 2; side++)
            differentiate(s, 8 * p + 4 * side, speeds->velocity[side], speeds->acceleration[side]);
    }
    return s->count == 3;
}
