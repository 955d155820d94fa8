/* SPDX-License-Identifier: MIT
 *
 * How much the angular velocity of a joint changes from a step between two frames to the next: a pop
 * of a single frame is a large change.
 */
#ifndef POSEMILL_MOTION_JUMPS_H
#define POSEMILL_MOTION_JUMPS_H

#include "motion/compare/statistics.h"
#include "motion/compare/subject.h"

/* The joints of one subject, along its frames. */
typedef struct jump_state {
    size_t joints;
    double step;        /* frames closer than this are skipped */
    double time;        /* of the frame before */
    size_t count;       /* of frames so far, at most 2 */
    double *rotations;  /* (joints, 4) of the frame before */
    double *velocities; /* (joints, 3) of the step to it, in degrees/s */
    extent *largest;    /* (joints): in degrees/s, at the frame between the two steps */
} jump_state;

/* The memory is the arena's. False: memory is exhausted. */
bool jumps_begin(jump_state *s, motion_arena *arena, const subject *of);

/* Adds a frame: its time, and the poses of all joints. */
void jumps_add(jump_state *s, double time, const subject_pose *poses);

/* Adds all frames of the subject: the key times of all its timelines. */
pm_status jumps_walk(jump_state *s, motion_arena *arena, subject *of, pm_error *error);

#endif
