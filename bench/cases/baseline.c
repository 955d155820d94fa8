/* SPDX-License-Identifier: MIT
 *
 * Threads of the baseline, and the values that squad computes from its keys. The timed loops are
 * in baseline_loops.c; of this file only the start of the threads is timed.
 */
#define _POSIX_C_SOURCE 200809L

#include "baseline.h"

#include "baseline_loops.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 256, ROW = 4 * BASELINE_TRACKS };

struct baseline {
    baseline_loop *loop;
    const float *keys;
    float *signed_keys; /* for squad: each key with the sign nearest to the key before */
    float *inner;       /* inner points of squad */
    size_t segment_count;
};

/* The loops for the best instruction set of the processor. The options that the loops are compiled
 * with decide which features are checked. */
static const baseline_loops *loops_of_processor(void) {
#if BASELINE_AVX
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")) {
        return &baseline_loops_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return &baseline_loops_avx2;
    }
#endif
    return &baseline_loops_plain;
}

static baseline_loop *loop_of(pm_method method) {
    const baseline_loops *loops = loops_of_processor();
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

bool baseline_has(pm_method method) {
    return loop_of(method) != NULL;
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
    for (int c = 0; c < 3; c++) {
        log[c] *= scale;
    }
}

/* q exp(-(log(q^-1 before) + log(q^-1 after)) / 4), Shoemake 1985. */
static void inner_point(const float *before, const float *q, const float *after, float *out) {
    double back[3], forth[3], v[3];
    difference_log(q, before, back);
    difference_log(q, after, forth);
    for (int c = 0; c < 3; c++) {
        v[c] = -0.25 * (back[c] + forth[c]);
    }
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

static void sign_keys(float *keys, size_t key_count) {
    for (size_t i = BASELINE_TRACKS; i < key_count * BASELINE_TRACKS; i++) {
        float *q = keys + 4 * i;
        const float *before = q - ROW;
        if (q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3] < 0.0f) {
            for (int c = 0; c < 4; c++) {
                q[c] = -q[c];
            }
        }
    }
}

static bool prepare_squad(baseline *base, size_t key_count) {
    size_t floats = key_count * ROW; /* cannot overflow: the keys are in memory */
    base->signed_keys = malloc(floats * sizeof(float));
    base->inner = malloc(floats * sizeof(float));
    if (base->signed_keys == NULL || base->inner == NULL) {
        return false;
    }
    memcpy(base->signed_keys, base->keys, floats * sizeof(float));
    sign_keys(base->signed_keys, key_count);
    for (size_t i = 0; i < key_count; i++) {
        for (size_t t = 0; t < BASELINE_TRACKS; t++) {
            const float *q = base->signed_keys + i * ROW + 4 * t;
            bool inside = i > 0 && i + 1 < key_count;
            if (inside) {
                inner_point(q - ROW, q, q + ROW, base->inner + i * ROW + 4 * t);
            } else {
                memcpy(base->inner + i * ROW + 4 * t, q, 4 * sizeof(float));
            }
        }
    }
    base->keys = base->signed_keys;
    return true;
}

baseline *baseline_create(pm_method method, const float *keys, size_t key_count) {
    baseline *base = calloc(1, sizeof *base);
    if (base == NULL) {
        return NULL;
    }
    base->loop = loop_of(method);
    base->keys = keys;
    base->segment_count = key_count - 1;
    if (method == PM_METHOD_SQUAD && !prepare_squad(base, key_count)) {
        baseline_destroy(&base);
    }
    return base;
}

void baseline_destroy(baseline **base) {
    if (*base != NULL) {
        free((*base)->signed_keys);
        free((*base)->inner);
        free(*base);
        *base = NULL;
    }
}

/* ---- threads ------------------------------------------------------------------- */

typedef struct thread_range {
    const baseline *base;
    float *out;
    size_t begin, end;
} thread_range;

static void *run_range(void *context) {
    const thread_range *mine = context;
    const baseline *base = mine->base;
    base->loop(base->keys, base->inner, mine->out, mine->begin, mine->end);
    return NULL;
}

size_t baseline_threads(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (size_t)processors;
}

bool baseline_run(const baseline *base, float *out) {
    pthread_t threads[MAX_THREADS];
    thread_range ranges[MAX_THREADS];
    size_t count = baseline_threads();
    size_t started = 0;
    for (size_t i = 0; i < count; i++) {
        ranges[i] = (thread_range){base, out, base->segment_count / count * i,
                                   base->segment_count / count * (i + 1)};
    }
    ranges[count - 1].end = base->segment_count;
    /* The calling thread computes the last range. */
    while (started + 1 < count &&
           pthread_create(&threads[started], NULL, run_range, &ranges[started]) == 0) {
        started++;
    }
    bool complete = started + 1 == count;
    if (complete) {
        run_range(&ranges[count - 1]);
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return complete;
}
