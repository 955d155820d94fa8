/* SPDX-License-Identifier: MIT
 *
 * The stored keys of a chunk: normalised, with their signs, rounded or encoded.
 */
#include "pm_build.h"

/* Work size: tracks, for each chunk. `signs` of the keys before the chunks are read where signs are
 * chosen. */
pm_kernel void build_keys(pm_global pm_stored_key *restrict planes,
                          pm_global const pm_u32 *restrict keys,
                          pm_global const pm_u8 *restrict signs,
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
        before =
            dquat_flipped(pm_key_of(pm_own_codes(keys, &job, &track, first - 1)), -(dmask)sign);
    }
    for (pm_u64 k = first; k < first + PM_SIGN_CHUNK && k < track.key_count; k++) {
        pm_built_key key = pm_own_codes(keys, &job, &track, k);
        if (job.unrolls)
            key = pm_codes_flipped(key, pm_is_turned(before, pm_key_of(key)));
        pm_store_key(planes, pm_built_row(&track, (pm_s64)k, 0), key);
        before = pm_key_of(key);
    }
}
