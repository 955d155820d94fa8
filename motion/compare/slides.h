/* SPDX-License-Identifier: MIT
 *
 * Joints that stand on the ground in A and move in B. A joint stands while it is near the lowest joint
 * of A and moves slowly.
 */
#ifndef POSEMILL_MOTION_SLIDES_H
#define POSEMILL_MOTION_SLIDES_H

#include "motion/compare/joints.h"
#include "motion/compare/statistics.h"

/* In millimetres, millimetres per second, and seconds. */
#define SLIDE_HEIGHT 100.0
#define SLIDE_SPEED 50.0
#define SLIDE_SECONDS 0.1

/* What is known of a pair while its joint stands. */
typedef struct standing {
    double start[2][3], last[3]; /* places of A and B when it began; of A at the time before */
    double begin;
    double max, time; /* how far B has moved since */
    bool is_standing;
} standing;

typedef struct slide_state {
    standing *pairs;
    double time; /* of the poses before */
    bool has_poses;
    const subject *of; /* its axis that points up, and its unit of length */
} slide_state;

/* The height of the lowest joint of a pair: side 0 of A, 1 of B. */
double slides_lowest(const joint_pairs *pairs, int side, const subject_pose *poses, int up);

/* Whether a joint stands that was at `last` so many seconds before. */
bool slides_stand(const double last[3], const double at[3], double lowest, double seconds,
                  const subject *of);

/* False: memory is exhausted. */
bool slides_begin(slide_state *s, motion_arena *arena, size_t pairs, const subject *of);

void slides_add(slide_state *s, double time, const joint_pairs *pairs, const subject_pose *a,
                const subject_pose *b, joint_statistics *joints);

/* Ends the times of joints that still stand. */
void slides_end(slide_state *s, const joint_pairs *pairs, joint_statistics *joints);

#endif
