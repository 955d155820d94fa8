/* SPDX-License-Identifier: MIT
 *
 * Plain formulas, for clarity and not for speed.
 */
#include "motion_truth.h"

#include <math.h>
#include <string.h>

#include "oracle/oracle_quat.h"

double truth_number(const pm_array *array, size_t components, size_t key, size_t component) {
    const size_t size = array->type == PM_FLOAT32 ? 4 : 8;
    const size_t row = array->stride ? array->stride : components * size;
    const char *at = (const char *)array->data + key * row + component * size;
    float single = 0;
    double number = 0;
    memcpy(array->type == PM_FLOAT32 ? (void *)&single : (void *)&number, at, size);
    return array->type == PM_FLOAT32 ? (double)single : number;
}

double truth_time(const pm_timeline *timeline, size_t key) {
    if (timeline->times)
        return timeline->times[key];
    return (double)key * (double)timeline->rate.den / (double)timeline->rate.num;
}

truth_place truth_find(const pm_timeline *timeline, double time) {
    const size_t last = timeline->key_count - 1;
    size_t key = 0;
    for (size_t high = timeline->key_count; high - key > 1;) {
        const size_t middle = (key + high) / 2;
        if (truth_time(timeline, middle) <= time)
            key = middle;
        else
            high = middle;
    }
    const double begin = truth_time(timeline, key);
    if (key == last || time <= begin)
        return (truth_place){.key = key};
    const double seconds = truth_time(timeline, key + 1) - begin;
    return (truth_place){.key = key, .u = (time - begin) / seconds, .seconds = seconds};
}

static quat key_at(const pm_motion_channel *c, size_t key) {
    double q[4];
    for (size_t i = 0; i < 4; i++)
        q[i] = truth_number(&c->keys, 4, key, i);
    return quat_normalise(quat_of(q));
}

static void turn(const pm_motion_channel *c, truth_place at, double value[4]) {
    const quat a = key_at(c, at.key);
    quat b = key_at(c, at.key + 1);
    if (quat_dot(a, b) < 0)
        b = quat_scale(b, -1);
    const quat q = quat_slerp(a, b, at.u);
    memcpy(value, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *value);
}

static double cubic(const pm_motion_channel *c, truth_place at, size_t i) {
    const double t = at.u, t2 = t * t, t3 = t2 * t;
    const double v0 = truth_number(&c->keys, c->components, at.key, i);
    const double v1 = truth_number(&c->keys, c->components, at.key + 1, i);
    const double b0 = truth_number(&c->out, c->components, at.key, i);
    const double a1 = truth_number(&c->in, c->components, at.key + 1, i);
    return (2 * t3 - 3 * t2 + 1) * v0 + at.seconds * (t3 - 2 * t2 + t) * b0 +
           (-2 * t3 + 3 * t2) * v1 + at.seconds * (t3 - t2) * a1;
}

static double straight(const pm_motion_channel *c, truth_place at, size_t i) {
    const double v0 = truth_number(&c->keys, c->components, at.key, i);
    const double v1 = truth_number(&c->keys, c->components, at.key + 1, i);
    return (1 - at.u) * v0 + at.u * v1;
}

void truth_at(const pm_motion_channel *channel, const pm_timeline *timeline, truth_place place,
              double value[TRUTH_NUMBERS]) {
    const bool holds = channel->interpolation == PM_MOTION_STEP || place.u <= 0 ||
                       place.key + 1 >= timeline->key_count;
    const bool rotates = channel->path == PM_MOTION_ROTATION;
    const bool smooth = channel->interpolation == PM_MOTION_CUBICSPLINE;
    for (size_t i = 0; i < channel->components; i++)
        value[i] = holds    ? truth_number(&channel->keys, channel->components, place.key, i)
                   : smooth ? cubic(channel, place, i)
                            : straight(channel, place, i);
    if (!rotates)
        return;
    if (!holds && !smooth)
        turn(channel, place, value);
    const quat q = quat_normalise(quat_of(value));
    memcpy(value, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *value);
}

double truth_angle(const double a[4], const double b[4]) {
    return oracle_error(quat_normalise(quat_of(a)), quat_normalise(quat_of(b)));
}
