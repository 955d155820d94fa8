/* SPDX-License-Identifier: MIT
 *
 * The rows that continue a loop, with the sign of its laps, and the second row of a single key.
 */
#include "pm_build.h"

/* Stores a key in another row, with the sign of another lap. */
pm_fn void pm_repeat(pm_global pm_stored_key *planes, const pm_build_track *track, pm_s64 from,
                     pm_s64 to, double wrap) {
    const pm_built_key key = pm_stored_row(planes, track, from);
    pm_store_key(planes, pm_built_row(track, to, 0), pm_codes_flipped(key, dmask_of(wrap < 0)));
}

/* Work size: tracks. */
pm_kernel void build_ends(pm_global pm_stored_key *restrict planes, pm_global float *restrict wraps,
                          pm_global const pm_build_track *restrict tracks, pm_build_job job) {
    pm_u32 index, row;
    pm_build_track track;
    double wrap = 1;
    if (!pm_item_of(&job, tracks, &row, &track, &index))
        return;
    const pm_s64 last = (pm_s64)track.key_count - 1, behind = (pm_s64)track.segment_count;
    if (track.loop && job.unrolls) {
        wrap = pm_wrap_of(pm_key_again(planes, &job, &track, 0),
                          pm_key_again(planes, &job, &track, last));
        wraps[index] = (float)wrap;
    }
    if (track.loop || last == 0)
        pm_repeat(planes, &track, 0, behind, wrap);
    if (!track.loop || last == 0 || !job.four_keys)
        return;
    pm_repeat(planes, &track, last, -1, wrap);
    pm_repeat(planes, &track, 1, behind + 1, wrap);
}
