/* SPDX-License-Identifier: MIT
 *
 * The C2 spline of positions and scales: see spline_equations.h. The matrix depends only on the
 * key times, so only the right sides have lanes.
 */
#include "spline_equations.h"

static const spline_kind vectors = {false, 1, 0};

/* A key's row after its elimination: its rate is right - upper (the next rate), and in a loop
 * + last (the last key's rate). */
typedef struct solved {
    dvec3 right;
    double upper, last;
} solved;

static void eliminate(const spline_row *row, const solved *before, solved *to) {
    double lower = before ? row->by.lower : 0;
    const solved none = {0};
    before = before ? before : &none;
    double inverse = 1 / (row->by.diagonal - lower * before->upper);
    to->upper = row->by.upper * inverse;
    to->last = -lower * before->last * inverse;
    to->right = dvec3_blend(inverse, row->right, -lower * inverse, before->right);
}

/* Eliminates all keys except, in a loop, the last, whose rate moves to the right side. Returns the
 * last row. */
static spline_row eliminate_all(pm_track *track, size_t count, solved *keys) {
    spline_row row = {0};
    const pm_window *w = track->window;
    for (pm_track_look(track, 0, PM_WINDOW, 0); w->first < w->end;
         pm_track_look(track, w->end, PM_WINDOW, 0)) {
        bool ends = w->end == w->segment_count;
        ptrdiff_t end = ends && !w->loop ? w->end + 1 : w->end;
        for (ptrdiff_t i = w->first; i < end; i++) {
            size_t k = (size_t)i;
            row = spline_row_of(&vectors, w, i);
            if (k < count)
                eliminate(&row, k > 0 ? &keys[k - 1] : NULL, &keys[k]);
            if (track->loop && k == 0)
                keys[k].last -= row.by.lower / row.by.diagonal;
            if (track->loop && k + 1 == count)
                keys[k].last -= keys[k].upper;
        }
    }
    return row;
}

static void substitute(solved *keys, size_t count) {
    for (size_t k = count - 1; k-- > 0;) {
        keys[k].right = dvec3_blend(1, keys[k].right, -keys[k].upper, keys[k + 1].right);
        keys[k].last -= keys[k].upper * keys[k + 1].last;
    }
}

/* Solves the last key of a loop from its own row, then the other keys from its rate. */
static void close_loop(const spline_row *own, solved *keys, size_t last) {
    const solved *before = &keys[last - 1], *after = &keys[0];
    double diagonal = own->by.diagonal + own->by.lower * before->last + own->by.upper * after->last;
    dvec3 rest = dvec3_blend(own->by.lower, before->right, own->by.upper, after->right);
    keys[last].right = dvec3_times(dvec3_difference(own->right, rest), 1 / diagonal);
    for (size_t k = 0; k < last; k++)
        keys[k].right = dvec3_blend(1, keys[k].right, keys[k].last, keys[last].right);
}

static void solve(pm_track *track, solved *keys) {
    size_t count = track->loop ? track->key_count - 1 : track->key_count;
    spline_row own = eliminate_all(track, count, keys);
    substitute(keys, count);
    if (track->loop)
        close_loop(&own, keys, count);
}

static void find_rates(pm_track *track) {
    solved *keys = spline_memory(track->key_count, sizeof *keys);
    track->no_memory = !keys;
    if (!keys)
        return;
    solve(track, keys);
    for (size_t k = 0; k < track->key_count; k++)
        track->rates[k] = keys[k].right;
    free(keys);
}

void pm_prepare_vector_spline(pm_track *track) {
    if (spline_begin(&vectors, track))
        find_rates(track);
}
