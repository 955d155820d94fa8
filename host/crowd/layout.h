/* SPDX-License-Identifier: MIT
 *
 * What the files of this room share that lay out a crowd's clips.
 */
#ifndef PM_HOST_LAYOUT_H
#define PM_HOST_LAYOUT_H

#include "crowd.h"

/* Floats that clips begin at multiples of, among their channels' keys: cache lines, and whole
 * groups of 48-bit keys. */
enum { PM_CLIP_ALIGNMENT = 64 };

/* The failure of a clip, with its number in front of what the error says. Returns `status`. */
pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error);

/* Fills a crowd's clips, timelines and channels from clips that were built for it, joints in the
 * description's order. */
pm_status pm_crowd_lay_out(pm_crowd_data *crowd, pm_clip_data *const *clips, pm_error *error);

/* Ticks of a looped clip's period, at least 1, by which all its joints go round together: that of
 * uniform keys, which is exact, where there are any. 0 for an open clip. */
pm_u64 pm_crowd_loop_ticks(const pm_clip_data *clip);

/* The table row of a timeline, and its ticks, of a clip whose first key is at `first`, or an
 * earlier time, and whose pm_crowd_loop_ticks are `loop`; without its round. Listed key times, one
 * more than segments, are added to crowd->times, which has room. PM_ERROR_TIME when it is too
 * long. */
pm_status pm_crowd_add_timeline(pm_crowd_data *crowd, const pm_clip_timeline *timeline,
                                double first, pm_u64 loop, pm_error *error);

#endif
