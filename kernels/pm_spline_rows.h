/* SPDX-License-Identifier: MIT
 *
 * The linear system that the splines of rotations and of vectors share (docs/methods.md, "spline"): one row per
 * key, tridiagonal, cyclic in a loop, here divided by h0 + h1:
 *   (2/h0) J W0 + 4 (1/h0 + 1/h1) W1 + (2/h1) A W2 = 6 P0/h0^2 + 6 P1/h1^2 - N
 * W are the rates at the keys, P the steps of the segments. J, A and N exist for rotations only:
 * for vectors J and A are 1 and N is 0.
 */
#ifndef PM_SPLINE_ROWS_H
#define PM_SPLINE_ROWS_H

#include "pm_tangents.h"

/* The factors of J, 1, A and N in a row. */
typedef struct pm_spline_weights {
    double lower, diagonal, upper, quadratic;
} pm_spline_weights;

/* The part of a row that does not depend on rates. Where the rule for ends gives the rate itself,
 * `right` is that rate. */
typedef struct pm_spline_row {
    pm_spline_weights by;
    double length; /* of the segment before the key; used where N is */
    dvec3 right;
} pm_spline_row;

/* The step of a segment over its length: slopes of rotations are half angles. */
pm_fn dvec3 pm_full_slope(const pm_window *w, ptrdiff_t i, bool of_rotations) {
    return dvec3_times(pm_slope_of(w, i, of_rotations), of_rotations ? 2 : 1);
}

pm_fn pm_spline_row pm_inner_spline_row(const pm_window *w, ptrdiff_t k, bool of_rotations) {
    const double h0 = pm_window_length(w, k - 1), h1 = pm_window_length(w, k);
    const double r0 = h0 / (h0 + h1), r1 = h1 / (h0 + h1);
    const dvec3 before = pm_full_slope(w, k - 1, of_rotations);
    const dvec3 after = pm_full_slope(w, k, of_rotations);
    return (pm_spline_row){
        {2 * r1, 4, 2 * r0, h0 * r1}, h0, dvec3_blend(6 * r1, before, 6 * r0, after)};
}

/* A row that gives the rate itself. */
pm_fn pm_spline_row pm_rate_row(dvec3 rate) {
    return (pm_spline_row){{0, 1, 0, 0}, 0, rate};
}

/* The row of the first or last key of an open track. */
pm_fn pm_spline_row pm_end_spline_row(const pm_window *w, ptrdiff_t k, bool of_rotations) {
    const ptrdiff_t near = k == 0 ? 0 : k - 1; /* the end segment */
    const double scale = of_rotations ? 2 : 1;
    if (w->rules.ends != PM_RULE_ENDS_NATURAL)
        return pm_rate_row(dvec3_times(pm_end_rate(w, k, k == 0 ? 1 : -1, of_rotations), scale));
    const double length = pm_window_length(w, near);
    const dvec3 slope = dvec3_times(pm_slope_of(w, near, of_rotations), 6 * scale);
    if (k == 0)
        return (pm_spline_row){{0, 4, 2, 0}, 0, slope};
    return (pm_spline_row){{2, 4, 0, length}, length, slope};
}

pm_fn pm_spline_row pm_spline_row_of(const pm_window *w, ptrdiff_t k, bool of_rotations) {
    if (w->loop || (k > 0 && k < w->segment_count))
        return pm_inner_spline_row(w, k, of_rotations);
    return pm_end_spline_row(w, k, of_rotations);
}

#endif
