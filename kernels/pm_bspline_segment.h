/* SPDX-License-Identifier: MIT
 *
 * Segments of bspline: the middle of each, and the logarithms of the steps of the previous,
 * this and the next segment (see kernels/pm_bspline.h). Keys beyond an end repeat the end key,
 * so steps there are zero.
 */
#ifndef PM_BSPLINE_SEGMENT_H
#define PM_BSPLINE_SEGMENT_H

#include "pm_window.h"

pm_fn dvec3 pm_bspline_step(const pm_window *w, ptrdiff_t i) {
    return pm_window_has(w, i) ? pm_window_log(w, i) : dvec3_none();
}

pm_fn dquat pm_with_square(dvec3 step) {
    return dquat_of(step, dvec3_dot(step, step));
}

#define pm_bspline_planes 4
#define pm_bspline_needs PM_NEEDS_LOGS
PM_NO_KNOTS(bspline)

pm_fn void pm_bspline_build(const pm_window *w, ptrdiff_t i, const int *here, const int *next,
                            pm_coefficients *c) {
    dvec3 during = pm_bspline_step(w, i);
    dquat turn = dquat_exp(dvec3_times(during, 0.5));
    (void)here, (void)next;
    c->of[0] = dquat_product(pm_window_key(w, i), turn);
    c->of[1] = pm_with_square(dquat_rotate_back(turn, pm_bspline_step(w, i - 1)));
    c->of[2] = pm_with_square(during);
    c->of[3] = pm_with_square(pm_bspline_step(w, i + 1));
}

#endif
