/* SPDX-License-Identifier: MIT
 *
 * The form of a BVH file that is written: its hierarchy, and what the numbers of a row are. It is that of
 * a document, or it is made of one with changes, or of the nodes of a motion of any format.
 */
#pragma once

#include <stdio.h>

#include "motion/bvh/bvh_pose.h"

#define BVH_NO_SOURCE SIZE_MAX

/* What a motion of BVH was read from. */
typedef struct bvh_file {
    bvh *model;
    pose_plan plan;
    double *
        rotations; /* (frame_count, plan.rotation_count, 4), as the motion has them; it owns them */
    bool
        adds_offset; /* positions in the file are relative to OFFSET, those in the motion are not */
} bvh_file;

typedef struct bvh_form {
    const bvh *model; /* the hierarchy, its joints and channels, and how lines end */
    bvh *own;         /* the same, or NULL where it is that of a document */
    pose_plan plan;
    bool adds_offset; /* as of a bvh_file */
    const bvh_file
        *rows;    /* has rows of the motion, whose angles the first frame continues; NULL: none */
    size_t *same; /* of each channel, that of the file's rows, or BVH_NO_SOURCE. NULL: the same */
    uint32_t *nodes; /* of each joint, its node. NULL: the same */
} bvh_form;

/* A BVH as the file was that `from` is of: the hierarchy's text with other names and offsets, and the
 * channels of each joint. What is asked for changes: the order of three or two rotation channels; a turn
 * needs all channels of a root. Release the form also on failure. */
pm_status bvh_form_change(const bvh *from, const motion_writing *writing, bvh_form *form,
                          pm_error *error);

/* A joint for each node of a motion, with the Euler angles of its rotations, and positions where they are
 * animated. BVH has no rotation in its rest pose, so that the channels of a joint contain it. */
pm_status bvh_form_make(const motion_writing *writing, bvh_form *form, pm_error *error);

/* The file that a motion was read from; NULL: it is none of BVH. */
const bvh_file *bvh_file_of(const pm_motion *motion);

/* Reads what was written up to MOTION, and frees the text. */
pm_status bvh_form_read(bvh_form *form, char *text, size_t size, pm_error *error);

void bvh_form_release(bvh_form *form);

/* Three numbers of OFFSET. */
void bvh_put_offset(FILE *text, const double offset[3]);

/* Writes a file with the samples; NULL: the rows of the form's document as they are. */
pm_status bvh_write_frames(const motion_writing *writing, const bvh_form *form,
                           const motion_samples *samples, const motion_sink *sink, pm_error *error);
