/* SPDX-License-Identifier: MIT
 *
 * The interpolations of glTF 2.0, appendix C: step, linear (slerp of rotations, the shorter way), and
 * cubic splines. Results that are rotations are normalised. Of a cubic spline, the keys are not.
 */
#include "motion/model/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/model/model.h"

/* Nearer to unit length, keys keep their bits. */
#define KEY_LENGTH_TOLERANCE 1e-3

double evaluate_number(const pm_array *array, uint32_t components, size_t key, uint32_t component) {
    const size_t size = array->type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = array->stride ? array->stride : components * size;
    const char *at = (const char *)array->data + key * stride + component * size;
    float narrow;
    double wide;
    if (array->type == PM_FLOAT32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

pm_array evaluate_rows_from(const pm_array *array, uint32_t components, size_t key) {
    const size_t size = array->type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = array->stride ? array->stride : components * size;
    pm_array rows = *array;
    if (rows.data)
        rows.data = (const char *)rows.data + key * stride;
    return rows;
}

double evaluate_key_time(const pm_timeline *timeline, size_t key) {
    return timeline->times ? timeline->times[key]
                           : (double)key * (double)timeline->rate.den / (double)timeline->rate.num;
}

size_t evaluate_key_times(const pm_timeline *timeline, double *times) {
    for (size_t k = 0; k < timeline->key_count; k++)
        times[k] = evaluate_key_time(timeline, k);
    return timeline->key_count;
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t evaluate_unite_times(double *times, size_t count) {
    size_t kept = 0;
    qsort(times, count, sizeof *times, compare_times);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || times[k] > times[kept - 1])
            times[kept++] = times[k];
    return kept;
}

size_t evaluate_key_before(const pm_timeline *timeline, double time) {
    size_t low = 0, high = timeline->key_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (evaluate_key_time(timeline, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

motion_kept_keys motion_keep_keys(const motion_samples *samples, const pm_timeline *timeline) {
    motion_kept_keys kept = {timeline, 0, timeline->key_count, -(double)INFINITY, 0};
    if (!samples->is_moved)
        return kept;
    const double last = samples->has_end
                            ? samples->end
                            : samples->start + motion_sample_time(samples, samples->count - 1);
    kept.from = kept.shift = samples->start;
    kept.first = evaluate_key_before(timeline, samples->start);
    kept.count = evaluate_key_before(timeline, last) - kept.first + 1;
    return kept;
}

double motion_kept_time(const motion_kept_keys *kept, size_t key) {
    return fmax(evaluate_key_time(kept->timeline, kept->first + key), kept->from) - kept->shift;
}

void evaluate_normalise(double q[4]) {
    const double length = quat_length(q);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

similarity evaluate_rest(const pm_motion_node *node) {
    similarity r = {.s = node->scale[0]};
    memcpy(r.q, node->rotation, sizeof r.q);
    memcpy(r.p, node->position, sizeof r.p);
    evaluate_normalise(r.q);
    return r;
}

const double *evaluate_rest_value(const pm_motion_node *node, pm_motion_path path) {
    return path == PM_MOTION_ROTATION   ? node->rotation
           : path == PM_MOTION_POSITION ? node->position
                                        : node->scale;
}

/* Sets the numbers of a key; returns the sum of their squares. */
static double load_key(const pm_array *array, uint32_t components, size_t key, double *value) {
    double length2 = 0;
    for (uint32_t i = 0; i < components; i++) {
        value[i] = evaluate_number(array, components, key, i);
        length2 += value[i] * value[i];
    }
    return length2;
}

/* Four floats, as most keys are. */
static double load_quat(const pm_array *array, size_t key, double value[4]) {
    float narrow[4];
    if (array->type != PM_FLOAT32)
        return load_key(array, 4, key, value);
    memcpy(narrow,
           (const char *)array->data + key * (array->stride ? array->stride : sizeof narrow),
           sizeof narrow);
    for (int i = 0; i < 4; i++)
        value[i] = (double)narrow[i];
    return value[0] * value[0] + value[1] * value[1] + value[2] * value[2] + value[3] * value[3];
}

/* A square is further from 1 than its root. */
void evaluate_key(const pm_motion_channel *channel, size_t key, double *value) {
    if (channel->path != PM_MOTION_ROTATION) {
        load_key(&channel->keys, channel->components, key, value);
        return;
    }
    const double length2 = load_quat(&channel->keys, key, value);
    if (fabs(length2 - 1) > KEY_LENGTH_TOLERANCE && fabs(sqrt(length2) - 1) > KEY_LENGTH_TOLERANCE)
        evaluate_normalise(value);
}

/* The value at a key: rotations are normalised. */
static void copy_key(const pm_motion_channel *c, size_t key, double *value) {
    evaluate_key(c, key, value);
    if (c->path == PM_MOTION_ROTATION)
        evaluate_normalise(value);
}

static void slerp(double a[4], const double b[4], double u) {
    const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0 ? -1 : 1;
    const double angle = pm_same_acos(fmin(fabs(dot), 1));
    const double sine = pm_same_sin(angle);
    const double from = sine > 1e-9 ? pm_same_sin((1 - u) * angle) / sine : 1 - u;
    const double to = sine > 1e-9 ? pm_same_sin(u * angle) / sine : u;
    for (int i = 0; i < 4; i++)
        a[i] = from * a[i] + sign * to * b[i];
    evaluate_normalise(a);
}

static void linear(const pm_motion_channel *c, size_t key, double u, double *value) {
    double next[4] = {0, 0, 0, 1};
    copy_key(c, key, value);
    if (c->path == PM_MOTION_ROTATION) {
        copy_key(c, key + 1, next);
        slerp(value, next, u);
        return;
    }
    for (uint32_t i = 0; i < c->components; i++)
        value[i] += u * (evaluate_number(&c->keys, c->components, key + 1, i) - value[i]);
}

double evaluate_linear(const pm_motion_channel *channel, const pm_timeline *timeline, double time,
                       uint32_t component) {
    const size_t key = evaluate_key_before(timeline, time);
    const double begin = evaluate_key_time(timeline, key);
    const double from = evaluate_number(&channel->keys, channel->components, key, component);
    if (key + 1 >= timeline->key_count || time <= begin)
        return from;
    const double to = evaluate_number(&channel->keys, channel->components, key + 1, component);
    return from + (time - begin) / (evaluate_key_time(timeline, key + 1) - begin) * (to - from);
}

static void cubic(const pm_motion_channel *c, size_t key, double u, double seconds, double *value) {
    const double u2 = u * u, u3 = u2 * u;
    for (uint32_t i = 0; i < c->components; i++) {
        const double a = evaluate_number(&c->keys, c->components, key, i);
        const double b = evaluate_number(&c->keys, c->components, key + 1, i);
        const double leaving = evaluate_number(&c->out, c->components, key, i);
        const double arriving = evaluate_number(&c->in, c->components, key + 1, i);
        value[i] = (2 * u3 - 3 * u2 + 1) * a + seconds * (u3 - 2 * u2 + u) * leaving +
                   (3 * u2 - 2 * u3) * b + seconds * (u3 - u2) * arriving;
    }
    if (c->path == PM_MOTION_ROTATION)
        evaluate_normalise(value);
}

void evaluate_channel(const pm_motion_channel *channel, const pm_timeline *timeline, double time,
                      double *value) {
    const size_t key = evaluate_key_before(timeline, time);
    const double begin = evaluate_key_time(timeline, key);
    if (key + 1 >= timeline->key_count || time <= begin ||
        channel->interpolation == PM_MOTION_STEP) {
        copy_key(channel, key, value);
        return;
    }
    const double seconds = evaluate_key_time(timeline, key + 1) - begin;
    const double u = (time - begin) / seconds;
    if (channel->interpolation == PM_MOTION_CUBICSPLINE)
        cubic(channel, key, u, seconds, value);
    else
        linear(channel, key, u, value);
}
