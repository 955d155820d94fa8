/* SPDX-License-Identifier: MIT
 *
 * Signs of keys, first part: what the keys of a chunk do with the sign of the key before them. Each key has
 * the sign that is nearer to the key before it: it takes that key's sign, or the opposite one, or, where
 * their dot product is 0, its own. Such steps compose: a chunk maps both signs to signs.
 */
#include "pm_build.h"

/* Work size: tracks, for each chunk. Bit s of a chunk's step is the sign of its last key, 1 for negative,
 * if s is that of the key before the chunk. */
pm_kernel void build_steps(pm_global pm_u8 *restrict steps, pm_global const pm_u32 *restrict keys,
                           pm_global const pm_build_track *restrict tracks, pm_build_job job) {
    pm_u32 index, chunk;
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &chunk, &track, &index))
        return;
    const pm_u64 first = (pm_u64)chunk * PM_SIGN_CHUNK;
    dquat before = {0.0, 0.0, 0.0, 0.0};
    bool of_positive = false, of_negative = true;
    if (first >= track.key_count)
        return;
    if (first > 0)
        before = pm_key_of(pm_own_codes(keys, &job, &track, first - 1));
    for (pm_u64 k = first; k < first + PM_SIGN_CHUNK && k < track.key_count; k++) {
        const dquat q = pm_key_of(pm_own_codes(keys, &job, &track, k));
        const double dot = dquat_dot(before, q);
        of_positive = of_positive ? dot > 0 : dot < 0;
        of_negative = of_negative ? dot > 0 : dot < 0;
        before = q;
    }
    steps[chunk * (pm_u64)job.track_count + index] =
        (pm_u8)((of_positive ? 1 : 0) | (of_negative ? 2 : 0));
}
