/* SPDX-License-Identifier: MIT
 *
 * How a BVH file had its joints: their text, channels and orders. Motions that are made from one are
 * written as the file was.
 */
#ifndef POSEMILL_MOTION_BVH_LAYOUT_H
#define POSEMILL_MOTION_BVH_LAYOUT_H

#include "motion/bvh/bvh.h"

typedef struct bvh_layout {
    const bvh *model;
    bool adds_offset;
} bvh_layout;

/* The file of a row of a motion, if it has the channels of a layout; or NULL. */
const bvh *bvh_rows_of(const motion_position *position, const bvh_layout *layout);

/* Writes a BVH from a motion with a layout. Joints keep their channels, but for those that `options`
 * or a turn of the motion require; numbers that did not change keep their text. */
pm_status bvh_layout_compose(const pm_motion *motion, const bvh_layout *layout,
                             const motion_writing *options, const motion_sink *sink,
                             pm_error *error);

#endif
