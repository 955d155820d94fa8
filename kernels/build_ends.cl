/* SPDX-License-Identifier: MIT
 *
 * The rows that continue a loop, with the sign of its laps, and the second row of a single key.
 */
#include "pm_build.h"

/* Work size: tracks. */
pm_kernel void build_ends(pm_global float *restrict planes, pm_global float *restrict wraps,
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
        pm_store_plane(planes, pm_row_at(&track, behind, 0),
                       dquat_scaled(pm_stored_row(planes, &track, 0), wrap));
    if (!track.loop || last == 0 || !job.four_keys)
        return;
    pm_store_plane(planes, pm_row_at(&track, -1, 0),
                   dquat_scaled(pm_stored_row(planes, &track, last), wrap));
    pm_store_plane(planes, pm_row_at(&track, behind + 1, 0),
                   dquat_scaled(pm_stored_row(planes, &track, 1), wrap));
}
