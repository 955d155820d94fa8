/* SPDX-License-Identifier: MIT
 *
 * Differences of two rotations, and of the motion of two joints along the times.
 */
#ifndef POSEMILL_MOTION_MEASURES_H
#define POSEMILL_MOTION_MEASURES_H

#include "motion/compare/joints.h"
#include "motion/compare/statistics.h"

#define MEASURE_DEGREES 57.295779513082320877

/* The angle between two unit quaternions in degrees, the shorter way; 0 for equal ones. */
double measure_angle(const double a[4], const double b[4]);

double measure_distance(const double a[3], const double b[3]);

/* The turn from one unit quaternion to another in the frame in which both stand: the axis times the
 * angle in degrees, the shorter way. */
void measure_turn(const double from[4], const double to[4], double vector[3]);

/* Angular velocity and acceleration of a pair of joints, [0] A and [1] B, in degrees, in the frame of
 * the parent. */
typedef struct pair_speeds {
    double velocity[2][3], acceleration[2][3];
} pair_speeds;

/* The last three poses whose times are at least `step` apart. Zero-initialise. */
typedef struct speed_state {
    double step;
    uint64_t index[3]; /* of their times; [2] is the newest */
    double time[3];
    size_t count;         /* of poses so far, at most 3 */
    double *rotations[3]; /* (pairs, 2, 4) */
    pair_speeds *speeds;  /* (pairs): at time[1] */
} speed_state;

/* False: memory is exhausted. */
bool speeds_begin(speed_state *s, motion_arena *arena, size_t pairs, double step);

/* Whether poses at a time are to be added. */
bool speeds_want(const speed_state *s, double time);

/* Adds poses. True: there are speeds at the time before, time[1]. */
bool speeds_add(speed_state *s, uint64_t index, double time, const joint_pairs *pairs,
                const subject_pose *a, const subject_pose *b);

#endif
