/* SPDX-License-Identifier: MIT
 *
 * The stored keys of a chunk: normalised, with their signs, rounded.
 */
#include "pm_build.h"

/* Work size: tracks, for each chunk. `signs` of the keys before the chunks are read where signs are
 * chosen. */
pm_kernel void build_keys(pm_global float *restrict planes, pm_global const pm_u32 *restrict keys,
                          pm_global const uchar *restrict signs,
                          pm_global const pm_build_track *restrict tracks, pm_build_job job) {
    pm_u32 index, chunk;
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &chunk, &track, &index))
        return;
    const pm_u64 first = (pm_u64)chunk * PM_SIGN_CHUNK;
    dquat before = {0.0, 0.0, 0.0, 0.0};
    if (first >= track.key_count)
        return;
    if (first > 0 && job.unrolls) {
        const pm_u32 sign = signs[chunk * (pm_u64)job.track_count + index];
        before = dquat_flipped(pm_own_key(keys, &job, &track, first - 1), -(dmask)sign);
    }
    for (pm_u64 k = first; k < first + PM_SIGN_CHUNK && k < track.key_count; k++) {
        dquat q = pm_own_key(keys, &job, &track, k);
        if (job.unrolls)
            q = dquat_flipped(q, pm_is_turned(before, q));
        pm_store_plane(planes, pm_row_at(&track, (pm_s64)k, 0), q);
        before = q;
    }
}
