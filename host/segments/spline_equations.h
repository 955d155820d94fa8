/* SPDX-License-Identifier: MIT
 *
 * The linear system that the splines of rotations and of vectors share (docs/methods.md, "spline"): one row per key, tridiagonal, cyclic in a loop, here divided by h0 + h1:
 *   (2/h0) J W0 + 4 (1/h0 + 1/h1) W1 + (2/h1) A W2 = 6 P0/h0^2 + 6 P1/h1^2 - N
 * W are the rates at the keys, P the steps of the segments. J, A and N exist for rotations only:
 * for vectors J and A are 1 and N is 0.
 */
#ifndef PM_HOST_SPLINE_EQUATIONS_H
#define PM_HOST_SPLINE_EQUATIONS_H

#include <stdlib.h>

#include "builder.h"
#include "kernels/pm_tangents.h"

/* The factors of J, 1, A and N in a row. */
typedef struct weights {
    double lower, diagonal, upper, quadratic;
} weights;

/* The part of a row that does not depend on rates. Where the rule for ends gives the rate itself,
 * `right` is that rate. */
typedef struct spline_row {
    weights by;
    double length; /* of the segment before the key; used where N is */
    dvec3 right;
} spline_row;

/* The slope of a kind of values over a segment. The step of a segment is scale slope length: 2 for
 * rotations, whose slopes are half angles, and 1 for vectors. */
typedef struct spline_kind {
    bool of_rotations;
    double scale;
    unsigned needs; /* of slopes: PM_NEEDS_* */
} spline_kind;

static inline spline_row inner_spline_row(const spline_kind *kind, const pm_window *w,
                                          ptrdiff_t k) {
    double h0 = pm_window_length(w, k - 1);
    double h1 = pm_window_length(w, k);
    double r0 = h0 / (h0 + h1), r1 = h1 / (h0 + h1);
    dvec3 before = dvec3_times(pm_slope_of(w, k - 1, kind->of_rotations), kind->scale);
    dvec3 after = dvec3_times(pm_slope_of(w, k, kind->of_rotations), kind->scale);
    return (spline_row){
        {2 * r1, 4, 2 * r0, h0 * r1}, h0, dvec3_blend(6 * r1, before, 6 * r0, after)};
}

/* The row of the first or last key of an open track. */
static inline spline_row end_spline_row(const spline_kind *kind, const pm_window *w, ptrdiff_t k) {
    ptrdiff_t near = k == 0 ? 0 : k - 1; /* the end segment */
    dvec3 slope = dvec3_times(pm_slope_of(w, near, kind->of_rotations), 6 * kind->scale);
    if (w->rules.ends != PM_RULE_ENDS_NATURAL) {
        dvec3 rate = pm_end_rate(w, k, k == 0 ? 1 : -1, kind->of_rotations);
        return (spline_row){{0, 1, 0, 0}, 0, dvec3_times(rate, kind->scale)};
    }
    if (k == 0)
        return (spline_row){{0, 4, 2, 0}, 0, slope};
    return (spline_row){{2, 4, 0, pm_window_length(w, near)}, pm_window_length(w, near), slope};
}

static inline spline_row spline_row_of(const spline_kind *kind, const pm_window *w, ptrdiff_t k) {
    if (w->loop || (k > 0 && k < w->segment_count))
        return inner_spline_row(kind, w, k);
    return end_spline_row(kind, w, k);
}

/* `count` elements of `size` bytes, aligned for lanes; NULL: no memory. Free with free(). */
static inline void *spline_memory(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : pm_large_allocate(bytes);
}

/* Makes room for the rates of all keys. False: nothing is to be solved, because there is no memory, or
 * because an open track of two keys has the rate of its segment. */
static inline bool spline_begin(const spline_kind *kind, pm_track *track) {
    track->rates_mask = SIZE_MAX;
    track->rates = spline_memory(track->key_count, sizeof *track->rates);
    track->no_memory = !track->rates;
    if (track->no_memory || track->key_count > 2 || track->loop)
        return !track->no_memory;
    pm_track_look(track, 0, PM_WINDOW, kind->needs);
    track->rates[0] = track->rates[1] =
        dvec3_times(pm_slope_of(track->window, 0, kind->of_rotations), kind->scale);
    return false;
}

#endif
