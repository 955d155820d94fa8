/* SPDX-License-Identifier: MIT
 *
 * The rates of splines: memory, and the windows that rows are read through. Long tracks of rotations are
 * solved in ranges, and as a whole in the lanes whose ranges depend on each other.
 */
#include "builder.h"

#include <string.h>

#include "kernels/pm_spline_rates.h"
#include "kernels/pm_vector_spline_rates.h"

/* `count` elements of `size` bytes, aligned for lanes; NULL: no memory. Free with pm_release. */
static void *allocate(const pm_track *track, size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes)
               ? NULL
               : pm_allocate_lines(track->block->host, bytes);
}

/* Makes room for the rates of all keys. False: nothing is to be solved, because there is no memory, or
 * because an open track of two keys has the rate of its segment. */
static bool begin(pm_track *track, bool of_rotations) {
    track->rates_mask = SIZE_MAX;
    track->rates = allocate(track, track->key_count, sizeof *track->rates);
    track->no_memory = !track->rates;
    if (track->no_memory || track->key_count > 2 || track->loop)
        return !track->no_memory;
    pm_track_look(track, 0, PM_WINDOW, of_rotations ? PM_NEEDS_LOGS : 0);
    track->rates[0] = track->rates[1] = pm_full_slope(track->window, 0, of_rotations);
    return false;
}

/* ---- rotations ---- */

/* Reads the steps and rows of equations, a window of the track at a time. */
static void read_rows(pm_track *track, const pm_spline *e) {
    const pm_window *w = track->window;
    const ptrdiff_t segments = (ptrdiff_t)track->segment_count;
    size_t k = 0;
    while (k < e->count) {
        ptrdiff_t at = (e->first + (ptrdiff_t)k) % segments;
        at += at < 0 ? segments : 0;
        if (!track->loop && e->first + (ptrdiff_t)k == segments)
            at = segments - 1;
        pm_track_look(track, at, PM_WINDOW, PM_NEEDS_LOGS);
        for (ptrdiff_t i = w->first; i < w->end && k < e->count; i++, k++) {
            if (!track->loop && e->first + (ptrdiff_t)k == segments)
                break;
            pm_spline_set_step(e, k, pm_window_log(w, i));
            pm_spline_set_row(e, k, w, i);
        }
        if (!track->loop && k < e->count && e->first + (ptrdiff_t)k == segments) {
            pm_spline_set_row(e, k, w, segments);
            k++;
        }
    }
}

/* Puts the rates of `active` lanes of a range among those of the track; others stay. Returns the lanes without
 * a result. */
static dmask solve_range(pm_track *track, size_t from, size_t end, dmask active) {
    pm_spline e = pm_spline_around(track->key_count, track->loop, from, end);
    void *memory = allocate(track, e.count, PM_SPLINE_BYTES(e.closed));
    track->no_memory = !memory;
    if (!memory)
        return dmask_none();
    pm_spline_place(&e, memory);
    e.active = active;
    read_rows(track, &e);
    pm_spline_solve(&e);
    for (size_t k = from; k < end; k++) {
        dvec3 *to = &track->rates[k & track->rates_mask];
        *to = dvec3_select(active, e.rates[e.core + k - from], *to);
    }
    pm_release(memory);
    return pm_spline_left(&e);
}

dmask pm_prepare_spline_range(pm_track *track, size_t from, size_t end) {
    return solve_range(track, from, end, ~dmask_none());
}

static dmask solve_ranges(pm_track *track) {
    const size_t keys = track->key_count;
    dmask left = dmask_none();
    for (size_t k = 0; k < keys && !track->no_memory; k += PM_RANGE)
        left |= pm_prepare_spline_range(track, k, keys - k < PM_RANGE ? keys : k + PM_RANGE);
    return left;
}

void pm_prepare_spline(pm_track *track) {
    dmask left = ~dmask_none();
    if (!begin(track, true))
        return;
    if (track->key_count > PM_LEAST_RANGED)
        left = solve_ranges(track);
    if (dmask_any(left) && !track->no_memory)
        track->failed |= solve_range(track, 0, track->key_count, left);
}

/* ---- positions and scales ---- */

/* Eliminates all keys except, in a loop, the last, whose rate moves to the right side. Returns the
 * last row. */
static pm_spline_row eliminate_all(pm_track *track, pm_spline_factors *factors) {
    const size_t count = track->loop ? track->key_count - 1 : track->key_count;
    const pm_window *w = track->window;
    pm_spline_row row = pm_rate_row(dvec3_none());
    for (pm_track_look(track, 0, PM_WINDOW, 0); w->first < w->end;
         pm_track_look(track, w->end, PM_WINDOW, 0)) {
        bool ends = w->end == w->segment_count;
        ptrdiff_t end = ends && !w->loop ? w->end + 1 : w->end;
        for (ptrdiff_t i = w->first; i < end; i++) {
            row = pm_spline_row_of(w, i, false);
            if ((size_t)i < count)
                pm_vector_eliminate(&row, (size_t)i, count, w->loop, factors, track->rates, 1);
        }
    }
    return row;
}

void pm_prepare_vector_spline(pm_track *track) {
    if (!begin(track, false))
        return;
    pm_spline_factors *factors = allocate(track, track->key_count, sizeof *factors);
    track->no_memory = !factors;
    if (!factors)
        return;
    const pm_spline_row last = eliminate_all(track, factors);
    pm_vector_substitute(&last, track->key_count, track->loop, factors, track->rates, 1);
    pm_release(factors);
}
