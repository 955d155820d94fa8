/* SPDX-License-Identifier: MIT
 *
 * Upsampling by 4 with exact slerp and squad, as their definitions read: for each sample its segment on
 * the grid of keys, and a loop over tracks that calls acosf and sinf. GCC vectorises that loop, with the
 * functions of glibc's libmvec. Any other factor would take another constant.
 */
#include "loops.h"

#include <math.h>

enum { TRACKS = BASELINE_TRACKS, STEPS = BASELINE_STEPS, ROW = 4 * BASELINE_TRACKS };

#if BENCH_VECTOR_MATH
typedef struct quaternion {
    float x, y, z, w;
} quaternion;

static inline quaternion load(const float *from) {
    return (quaternion){from[0], from[1], from[2], from[3]};
}

static inline void store(float *to, quaternion q) {
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
}

/* Neighbouring keys have the nearer signs. Below the least angle the weights are those of a line. */
static inline quaternion slerp_of(quaternion a, quaternion b, float u) {
    const float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    const float angle = fmaxf(acosf(fminf(fmaxf(cosine, -1.0f), 1.0f)), 1e-3f);
    const float scale = 1.0f / sinf(angle);
    const float from = sinf((1.0f - u) * angle) * scale, into = sinf(u * angle) * scale;
    return (quaternion){from * a.x + into * b.x, from * a.y + into * b.y, from * a.z + into * b.z,
                        from * a.w + into * b.w};
}

static void slerp(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    (void)inner;
    for (size_t k = begin * STEPS; k < end * STEPS; k++) {
        const float *restrict key = keys + k / STEPS * ROW;
        const float u = (float)(k % STEPS) / STEPS;
        float *restrict to = out + k * ROW;
        for (size_t i = 0; i < ROW; i += 4)
            store(to + i, slerp_of(load(key + i), load(key + ROW + i), u));
    }
}

static void squad(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    for (size_t k = begin * STEPS; k < end * STEPS; k++) {
        const float *restrict key = keys + k / STEPS * ROW;
        const float *restrict point = inner + k / STEPS * ROW;
        const float u = (float)(k % STEPS) / STEPS;
        float *restrict to = out + k * ROW;
        for (size_t i = 0; i < ROW; i += 4) {
            const quaternion outer = slerp_of(load(key + i), load(key + ROW + i), u);
            const quaternion within = slerp_of(load(point + i), load(point + ROW + i), u);
            store(to + i, slerp_of(outer, within, 2.0f * u * (1.0f - u)));
        }
    }
}

const simple_loops SIMPLE_LOOPS = {slerp, squad};
#else
const simple_loops SIMPLE_LOOPS = {NULL, NULL};
#endif
