/* SPDX-License-Identifier: MIT
 *
 * Where distances between motions are measured: at joints, and at points that move with them.
 */
#pragma once

#include "motion/base/json.h"
#include "motion/model/model.h"
#include "motion/model/placed.h"

/* Points in the own space of a joint. */
enum { REACH_POINTS = 8 };
typedef struct reach_points {
    double at[REACH_POINTS][3];
    size_t count;  /* 0: the joint alone */
    double radius; /* of the farthest */
} reach_points;

/* The largest distance between two joints and between their points. */
double reach_apart(const reach_points *points_a, const placed *a, const reach_points *points_b,
                   const placed *b);

/* What `at` asks of a motion. */
typedef struct reach_set {
    double at;             /* a length, or one of PM_MOTION_AT_MESH and PM_MOTION_AT_JOINTS */
    reach_points *corners; /* of boxes about vertices, by node; with PM_MOTION_AT_MESH */
    const char
        *unread; /* why the vertices of meshes, which would be the default, cannot be read; in the
                           arena. NULL: they can, or there are none */
} reach_set;

/* Reads vertices if `at` is PM_MOTION_AT_MESH, or 0, which is that where there are any that can be read, and
 * otherwise `at_otherwise`. Refused: PM_MOTION_AT_MESH of a motion without vertices, and as by
 * pm_motion_find_reach. */
pm_status reach_find(const pm_motion *motion, double at, double at_otherwise, motion_arena *arena,
                     reach_set *found, pm_error *error);

/* The points of each node in a clip: corners, none, or three at a length along the axes. This is a length of model
 * space, where a joint has the rotations of the rest pose, and each node its largest scale of the clip. NULL:
 * memory is exhausted. */
const reach_points *reach_of_clip(const reach_set *set, const pm_motion_content *content,
                                  const pm_motion_clip *clip, motion_arena *arena);

/* Points of pairs of joints in clips of two motions, of which `points` are those of the first. Where the axes of a
 * joint are more than twice or less than half as long in the second, with the rest pose and the first scales of the
 * clip, its points are as far away in model space. False: memory is exhausted. */
bool reach_pair(const reach_points *points, const pm_motion_content *const sides[2],
                const pm_motion_clip *const clips[2], const size_t (*pairs)[2], size_t pair_count,
                motion_arena *arena, reach_points *made[2]);

/* How many times larger lengths below each node are in model space, at most at any time of a clip: the product of
 * the largest scales of the node and of those above it. NULL: memory is exhausted. */
double *reach_find_growth(const pm_motion_content *content, const pm_motion_clip *clip,
                          motion_arena *arena);

/* A member "at": mesh, joints, a length, or null for 0. */
void reach_write_at(json_writer *json, double at);

/* Refuses what is no `at`. */
pm_status reach_check_at(double at, pm_error *error);
