/* SPDX-License-Identifier: MIT
 *
 * How a BVH file had its joints: their text, channels and orders. Motions that are made from one keep
 * it, so that BVH is written from them as the file was.
 */
#ifndef POSEMILL_MOTION_BVH_LAYOUT_H
#define POSEMILL_MOTION_BVH_LAYOUT_H

#include "motion/bvh/bvh.h"

typedef struct bvh_layout {
    bvh model; /* without rows */
    bool adds_offset;
    const double *first_row; /* whose branch of angles the first frame continues */
    const bvh *source;       /* its rows are the frames of the motion; NULL: they are others */
} bvh_layout;

/* A copy in the arena, without rows, that lends those of `model` if `lends_rows`. NULL: memory is
 * exhausted. */
bvh_layout *bvh_layout_of(const bvh *model, bool adds_offset, bool lends_rows, motion_arena *arena);
bvh_layout *bvh_layout_copy(const bvh_layout *from, motion_arena *arena);

/* Writes a BVH from a motion with a layout. Joints keep their channels, but for those that `options`
 * or a turn of the motion require; numbers that did not change keep their text. */
pm_status bvh_layout_compose(const pm_motion *motion, const motion_writing *options,
                             const motion_sink *sink, pm_error *error);

#endif
