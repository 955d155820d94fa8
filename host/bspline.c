/* SPDX-License-Identifier: MIT
 *
 * Segments of bspline: their middle, and the logarithms of the steps before, of and after
 * them (see kernels/pm_bspline.h). Keys beyond an end repeat the end key: steps there are
 * nothing.
 */
#include "segments.h"

static dvec3 step_of(const pm_track *track, ptrdiff_t i) {
    return pm_track_has(track, i) ? pm_track_log(track, i) : dvec3_of(0, 0, 0);
}

static void put_step(const pm_extras_out *out, size_t segment, unsigned extra, dvec3 step) {
    pm_put(out, segment, extra, (dquat){step.x, step.y, step.z, dvec3_dot(step, step)});
}

pm_built_segments pm_build_bspline(const pm_track *track, const pm_extras_out *out) {
    pm_track_find_logs(track);
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        dvec3 during = step_of(track, i);
        dquat turn = dquat_exp(dvec3_scaled(during, 0.5));
        pm_put(out, k, 0, dquat_product(pm_track_key(track, i), turn));
        put_step(out, k, 1, dquat_rotate_back(turn, step_of(track, i - 1)));
        put_step(out, k, 2, during);
        put_step(out, k, 3, step_of(track, i + 1));
    }
    return (pm_built_segments){PM_OK, false};
}
