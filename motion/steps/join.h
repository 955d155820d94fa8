/* SPDX-License-Identifier: MIT
 *
 * What the two halves of joining share: the parts with their places, and values of their frames.
 */
#pragma once

#include "motion/model/compose.h"
#include "motion/model/similarity.h"
#include "motion/steps/edit.h"

typedef struct joined_part {
    const edit_part *from;
    const pm_motion_clip *clip;
    motion_frames frames;
    size_t begin;                       /* its first frame in the result */
    size_t shared;                      /* its first frames that the part before has, too */
    similarity placed;                  /* in the world, with continue_root */
    const pm_motion_channel **channels; /* for each of the result; NULL: the rest pose */
} joined_part;

typedef struct joining {
    joined_part *parts;
    size_t count, blend, frames;
    const pm_motion_join_options *options;
    motion_arena *arena;
    pm_motion_channel *channels; /* of the result */
    size_t channel_count;
    uint32_t mover; /* UINT32_MAX: the root is not continued */
    int up;
    similarity above; /* what the mover hangs on, in the world */
} joining;

/* The value of a channel at a frame, where it is in its own clip. */
void join_own_value(const joining *j, const joined_part *part, size_t channel, size_t frame,
                    double *value);

/* Finds the joint that is continued, and the axis that points up. */
pm_status join_find_mover(joining *j, pm_error *error);

/* Where that joint is in the world at a frame of a clip, which is not placed. */
similarity join_mover_at(const joining *j, const joined_part *part, size_t frame);

/* Whether a part, which is not the first, begins with the last pose of the part before. */
bool join_repeats_pose(const joining *j, size_t part);

/* Places a part in the world, behind the one before. */
void join_continue_part(joining *j, size_t part);
