/* SPDX-License-Identifier: MIT
 *
 * Additional input of track sets for methods that require more than keys: tangents for cubicspline,
 * uniform key times for bspline.
 */
#include "random_tracks.h"

#include <string.h>

/* The slope of component c at key i: a weighted sum of the steps to both neighbours. */
static double mixed_slope(const double *values, size_t width, size_t count, const double *times,
                          size_t i, double before, double after) {
    const size_t low = i > 0 ? i - 1 : 0, high = i + 1 < count ? i + 1 : i;
    const double span = times[high] - times[low];
    const double in = values[i * width] - values[low * width];
    const double out = values[high * width] - values[i * width];
    return span > 0.0 ? (before * in + after * out) / span : 0.0;
}

/* Both tangents of key i of a track, for one component. */
static void tangents_of(const double *values, size_t width, const test_track *t, size_t i,
                        double added, double *in, double *out) {
    *in = mixed_slope(values, width, t->key_count, t->times, i, 1.2, 0.8) + added;
    *out = mixed_slope(values, width, t->key_count, t->times, i, 0.8, 1.2) + added;
}

/* The derivative of a key that rotates at a body velocity. */
static void turning(const double q[4], const double w[3], double out[4]) {
    out[0] = q[3] * w[0] + q[1] * w[2] - q[2] * w[1];
    out[1] = q[3] * w[1] + q[2] * w[0] - q[0] * w[2];
    out[2] = q[3] * w[2] + q[0] * w[1] - q[1] * w[0];
    out[3] = -q[0] * w[0] - q[1] * w[1] - q[2] * w[2];
}

static void give_key(track_set *set, const test_track *t, size_t i, size_t row) {
    double turn[4];
    turning(t->keys[i], t->tangents[i], turn);
    for (size_t c = 0; c < 4; c++) {
        tangents_of(&t->keys[0][c], 4, t, i, 0.3 * turn[c], set->tangents_in + 4 * row + c,
                    set->tangents_out + 4 * row + c);
    }
    for (size_t c = 0; c < 3; c++) {
        double *in = set->positions_in + 3 * row + c, *out = set->positions_out + 3 * row + c;
        tangents_of(&t->positions[0][c], 3, t, i, 0.3 * t->tangents[i][c], in, out);
        set->scales_in[3 * row + c] = -0.5 * *in;
        set->scales_out[3 * row + c] = -0.5 * *out;
    }
}

void set_give_tangents(track_set *set, pm_clip_desc *desc) {
    size_t before = 0;
    for (size_t n = 0; n < set->count; n++) {
        const test_track *t = &set->tracks[n];
        for (size_t i = 0; i < t->key_count; i++)
            give_key(set, t, i, set->common_timeline ? i * set->count + n : before + i);
        before += t->key_count;
    }
    desc->tangents_in = (pm_array){set->tangents_in, PM_FLOAT64, 0};
    desc->tangents_out = (pm_array){set->tangents_out, PM_FLOAT64, 0};
    desc->positions_in = (pm_array){set->positions_in, PM_FLOAT64, 0};
    desc->positions_out = (pm_array){set->positions_out, PM_FLOAT64, 0};
    desc->scales_in = (pm_array){set->scales_in, PM_FLOAT64, 0};
    desc->scales_out = (pm_array){set->scales_out, PM_FLOAT64, 0};
}

void set_make_uniform(track_set *set) {
    for (size_t n = 0; n < set->count; n++) {
        test_track *t = &set->tracks[n];
        const double first = t->times[0], last = t->times[t->key_count - 1];
        const bool closed = t->period > 0.0 && last - first >= t->period;
        for (size_t i = 0; i < t->key_count; i++)
            t->times[i] = first + (double)i;
        if (t->period > 0.0)
            t->period = (double)(closed ? t->key_count - 1 : t->key_count);
    }
}
