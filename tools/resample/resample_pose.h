/* SPDX-License-Identifier: MIT
 *
 * What the channels of a BVH mean: rows of angles, positions and other numbers to the
 * rotations and vectors that clips are made of, and back.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_POSE_H
#define POSEMILL_TOOLS_RESAMPLE_POSE_H

#include "formats/bvh.h"

#define POSE_NO_CHANNEL SIZE_MAX

/* A joint with rotation channels. Three are Euler angles in any of the 12 orders. Two are
 * the first two of an order whose third axis is the remaining one; what an interpolated
 * rotation has about that third axis is dropped, as the file cannot hold it. One is an
 * angle about its axis, read back as the twist about it. */
typedef struct pose_rotation {
    size_t joint;
    size_t channel_count;
    size_t channel[3];
    int axis; /* of the first channel: 0 x, 1 y, 2 z */
    pm_euler_order order;
} pose_rotation;

/* Three channels interpolated as one vector; a missing one is POSE_NO_CHANNEL. `base` is
 * subtracted from keys and added to samples, so that float32 only holds the motion and not
 * the distance from the origin; every vector method commutes with that. */
typedef struct pose_vector {
    size_t joint;
    size_t channel[3];
    double base[3];
} pose_vector;

typedef struct pose_plan {
    const bvh *model;
    pose_rotation *rotations;
    size_t rotation_count;
    pose_vector *vectors; /* positions and scales */
    size_t vector_count;
    pose_vector *plains; /* channels of unknown meaning, three at a time, always linear */
    size_t plain_count;
} pose_plan;

/* Borrows the model. Refuses joints whose rotation channels are no Euler order. `path` is
 * for messages. The plan is to be released also on failure. */
cli_exit pose_plan_make(pose_plan *plan, const char *path, const bvh *model);
void pose_plan_release(pose_plan *plan);

/* Keys of the frames from first_frame on: (frames, rotation_count, 4). */
void pose_rotation_keys(const pose_plan *plan, size_t first_frame, double *keys);

/* (frames, count, 3); sets the bases. */
void pose_vector_keys(const pose_plan *plan, pose_vector *vectors, size_t count, size_t first_frame,
                      double *keys);

/* The twist axes for sterp where none is given: (rotation_count, 3), the direction of each
 * joint's first child, of its parent's where it has none. */
void pose_bone_axes(const pose_plan *plan, double *axes);

/* One sample of each clip to the numbers of a row. `row` comes with the row before it, whose
 * branch of Euler angles is followed. Where `between` holds two source rows, a rotation that
 * is the same in both keeps their numbers. False when a number is not finite. */
bool pose_to_row(const pose_plan *plan, const float *rotations, const float *vectors,
                 const float *plains, const double *between[2], double *row);

#endif
