/* SPDX-License-Identifier: MIT
 *
 * What the functions share that edit motions: pairs of left and right, and clips that follow each other.
 */
#pragma once

#include "motion/model/made.h"
#include "motion/model/similarity.h"

/* Whether numbers differ by at most that part of the largest of them. */
bool edit_is_near(const double *a, const double *b, size_t count, double tolerance);

/* Finds pairs of left and right: partners[n] is the other one, or n. alone[n]: the name has a side,
 * but no partner. With a path, the pairs are its lines. */
pm_status edit_find_pairs(const pm_motion_content *content, const char *path, uint32_t *partners,
                          bool *alone, pm_error *error);

/* What mirroring requires of a skeleton. */
typedef struct edit_mirror_plan {
    const pm_motion_content *from;
    int normal; /* the axis across the plane */
    const uint32_t *partners;
    similarity *world; /* rest poses */
} edit_mirror_plan;

pm_status edit_check_mirror(const pm_motion_mirror_options *options, pm_error *error);

/* Finds pairs and the plane, which `known` is by convention, unless it is 0. Notes say how. The memory is
 * that of the notes. */
pm_status edit_plan_mirror(edit_mirror_plan *plan, const pm_motion_content *content,
                           pm_motion_axis known, const pm_motion_mirror_options *options,
                           motion_notes *notes, pm_motion_mirror_report *report, pm_error *error);

/* The mirror image of a rotation. */
void edit_mirror_rotation(const edit_mirror_plan *plan, double q[4]);

/* How the rest rotation of node b differs from the image of that of a: m(B(a))^-1 B(b). Units are exact. */
void edit_find_turn(const edit_mirror_plan *plan, size_t a, size_t b, double turn[4]);

/* q = a q and q = q b. Units 1, i, j and k only move numbers, so that bits return. */
void edit_turn_left(const double a[4], double q[4]);
void edit_turn_right(double q[4], const double b[4]);
void edit_conjugate(const double q[4], double out[4]);

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
