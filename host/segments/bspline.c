/* SPDX-License-Identifier: MIT
 *
 * Segments of bspline: the middle of each, and the logarithms of the steps of the previous,
 * this and the next segment (see kernels/pm_bspline.h). Keys beyond an end repeat the end key,
 * so steps there are zero.
 */
#include "builder.h"

static dvec3 step_of(const pm_track *track, ptrdiff_t i) {
    return pm_track_has(track, i) ? pm_track_log(track, i) : (dvec3){0};
}

static void put_step(const pm_coefficients_out *out, size_t segment, unsigned coefficient,
                     dvec3 step) {
    pm_put(out, segment, coefficient, dquat_of(step, dvec3_dot(step, step)));
}

static void build(pm_track *track, const pm_coefficients_out *out, pm_findings *findings) {
    (void)findings;
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        size_t k = (size_t)i;
        dvec3 during = step_of(track, i);
        dquat turn = dquat_exp(dvec3_times(during, 0.5));
        pm_put(out, k, 0, dquat_product(pm_track_key(track, i), turn));
        put_step(out, k, 1, dquat_rotate_back(turn, step_of(track, i - 1)));
        put_step(out, k, 2, during);
        put_step(out, k, 3, step_of(track, i + 1));
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_bspline) = {.window = build, .needs_logs = true};
