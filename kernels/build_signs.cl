/* SPDX-License-Identifier: MIT
 *
 * Signs of keys, second part: the state of the key before each chunk, from the steps of the chunks
 * before it.
 */
#include "pm_build.h"

/* Work size: tracks. A step becomes the state before its chunk. */
pm_kernel void build_signs(pm_global uchar *restrict steps,
                           pm_global const pm_build_track *restrict tracks, pm_build_job job) {
    pm_u32 index, row, state = 0;
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &row, &track, &index))
        return;
    const pm_u32 chunks = (track.key_count + PM_SIGN_CHUNK - 1) / PM_SIGN_CHUNK;
    for (pm_u32 chunk = 0; chunk < chunks; chunk++) {
        const pm_u64 at = chunk * (pm_u64)job.track_count + index;
        const pm_u32 step = steps[at];
        steps[at] = (uchar)state;
        state = step >> 2 * state & 3;
    }
}
