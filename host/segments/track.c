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
        dquat_set_lane(&q, i, pm_number_at(&lane, 0, 0), pm_number_at(&lane, 0, 1),
                       pm_number_at(&lane, 0, 2),
                       rows->components == 4 ? pm_number_at(&lane, 0, 3) : 0);
    }
    return q;
}

/* Key i of the track. In a loop, i may continue past either end. */
static dquat find_key(const pm_track *track, ptrdiff_t i) {
    const ptrdiff_t count = (ptrdiff_t)track->key_count;
    if (!track->loop || (i >= 0 && i < count))
        return pm_normalised_key(track, pm_get(track, (size_t)i));
    const dquat stored = i < 0 ? track->tail : track->head[i - count];
    return dquat_scaled(pm_normalised_key(track, stored), track->wrap);
}

static double find_length(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t count = (ptrdiff_t)track->segment_count;
    ptrdiff_t k = i < 0 ? i + count : i >= count ? i - count : i;
    return track->times[k + 1] - track->times[k];
}

void pm_track_look(pm_track *track, ptrdiff_t first, size_t segments, bool needs_logs) {
    pm_window *window = track->window;
    ptrdiff_t count = (ptrdiff_t)track->segment_count;
    track->first = first;
    track->end = first + (ptrdiff_t)segments < count ? first + (ptrdiff_t)segments : count;
    if (first >= count)
        return;
    ptrdiff_t from = pm_track_has(track, first - 1) ? first - 1 : first;
    ptrdiff_t to = pm_track_has(track, track->end) ? track->end + 1 : track->end;
    for (ptrdiff_t i = from; i <= to; i++)
        window->keys[i - first + 1] = find_key(track, i);
    for (ptrdiff_t i = from; i < to; i++)
        window->lengths[i - first + 1] = find_length(track, i);
    for (ptrdiff_t i = from; needs_logs && i < to; i++)
        window->logs[i - first + 1] = dquat_log(
            dquat_product(dquat_conjugate(pm_track_key(track, i)), pm_track_key(track, i + 1)));
}
