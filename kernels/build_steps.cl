/* SPDX-License-Identifier: MIT
 *
 * Signs of keys, first part: what the keys of a chunk do with the state of the key before them (pm_build.h). A
 * key's state depends on that of the key before it. Such steps compose: a chunk maps states to states.
 */
#include "pm_build.h"

/* Work size: tracks, for each chunk. Two bits of a chunk's step for each state of the key before the chunk: the
 * state of its last key. */
pm_kernel void build_steps(pm_global uchar *restrict steps, pm_global const pm_u32 *restrict keys,
                           pm_global const pm_build_track *restrict tracks, pm_build_job job) {
    pm_u32 index, chunk, states[4] = {0, 1, 2, 3};
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &chunk, &track, &index))
        return;
    const pm_u64 first = (pm_u64)chunk * PM_SIGN_CHUNK;
    dquat before[2] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}}, own[2];
    if (first >= track.key_count)
        return;
    if (first > 0)
        pm_read_both(pm_own_key(keys, &job, &track, first - 1), before);
    for (pm_u64 k = first; k < first + PM_SIGN_CHUNK && k < track.key_count; k++) {
        const dquat q = pm_own_key(keys, &job, &track, k);
        pm_read_both(q, own);
        for (pm_u32 i = 0; i < PM_KEY_STATES; i++)
            states[i] = pm_state_of(pm_in_state(before, states[i]), q, own);
        before[0] = own[0];
        before[1] = own[1];
    }
    steps[chunk * (pm_u64)job.track_count + index] =
        (uchar)(states[0] | states[1] << 2 | states[2] << 4 | states[3] << 6);
}
