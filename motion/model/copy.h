/* SPDX-License-Identifier: MIT
 *
 * Copies of what a motion holds, without its document.
 */
#ifndef POSEMILL_MOTION_COPY_H
#define POSEMILL_MOTION_COPY_H

#include "motion/model/model.h"

/* A motion with the nodes and skins of another, and what its file has besides; without clips. NULL: memory is exhausted. */
pm_motion *motion_copy_nodes(const pm_motion_content *from);

/* Keeps how the file of a motion had its nodes, for writing its format again, and whether it keeps its times. `lends_rows`: `from`
 * outlives the copy, which has its keys. False: memory is exhausted. */
bool motion_copy_layout(pm_motion *to, const pm_motion *from, bool lends_rows);

/* Copies of a channel and a clip; keys and tangents become packed doubles. False: memory is
 * exhausted. */
bool motion_copy_channel(motion_arena *arena, const pm_motion_channel *from,
                         const pm_timeline *timeline, pm_motion_channel *to);
bool motion_copy_clip(motion_arena *arena, const pm_motion_clip *from, pm_motion_clip *to);

/* Copies the name of a channel, and what its numbers are of. False: memory is exhausted. */
bool motion_copy_words(motion_arena *arena, const pm_motion_channel *from, pm_motion_channel *to);

/* A copy of a name. Its text is NULL when memory is exhausted. */
pm_motion_name motion_copy_name(motion_arena *arena, pm_motion_name from);

/* A copy of a timeline. False: memory is exhausted. */
bool motion_copy_timeline(motion_arena *arena, const pm_timeline *from, pm_timeline *to);

#endif
