/* SPDX-License-Identifier: MIT
 *
 * Functions for laying out a crowd's clips, shared by the files of this room.
 */
#ifndef PM_HOST_LAYOUT_H
#define PM_HOST_LAYOUT_H

#include "crowd.h"

/* Prefixes the error's message with "clips[N]: ". Returns `status`. */
pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error);

/* Appends clip `i` to a crowd's tables of clips and timelines: where its keys will be. The clip is laid
 * out for the crowd. */
pm_status pm_crowd_measure_clip(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i,
                                pm_error *error);

/* Allocates everything else, once all clips are measured. */
pm_status pm_crowd_allocate(pm_crowd_data *crowd, pm_error *error);

/* Has clip `i` built into the crowd's planes. */
void pm_crowd_place_clip(const pm_crowd_data *crowd, pm_clip_data *clip, size_t i);

/* Adds what follows from the keys of clip `i`, once they are built. Several threads may add clips. */
void pm_crowd_add_clip(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i);

/* Fills the joints' tables, once all clips are added. */
void pm_crowd_finish(pm_crowd_data *crowd);

/* Checks and copies the markers of all clips, once their durations are known. The message of a
 * refusal names the clip. */
pm_status pm_crowd_add_markers(const pm_crowd_desc *desc, pm_crowd_data *crowd, pm_error *error);

/* ---- timelines ---------------------------------------------------------------------------- */

/* Appends all timelines of a clip, including those that no joint uses, to crowd->timelines, and listed
 * key times, one more than there are segments, to crowd->times. A single uniform one may be shared. PM_ERROR_TIME when a timeline is too
 * long. */
pm_status pm_crowd_add_timelines(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i,
                                 pm_error *error);

#endif
