/* SPDX-License-Identifier: MIT
 *
 * What the functions share that make a motion of others: copies without clips, pairs of left and
 * right, and clips that follow each other.
 */
#ifndef POSEMILL_MOTION_EDIT_H
#define POSEMILL_MOTION_EDIT_H

#include "motion/model/model.h"

/* A motion with the nodes and the layout of another, and room for clips, which the caller fills.
 * NULL: memory is exhausted. */
pm_motion *edit_begin(const pm_motion *from, size_t clip_count, pm_motion_clip **clips);

/* Gives a result to the caller, or destroys it; returns the status. */
pm_status edit_finish(pm_motion *made, pm_status status, pm_motion **result);

/* Drops how the file had its joints, of a motion that has others. */
void edit_drop_layout(pm_motion *made);

/* Says which rows of the source's document a motion has: of those of `from` `count` from `first` on,
 * `times` over. Nothing is said where that is not known. False: memory is exhausted. */
bool edit_keep_rows(pm_motion *made, const pm_motion *from, uint64_t first, uint64_t count,
                    size_t times);

/* For each row that edit_keep_rows kept, whether its numbers are others than those of the document.
 * NULL: memory is exhausted, or no row is kept. */
bool *edit_changed_rows(pm_motion *made, size_t rows);

/* The keys of a motion of one clip whose channels share a timeline; otherwise 0. */
size_t edit_count_rows(const pm_motion *motion);

/* The values of the keys of a copy, packed doubles that belong to it. */
static inline double *edit_values(const pm_array *array) {
    return (double *)(uintptr_t)array->data;
}

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

/* Makes a clip of several that follow each other. *same: its channels are those of the first. */
pm_status edit_join_clips(const edit_part *parts, size_t count,
                          const pm_motion_join_options *options, motion_arena *arena,
                          pm_motion_clip *to, bool *same, pm_error *error);

/* Cuts a clip; *first and *count are the rows that are left, or 0 of them where there is no rate. */
pm_status edit_cut_clip(const pm_motion_clip *from, const pm_motion_edit_options *options,
                        motion_arena *arena, pm_motion_clip *to, uint64_t *first, uint64_t *count,
                        pm_error *error);

/* Makes a motion of the chosen joints. */
pm_status edit_pick(const pm_motion *from, const pm_motion_edit_options *options,
                    pm_motion **picked, pm_error *error);

#endif
