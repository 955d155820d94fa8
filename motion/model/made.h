/* SPDX-License-Identifier: MIT
 *
 * Motions that are made of others: the one way in which a step makes its result, and where its rows are
 * from.
 */
#pragma once

#include "motion/model/model.h"

/* One more owner, who calls pm_motion_destroy. */
void motion_retain(const pm_motion *motion);

/* A motion that is made of others, which it retains. It begins with the nodes and skins of the first, what
 * its file has besides, and its form; *clips are clip_count, those of the first as far as it has them, and
 * the caller changes them. All that they point to belongs to the first. NULL: memory is exhausted. */
pm_motion *made_begin_joined(const pm_motion *const *from, size_t count, size_t clip_count,
                             pm_motion_clip **clips);

/* Of one motion, with as many clips. */
pm_motion *made_begin(const pm_motion *from, pm_motion_clip **clips);

/* Gives a result to the caller, with the node that carries it; *made is then NULL. */
pm_status made_end(pm_motion **made, pm_motion **result, pm_error *error);

/* Nodes and channels of the motion's own, in place of those that it points to. NULL: memory is
 * exhausted. */
pm_motion_node *motion_own_nodes(pm_motion *made);
pm_motion_channel *motion_own_channels(motion_arena *arena, pm_motion_clip *clip);

/* Likewise keys and tangents of a channel, as packed doubles. False: memory is exhausted. */
bool motion_own_keys(motion_arena *arena, pm_motion_channel *channel, const pm_timeline *timeline);

/* The values of such keys. */
static inline double *motion_own_values(const pm_array *array) {
    return (double *)(uintptr_t)array->data;
}

/* A copy of a name. Its text is NULL when memory is exhausted. */
pm_motion_name motion_copy_name(motion_arena *arena, pm_motion_name from);

/* ---- rows ---------------------------------------------------------------------------------- */

/* The keys of a clip's longest timeline. */
uint64_t motion_count_rows(const pm_motion_clip *clip);

/* Appends rows to those of a clip of a motion that is made: `count` that are those of run->source from
 * run->from on, whether this motion has a document or is made itself; with no source, rows of no file. The
 * clip has its channels. False: memory is exhausted. */
bool motion_add_rows(pm_motion *made, size_t clip, const motion_run *run);

/* All rows of a clip, as they are, or with other numbers in all of them. */
bool motion_keep_rows(pm_motion *made, size_t clip, const pm_motion *from, bool changed);

/* Where a row is in a file: the run that has it, or NULL. */
const motion_run *motion_find_run(const pm_motion *motion, size_t clip, uint64_t row);

/* Where a row is in a file, as writers take it; `exact`, unless it is of no file. */
motion_position motion_find_row(const pm_motion *motion, size_t clip, uint64_t row);

/* Whether all rows of a clip are those of the same clip of the form at their times, and no others. */
bool motion_is_untouched(const pm_motion *motion, size_t clip);
