/* SPDX-License-Identifier: MIT
 *
 * Functions for laying out a crowd's clips, shared by the files of this room.
 */
#ifndef PM_HOST_LAYOUT_H
#define PM_HOST_LAYOUT_H

#include "crowd.h"

/* The keys of each clip begin at a multiple of this many floats within a channel: a cache-line
 * boundary, and a whole number of groups of 48-bit keys. */
enum { PM_CLIP_ALIGNMENT = 64 };

/* Prefixes the error's message with "clips[N]: ". Returns `status`. */
pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error);

/* Fills a crowd's clips, timelines and channels from the built clips, whose tracks are in the
 * description's joint order. Copies: the caller keeps the clips. */
pm_status pm_crowd_lay_out(pm_crowd_data *crowd, pm_clip_data *const *clips, pm_error *error);

/* The period of a looped clip in ticks, at least 1, common to all its joints. Where some joint has
 * uniform keys, the period follows from their rate, which is exact. 0 for an open clip. */
pm_u64 pm_crowd_loop_ticks(const pm_clip_data *clip);

/* Appends a timeline to crowd->timelines, except for its cycle. `first` is the time of the clip's
 * first key or earlier, in seconds; `loop` is the clip's pm_crowd_loop_ticks. Listed key times, one
 * more than there are segments, are appended to crowd->times. Both arrays have space. PM_ERROR_TIME
 * when the timeline is too long. */
pm_status pm_crowd_add_timeline(pm_crowd_data *crowd, const pm_clip_timeline *timeline,
                                double first, pm_u64 loop, pm_error *error);

#endif
