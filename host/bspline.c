/* SPDX-License-Identifier: MIT
 *
 * Segments of bspline: logarithms of the steps before, of and after a segment (see
 * kernels/pm_bspline.h). Keys beyond an end repeat the end key: steps there are nothing.
 */
#include "segments.h"

static dquat step_of(const pm_track *track, ptrdiff_t i) {
    if (!pm_track_has(track, i))
        return (dquat){0, 0, 0, 0};
    dvec3 log = pm_track_log(track, i);
    return (dquat){log.x, log.y, log.z, dvec3_dot(log, log)};
}

pm_built_segments pm_build_bspline(const pm_track *track, const pm_extras_out *out) {
    for (size_t k = 0; k < track->segment_count; k++)
        for (unsigned e = 0; e < 3; e++)
            pm_put(out, k, e, step_of(track, (ptrdiff_t)k + (ptrdiff_t)e - 1));
    return (pm_built_segments){PM_OK, false};
}
