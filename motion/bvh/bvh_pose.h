/* SPDX-License-Identifier: MIT
 *
 * Interprets the channels of a BVH: converts rows of angles, positions and other numbers to the
 * rotations and vectors of clips, and back.
 */
#pragma once

#include "motion/bvh/bvh.h"

#define POSE_NO_CHANNEL SIZE_MAX

/* A joint with rotation channels. Three channels are Euler angles in any of the 12 orders. Two
 * channels are the first two of an order whose third axis is the remaining one; the component of an
 * interpolated rotation about the third axis is dropped, because the file cannot store it. One
 * channel is an angle about its axis, read back as the twist about it. */
typedef struct pose_rotation {
    size_t joint;
    size_t channel_count;
    size_t channel[3];
    int axis; /* axis of the first channel: 0 x, 1 y, 2 z */
    pm_euler_order order;
} pose_rotation;

/* Three channels interpolated as one vector; a missing one is POSE_NO_CHANNEL. */
typedef struct pose_vector {
    size_t joint;
    bool is_scale;
    size_t channel[3];
} pose_vector;

typedef struct pose_plan {
    const bvh *model;
    pose_rotation *rotations;
    size_t rotation_count;
    pose_vector *vectors; /* positions and scales */
    size_t vector_count;
    size_t *plains; /* channels of unknown meaning, always interpolated linearly */
    size_t plain_count;
} pose_plan;

/* Borrows the model. Refuses joints whose rotation channels do not form an Euler order. Release the
 * plan also on failure. */
pm_status pose_plan_make(pose_plan *plan, const bvh *model, pm_error *error);
void pose_plan_release(pose_plan *plan);

/* Whether two rows have the same numbers for a rotation. */
bool pose_same_rotation(const pose_rotation *r, const double *a, const double *b);

/* Writes the rotations of all frames: (frames, rotation_count, 4). */
void pose_rotation_keys(const pose_plan *plan, double *keys);

/* A sample of the channels of a plan. */
typedef struct pose_sample {
    const double *rotations; /* (rotation_count, 4) */
    const double *vectors;   /* (vector_count, 3) */
    const double *plains;    /* (plain_count) */
} pose_sample;

/* Converts a sample to the numbers of a row. On entry `row` holds the row before, whose branch of
 * Euler angles is continued. Rotation i keeps the numbers of `row` where kept[i]. A number that is too
 * large to be written is refused, with the frame of the result. */
pm_status pose_to_row(const pose_plan *plan, const pose_sample *sample, const bool kept[],
                      uint64_t frame, double *row, pm_error *error);
