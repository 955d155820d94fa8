/* SPDX-License-Identifier: MIT
 *
 * What the baseline prepares before it is timed: keys with the nearer signs, in the order of the
 * loops, and the inner points of squad. The timed loops are in baseline_loops.c.
 */
#include "baseline.h"

#include "loops.h"

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

/* NULL: the method has none. */
static baseline_loop *loop_of(pm_method method) {
    const baseline_loops *loops = loops_of_processor().curves;
    return method == PM_METHOD_SLERP   ? loops->slerp
           : method == PM_METHOD_SQUAD ? loops->squad
           : method == PM_METHOD_NLERP ? loops->nlerp
                                       : NULL;
}

bool baseline_has(pm_method method) {
    return loop_of(method) != NULL;
}

/* ---- squad's inner points ------------------------------------------------------ */

quat baseline_quat(const float *q) {
    return (quat){(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
}

/* q exp(-(log(q^-1 before) + log(q^-1 after)) / 4), Shoemake 1985. */
static void inner_point(const float *before, const float *at, const float *after, float *out) {
    const quat q = baseline_quat(at), back = quat_conjugate(q);
    const vec3 sum = vec3_add(quat_log(quat_multiply(back, baseline_quat(before))),
                              quat_log(quat_multiply(back, baseline_quat(after))));
    const quat inner = quat_multiply(q, quat_exp(vec3_scale(sum, -0.25)));
    out[0] = (float)inner.x;
    out[1] = (float)inner.y;
    out[2] = (float)inner.z;
    out[3] = (float)inner.w;
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

baseline *baseline_create(parallel_pool *pool, pm_method method, const float *keys,
                          size_t key_count) {
    baseline *base = calloc(1, sizeof *base);
    if (!base)
        return NULL;
    base->pool = pool;
    base->loop = loop_of(method);
    base->segment_count = key_count - 1;
    if (!prepare(base, method, keys, key_count))
        baseline_destroy(&base);
    else
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
