/* SPDX-License-Identifier: MIT
 *
 * What the functions share that edit motions: pairs of left and right, and clips that follow each other.
 */
#ifndef POSEMILL_MOTION_EDIT_H
#define POSEMILL_MOTION_EDIT_H

#include "motion/model/made.h"

/* Whether numbers differ by at most that part of the largest of them. */
bool edit_is_near(const double *a, const double *b, size_t count, double tolerance);

/* Finds pairs of left and right: partners[n] is the other one, or n. alone[n]: the name has a side,
 * but no partner. With a path, the pairs are its lines. */
pm_status edit_find_pairs(const pm_motion_content *content, const char *path, uint32_t *partners,
                          bool *alone, pm_error *error);

/* A clip of one of several motions. */
typedef struct edit_part {
    const pm_motion *motion;
    size_t clip;
    const char *name; /* for messages */
} edit_part;

/* Makes a clip of a motion that is made of several that follow each other. With other channels than those
 * of the first, the motion has no form. */
pm_status edit_join_clips(const edit_part *parts, size_t count,
                          const pm_motion_join_options *options, pm_motion *made, size_t clip,
                          pm_error *error);

/* Cuts a clip of a motion that is made of another. */
pm_status edit_cut_clip(const pm_motion *from, const pm_motion_edit_options *options,
                        pm_motion *made, size_t clip, pm_error *error);

/* Makes a motion of the chosen joints. */
pm_status edit_pick(const pm_motion *from, const pm_motion_edit_options *options,
                    pm_motion **picked, pm_error *error);

#endif
