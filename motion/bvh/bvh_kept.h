/* SPDX-License-Identifier: MIT
 *
 * How a BVH file had its joints: their text, channels and orders. Motions that are made from one keep
 * it, so that BVH is written from them as the file was.
 */
#ifndef POSEMILL_MOTION_BVH_KEPT_H
#define POSEMILL_MOTION_BVH_KEPT_H

#include "motion/bvh/bvh.h"

typedef struct bvh_kept {
    bvh model; /* without rows */
    bool adds_offset;
    const double *first_row; /* whose branch of angles the first frame continues */
    const bvh *source;       /* its rows are the frames of the motion; NULL: they are others */
} bvh_kept;

/* A copy in the arena, without rows. NULL: memory is exhausted. */
bvh_kept *bvh_keep(const bvh *model, const double *first_row, motion_arena *arena);

#endif
