/* SPDX-License-Identifier: MIT
 *
 * Whether numbers that only the device has are those of a clip: the rules of the host's check. Doubtful ones count
 * as bad; the host then reads them and says what is wrong.
 */
#include "pm_build.h"

pm_fn bool pm_is_within(dquat q, double most) {
    return fabs(q.x) <= most && fabs(q.y) <= most && fabs(q.z) <= most && fabs(q.w) <= most;
}

/* Squares of norms, further inside than rounding reaches. */
pm_fn bool pm_is_key(const pm_build_job *job, dquat q) {
    const double n = PM_COMPONENTS == 4 ? dquat_dot(q, q) : 0.0;
    const double least = job->keeps_length ? PM_LEAST_NORM : 1.0 - PM_NORM_TOLERANCE;
    const double largest = job->keeps_length ? PM_LARGEST_NORM : 1.0 + PM_NORM_TOLERANCE;
    if (PM_COMPONENTS == 3)
        return pm_is_within(q, PM_LARGEST_VECTOR);
    return n >= least * least * (1.0 + 1e-9) && n <= largest * largest * (1.0 - 1e-9);
}

/* Whether the key that closes a loop is its first one, to the bit. */
pm_fn bool pm_is_closed(dquat first, dquat last) {
    return first.x == last.x && first.y == last.y && first.z == last.z && first.w == last.w;
}

/* Work size: tracks, for each chunk. `failure`: a number is bad, or may be. */
pm_kernel void build_check(pm_global const pm_u32 *restrict keys,
                           pm_global const pm_u32 *restrict in,
                           pm_global const pm_u32 *restrict out,
                           pm_global const pm_build_track *restrict tracks,
                           pm_global pm_u32 *restrict failure, pm_build_job job) {
    pm_u32 index, chunk;
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &chunk, &track, &index))
        return;
    const pm_u64 first = (pm_u64)chunk * PM_SIGN_CHUNK;
    bool good = true;
    for (pm_u64 k = first; k < first + PM_SIGN_CHUNK && k < track.key_count; k++) {
        good = good && pm_is_key(&job, pm_given_key(keys, job.keys, &track, PM_COMPONENTS, k));
        if (job.checks == PM_CHECKS_USER)
            good = good &&
                   pm_is_within(pm_given_key(in, job.in, &track, 3, k), PM_LARGEST_USER_TANGENT);
        if (job.checks == PM_CHECKS_IN_OUT)
            good = good &&
                   pm_is_within(pm_given_key(in, job.in, &track, PM_COMPONENTS, k),
                                PM_LARGEST_TANGENT) &&
                   pm_is_within(pm_given_key(out, job.out, &track, PM_COMPONENTS, k),
                                PM_LARGEST_TANGENT);
    }
    if (chunk == 0 && track.closes)
        good = good &&
               pm_is_closed(pm_given_key(keys, job.keys, &track, PM_COMPONENTS, 0),
                            pm_given_key(keys, job.keys, &track, PM_COMPONENTS, track.key_count));
    if (!good)
        *failure = 1;
}
