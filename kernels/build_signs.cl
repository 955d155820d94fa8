/* SPDX-License-Identifier: MIT
 *
 * Signs of keys, second part: the sign of the key before each chunk, from the steps of the chunks
 * before it.
 */
#include "pm_build.h"

/* Work size: tracks. A step becomes the sign before its chunk: 1 is negative. */
pm_kernel void build_signs(pm_global pm_u8 *restrict steps,
                           pm_global const pm_build_track *restrict tracks, pm_build_job job) {
    const pm_u32 index = pm_global_id(0);
    pm_u32 sign = 0;
    if (index >= job.track_count)
        return;
    const pm_u32 chunks = (tracks[index].key_count + PM_SIGN_CHUNK - 1) / PM_SIGN_CHUNK;
    for (pm_u32 chunk = 0; chunk < chunks && tracks[index].row != 0; chunk++) {
        const pm_u64 at = chunk * (pm_u64)job.track_count + index;
        const pm_u32 step = steps[at];
        steps[at] = (pm_u8)sign;
        sign = step >> sign & 1;
    }
}
