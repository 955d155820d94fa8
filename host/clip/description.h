/* SPDX-License-Identifier: MIT
 *
 * Functions on clip descriptions that the files of this room share.
 */
#ifndef PM_HOST_DESCRIPTION_H
#define PM_HOST_DESCRIPTION_H

#include "clip.h"

/* Places of a row of so many tracks. Vectors have up to PM_TRACK_GROUP lanes and load whole groups of
 * tracks. Fewer tracks are loaded by vectors of which they fill more than half, so a power of 2 is
 * sufficient. */
size_t pm_padded_tracks(size_t tracks);

/* The keys of an array of channel or scalars `c` in total, where all tracks have `all`. With scalars there is
 * one timeline, and they are no more than tracks. */
static inline size_t pm_keys_in_array(const pm_clip_desc *desc, unsigned c, size_t root,
                                      size_t all) {
    if (c == PM_SCALARS)
        return desc->timelines[0].key_count * pm_scalar_count(desc);
    return pm_is_of_root(desc, c) ? pm_timeline_of_track(desc, root)->key_count : all;
}

/* The part of pm_clip_check_joints that reads every key. The other checks must have passed. */
pm_status pm_clip_check_keys(const pm_clip_desc *desc, size_t root, pm_error *error);

/* Tracks that a thread builds together, of all channels: neighbours among the planes. */
typedef struct pm_track_span {
    size_t place, count;
    size_t first_row; /* number of keys of all tracks before the first, with per-track timelines */
} pm_track_span;

/* A channel of them, as its segments are built. */
pm_block pm_clip_block(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel,
                       const pm_track_span *tracks);

#endif
