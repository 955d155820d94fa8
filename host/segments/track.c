/* SPDX-License-Identifier: MIT
 *
 * Tracks in lanes: reading their arrays, and the window of their keys.
 */
#include "track.h"

dquat pm_given_row(const pm_lane_views *rows, size_t key) {
    dquat q = {0};
    size_t at = key * rows->stride;
    if (rows->adjacent && rows->components == 4)
        return dquat_load(rows->data[0] + at, rows->type);
    for (size_t i = 0; i < PM_DOUBLES; i++) {
        pm_array_view lane = {rows->data[i] + at, rows->type, 0};
        const bool is_vector = rows->components > 1;
        dquat_set_lane(&q, i, pm_number_at(&lane, 0, 0), is_vector ? pm_number_at(&lane, 0, 1) : 0,
                       is_vector ? pm_number_at(&lane, 0, 2) : 0,
                       rows->components == 4 ? pm_number_at(&lane, 0, 3) : 0);
    }
    return q;
}

/* Key i of the track. In a loop, i may continue past either end. */
static dquat find_key(const pm_track *track, ptrdiff_t i) {
    const ptrdiff_t count = (ptrdiff_t)track->key_count;
    if (!track->loop || (i >= 0 && i < count))
        return pm_normalised_key(track, pm_get(track, i));
    const dquat stored = i < 0 ? track->tail : track->head[i - count];
    return dquat_scaled(pm_normalised_key(track, stored), track->wrap);
}

static double find_length(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t count = (ptrdiff_t)track->segment_count;
    ptrdiff_t k = i < 0 ? i + count : i >= count ? i - count : i;
    return track->times[k + 1] - track->times[k];
}

void pm_track_give(const pm_track *track, ptrdiff_t i, unsigned needs) {
    pm_window *w = track->window;
    const size_t key = track->single ? 0 : (size_t)i % track->key_count;
    dquat *in = &w->in[PM_GIVEN_AT(w, i)];
    if (needs & PM_NEEDS_USER && w->rules.tangents == PM_RULE_USER)
        *in = pm_given_row(&track->user_tangents, key);
    if (needs & PM_NEEDS_RATES)
        *in = dquat_of_vector(track->rates[(size_t)i % track->key_count & track->rates_mask]);
    if (needs & PM_NEEDS_IN_OUT) {
        *in = pm_given_row(&track->tangents_in, key);
        w->out[PM_GIVEN_AT(w, i)] = pm_given_row(&track->tangents_out, key);
    }
}

void pm_track_look(pm_track *track, ptrdiff_t first, size_t segments, unsigned needs) {
    pm_window *w = track->window;
    const ptrdiff_t count = (ptrdiff_t)track->segment_count;
    w->segment_count = count;
    w->loop = track->loop;
    w->single = track->single;
    w->axis = track->axis;
    w->first = first;
    w->end = first + (ptrdiff_t)segments < count ? first + (ptrdiff_t)segments : count;
    if (first >= count)
        return;
    const ptrdiff_t from = pm_window_has(w, first - 1) ? first - 1 : first;
    const ptrdiff_t to = pm_window_has(w, w->end) ? w->end + 1 : w->end;
    for (ptrdiff_t i = from; i <= to; i++)
        w->keys[i - first + 1] = find_key(track, i);
    for (ptrdiff_t i = from; i < to; i++)
        w->lengths[i - first + 1] = find_length(track, i);
    for (ptrdiff_t i = from; needs & PM_NEEDS_LOGS && i < to; i++)
        w->logs[i - first + 1] = pm_step_log(pm_window_key(w, i), pm_window_key(w, i + 1));
}
