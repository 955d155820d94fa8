/* SPDX-License-Identifier: MIT
 *
 * Angles by the arc tangent of a quaternion's parts, which is exact near 0 and near 180 degrees, and
 * speeds by central differences; their sums and maxima, and the jumps of velocities.
 */
#include <math.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/compare/compare.h"

void extent_begin(extent *e) {
    *e = (extent){.max = (double)NAN, .time = (double)NAN};
}

void extent_add(extent *e, double value, double time) {
    if (e->count == 0 || value > e->max) {
        e->max = value;
        e->time = time;
    }
    e->square_sum += value * value;
    e->count++;
}

double extent_rms(const extent *e) {
    return e->count > 0 ? sqrt(e->square_sum / (double)e->count) : (double)NAN;
}

/* The rotation from `from` to `to`, in the frame in which both stand: to * conjugate(from). */
static void turn_between(const double from[4], const double to[4], double q[4]) {
    const double x = -from[0], y = -from[1], z = -from[2], w = from[3];
    q[0] = to[3] * x + to[0] * w + (to[1] * z - to[2] * y);
    q[1] = to[3] * y + to[1] * w + (to[2] * x - to[0] * z);
    q[2] = to[3] * z + to[2] * w + (to[0] * y - to[1] * x);
    q[3] = to[3] * w - to[0] * x - to[1] * y - to[2] * z;
}

double measure_angle(const double a[4], const double b[4]) {
    double turn[4];
    turn_between(a, b, turn);
    return 2 * pm_same_atan2(vector_length(turn), fabs(turn[3])) * MEASURE_DEGREES;
}

double measure_distance(const double a[3], const double b[3]) {
    const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return vector_length(difference);
}

/* The turn from one unit quaternion to another in the frame in which both stand: the axis times the
 * angle in degrees, the shorter way. */
static void measure_turn(const double from[4], const double to[4], double vector[3]) {
    double turn[4];
    turn_between(from, to, turn);
    const double sine = vector_length(turn);
    const double angle = 2 * pm_same_atan2(sine, fabs(turn[3])) * MEASURE_DEGREES;
    const double factor = sine > 0 ? (turn[3] < 0 ? -angle : angle) / sine : 0;
    for (size_t i = 0; i < 3; i++)
        vector[i] = factor * turn[i];
}

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

bool jumps_begin(jump_state *s, motion_arena *arena, const subject *of) {
    const size_t joints = of->joint_count;
    *s = (jump_state){.joints = joints,
                      .step = subject_step(of) / 2,
                      .rotations = motion_allocate(arena, joints, 4 * sizeof *s->rotations),
                      .velocities = motion_allocate(arena, joints, 3 * sizeof *s->velocities),
                      .largest = motion_allocate(arena, joints, sizeof *s->largest)};
    for (size_t j = 0; s->largest && j < joints; j++)
        extent_begin(&s->largest[j]);
    return s->rotations != NULL && s->velocities != NULL && s->largest != NULL;
}

void jumps_add(jump_state *s, double time, const subject_pose *poses) {
    const double seconds = time - s->time;
    if (s->count > 0 && seconds < s->step - SUBJECT_SAME_TIME)
        return;
    for (size_t j = 0; j < s->joints; j++) {
        double *before = s->rotations + 4 * j, *velocity = s->velocities + 3 * j, step[3];
        if (s->count > 0) {
            measure_turn(before, poses[j].rotation, step);
            for (size_t i = 0; i < 3; i++)
                step[i] /= seconds;
            if (s->count > 1)
                extent_add(&s->largest[j], measure_distance(velocity, step), s->time);
            memcpy(velocity, step, sizeof step);
        }
        memcpy(before, poses[j].rotation, 4 * sizeof *before);
    }
    s->time = time;
    s->count += s->count < 2;
}

static pm_status walk(jump_state *s, subject *of, compare_times *times, double *block, size_t room,
                      subject_pose *poses, pm_error *error) {
    for (size_t count = times_next(times, block, room); count > 0;
         count = times_next(times, block, room)) {
        MOTION_TRY(subject_evaluate(of, block, count, poses, error));
        for (size_t i = 0; i < count; i++)
            jumps_add(s, block[i], poses + i * of->joint_count);
    }
    return PM_OK;
}

pm_status jumps_walk(jump_state *s, motion_arena *arena, subject *of, pm_error *error) {
    const size_t room = times_room(of->joint_count);
    double *block = motion_allocate(arena, room, sizeof *block);
    subject_pose *poses = motion_allocate(arena, room, of->joint_count * sizeof *poses);
    SCOPED(times_release) compare_times times = {.done = 0};
    const times_request keys = {.rule = TIMES_OF_A};
    const bool has_memory = block != NULL && poses != NULL && times_begin(&times, of, of, &keys);
    return has_memory ? walk(s, of, &times, block, room, poses, error)
                      : motion_refuse_memory(error);
}
