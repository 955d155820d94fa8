/* SPDX-License-Identifier: MIT
 *
 * Where distances between motions are measured: at joints, and at points that move with them.
 */
#ifndef POSEMILL_MOTION_REACH_H
#define POSEMILL_MOTION_REACH_H

#include "motion/model/model.h"

/* Points in the own space of a joint. */
enum { REACH_POINTS = 8 };
typedef struct reach_points {
    double at[REACH_POINTS][3];
    size_t count;  /* 0: the joint alone */
    double radius; /* of the farthest */
} reach_points;

/* Of all nodes of a motion. */
typedef struct reach_set {
    reach_points *points; /* by node */
    double at;            /* a length, or one of PM_MOTION_AT_MESH and PM_MOTION_AT_JOINTS */
    const char
        *unread; /* why the vertices of meshes, which would be the default, cannot be read; in the
                           arena. NULL: they can, or there are none */
} reach_set;

/* Finds the points that `at` asks for: the corners of boxes about vertices, none, or three at a length along
 * the axes. 0: the vertices, where there are any that can be read, otherwise `at_otherwise`. A length is one of
 * model space: where a joint has the rotations of the rest pose, and each node its largest scale of the clip.
 * Refused: PM_MOTION_AT_MESH of a motion without vertices, and as by pm_motion_find_reach. */
pm_status reach_find(const pm_motion *motion, const pm_motion_clip *clip, double at,
                     double at_otherwise, motion_arena *arena, reach_set *found, pm_error *error);

/* Refuses what is no `at`. */
pm_status reach_check_at(double at, pm_error *error);

#endif
