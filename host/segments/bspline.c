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

static void put_step(const pm_track *track, ptrdiff_t i, unsigned coefficient, dvec3 step) {
    pm_put(track, i, coefficient, dquat_of(step, dvec3_dot(step, step)));
}

static void build(pm_track *track) {
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        dvec3 during = step_of(track, i);
        dquat turn = dquat_exp(dvec3_times(during, 0.5));
        pm_put(track, i, 0, dquat_product(pm_track_key(track, i), turn));
        put_step(track, i, 1, dquat_rotate_back(turn, step_of(track, i - 1)));
        put_step(track, i, 2, during);
        put_step(track, i, 3, step_of(track, i + 1));
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_bspline) = {.window = build, .needs_logs = true};
