/* SPDX-License-Identifier: MIT
 *
 * What the baseline prepares before it is timed: keys with the nearer signs, in the order of the
 * loops, and the inner points of squad. The timed loops are in baseline_loops.c.
 */
#include "baseline.h"

#include "device/loops.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* RANGE is the number of segments that a thread takes at once: 1 MiB of results. */
enum { ROW = 4 * BASELINE_TRACKS, RANGE = 256 };

struct baseline {
    parallel_pool *pool;
    baseline_loop *loop;
    float *keys;
    float *inner; /* inner points of squad; NULL for the other methods */
    size_t segment_count;
};

static baseline_loop *loop_of(pm_method method) {
    const baseline_loops *loops = loops_of_processor().curves;
    switch (method) {
    case PM_METHOD_NLERP:
        return loops->nlerp;
    case PM_METHOD_SLERP:
        return loops->slerp;
    case PM_METHOD_SQUAD:
        return loops->squad;
    default:
        return NULL;
    }
}

static baseline_loop *simple_loop_of(pm_method method) {
    const simple_loops *loops = loops_of_processor().simple;
    return method == PM_METHOD_SLERP   ? loops->slerp
           : method == PM_METHOD_SQUAD ? loops->squad
                                       : NULL;
}

bool baseline_has(pm_method method) {
    return loop_of(method) != NULL;
}

bool baseline_has_simple(pm_method method) {
    return simple_loop_of(method) != NULL;
}

/* ---- squad's inner points ------------------------------------------------------ */

/* log(conj(a) b) */
static void difference_log(const float *a, const float *b, double log[3]) {
    double ax = (double)a[0], ay = (double)a[1], az = (double)a[2], aw = (double)a[3];
    double bx = (double)b[0], by = (double)b[1], bz = (double)b[2], bw = (double)b[3];
    log[0] = aw * bx - ax * bw - ay * bz + az * by;
    log[1] = aw * by + ax * bz - ay * bw - az * bx;
    log[2] = aw * bz - ax * by + ay * bx - az * bw;
    double w = ax * bx + ay * by + az * bz + aw * bw;
    double length = sqrt(log[0] * log[0] + log[1] * log[1] + log[2] * log[2]);
    double scale = length > 0.0 ? atan2(length, w) / length : 0.0;
    for (int c = 0; c < 3; c++)
        log[c] *= scale;
}

/* q exp(-(log(q^-1 before) + log(q^-1 after)) / 4), Shoemake 1985. */
static void inner_point(const float *before, const float *q, const float *after, float *out) {
    double back[3], forth[3], v[3];
    difference_log(q, before, back);
    difference_log(q, after, forth);
    for (int c = 0; c < 3; c++)
        v[c] = -0.25 * (back[c] + forth[c]);
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double s = angle > 0.0 ? sin(angle) / angle : 1.0;
    double w = cos(angle);
    double qx = (double)q[0], qy = (double)q[1], qz = (double)q[2], qw = (double)q[3];
    double x = s * v[0], y = s * v[1], z = s * v[2];
    out[0] = (float)(qw * x + qx * w + qy * z - qz * y);
    out[1] = (float)(qw * y - qx * z + qy * w + qz * x);
    out[2] = (float)(qw * z + qx * y - qy * x + qz * w);
    out[3] = (float)(qw * w - qx * x - qy * y - qz * z);
}

/* ---- preparation --------------------------------------------------------------- */

static void sign_keys(float *keys, size_t key_count) {
    for (size_t i = BASELINE_TRACKS; i < key_count * BASELINE_TRACKS; i++) {
        float *q = keys + 4 * i;
        const float *before = q - ROW;
        if (q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3] < 0.0f)
            for (int c = 0; c < 4; c++)
                q[c] = -q[c];
    }
}

/* From signed keys. The first and the last key are their own inner points. */
static void make_inner(const float *keys, size_t key_count, float *inner) {
    for (size_t i = 0; i < key_count * BASELINE_TRACKS; i++) {
        const float *q = keys + 4 * i;
        if (i >= BASELINE_TRACKS && i < (key_count - 1) * BASELINE_TRACKS)
            inner_point(q - ROW, q, q + ROW, inner + 4 * i);
        else
            memcpy(inner + 4 * i, q, 4 * sizeof(float));
    }
}

void *baseline_memory(size_t bytes) {
    const size_t line = 64;
    if (bytes > SIZE_MAX - line)
        return NULL;
    const size_t whole = (bytes + line - 1) / line * line;
    void *memory = aligned_alloc(line, whole);
    if (memory)
        memset(memory, 0, whole);
    return memory;
}

static bool prepare(baseline *base, pm_method method, const float *keys, size_t key_count) {
    const size_t count = key_count * BASELINE_TRACKS;
    const size_t bytes = count * 4 * sizeof(float); /* cannot overflow: the keys are in memory */
    const bool is_squad = method == PM_METHOD_SQUAD;
    base->keys = baseline_memory(bytes);
    base->inner = is_squad ? baseline_memory(bytes) : NULL;
    if (!base->keys || (is_squad && !base->inner))
        return false;
    memcpy(base->keys, keys, bytes);
    sign_keys(base->keys, key_count);
    if (is_squad)
        make_inner(base->keys, key_count, base->inner);
    return true;
}

static void pack(const baseline *base) {
    const size_t count = (base->segment_count + 1) * BASELINE_TRACKS;
    const baseline_loops *loops = loops_of_processor().curves;
    loops->pack(base->keys, count);
    if (base->inner)
        loops->pack(base->inner, count);
}

baseline *baseline_create(parallel_pool *pool, pm_method method, bool is_simple, const float *keys,
                          size_t key_count) {
    baseline *base = calloc(1, sizeof *base);
    if (!base)
        return NULL;
    base->pool = pool;
    base->loop = is_simple ? simple_loop_of(method) : loop_of(method);
    base->segment_count = key_count - 1;
    if (!prepare(base, method, keys, key_count))
        baseline_destroy(&base);
    else if (!is_simple)
        pack(base);
    return base;
}

void baseline_destroy(baseline **base) {
    if (*base) {
        free((*base)->keys);
        free((*base)->inner);
        free(*base);
        *base = NULL;
    }
}

/* ---- runs ---------------------------------------------------------------------- */

typedef struct baseline_output {
    const baseline *base;
    float *out;
} baseline_output;

static void sample_segments(const void *work, size_t begin, size_t end) {
    const baseline_output *mine = work;
    mine->base->loop(mine->base->keys, mine->base->inner, mine->out, begin, end);
}

double baseline_run(const baseline *base, float *out) {
    const baseline_output work = {base, out};
    return parallel_run(base->pool, sample_segments, &work, base->segment_count, RANGE);
}
