/* SPDX-License-Identifier: MIT
 *
 * Access to the keys of one track, and rounding to what is stored.
 */
#include "segments.h"

#include <string.h>

double pm_number_at(const pm_rows_of_track *rows, size_t row, size_t component) {
    const unsigned char *at = rows->data + row * rows->stride;
    if (rows->type == PM_FLOAT64) {
        double value;
        memcpy(&value, at + component * sizeof value, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, at + component * sizeof value, sizeof value);
    return (double)value;
}

/* i mod n in [0, n), and how many times n goes into i. */
static size_t wrapped(ptrdiff_t i, size_t n, ptrdiff_t *laps) {
    ptrdiff_t count = (ptrdiff_t)n;
    *laps = i / count - (i % count < 0);
    return (size_t)(i - *laps * count);
}

dquat pm_track_key(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t laps = 0;
    if (!track->loop)
        return track->keys[i];
    dquat key = track->keys[wrapped(i, track->key_count, &laps)];
    return laps % 2 ? dquat_scaled(key, track->wrap) : key;
}

double pm_track_length(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t laps;
    size_t k = track->loop ? wrapped(i, track->segment_count, &laps) : (size_t)i;
    return track->times[k + 1] - track->times[k];
}

bool pm_track_has(const pm_track *track, ptrdiff_t i) {
    return track->loop || (i >= 0 && i < (ptrdiff_t)track->segment_count);
}

bool pm_track_repeats(const pm_track *track, ptrdiff_t i) {
    dquat d = dquat_difference(pm_track_key(track, i), pm_track_key(track, i + 1));
    return d.x == 0 && d.y == 0 && d.z == 0 && d.w == 0;
}

void pm_track_find_logs(const pm_track *track) {
    size_t steps = track->loop ? track->key_count : track->key_count - 1;
    for (size_t k = 0; k < steps; k++) {
        dquat to = pm_track_key(track, (ptrdiff_t)k + 1);
        track->logs[k] = dquat_log(dquat_product(dquat_conjugate(track->keys[k]), to));
    }
}

dvec3 pm_track_log(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t laps; /* turn both keys, and so not their step */
    return track->logs[track->loop ? wrapped(i, track->key_count, &laps) : (size_t)i];
}

float pm_stored(double value) {
    return fabs(value) < 0x1p-60 ? 0.0f : (float)value;
}

dquat pm_put(const pm_extras_out *out, size_t segment, unsigned extra, dquat value) {
    float *to = out->to + segment * out->row + extra * out->plane;
    to[0] = pm_stored(value.x);
    to[1] = pm_stored(value.y);
    to[2] = pm_stored(value.z);
    to[3] = pm_stored(value.w);
    return (dquat){(double)to[0], (double)to[1], (double)to[2], (double)to[3]};
}
