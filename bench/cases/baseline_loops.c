/* SPDX-License-Identifier: MIT
 *
 * Upsampling by 4 with exact nlerp, slerp and squad, as fast as we can write it in C: tracks in
 * lanes, results streamed past the caches. Angles of a quarter are found by halving, so that no
 * function but 1 / sqrt is needed; that makes the loops specific to this number of samples.
 * Compiled with -O3 -ffast-math, unlike everything else in this project, for each instruction set.
 */
#include "loops.h"

#include "baseline_lanes.h"

enum { STEPS = BASELINE_STEPS, ROW = 4 * BASELINE_TRACKS, GROUP = 4 * LANES };
_Static_assert(STEPS == 4, "the weights are those of quarters");

static void pack(float *keys, size_t count) {
    for (size_t i = 0; i < count; i += LANES) {
        lanes v[4];
        for (size_t c = 0; c < 4; c++)
            v[c] = lanes_load(keys + 4 * i + c * LANES);
        lanes_transpose(v);
        for (size_t c = 0; c < 4; c++)
            lanes_store(keys + 4 * i + c * LANES, v[c]);
    }
}

/* ---- arcs ---------------------------------------------------------------------- */

BASELINE_INLINE quaternion load(const float *from) {
    quaternion q;
    for (size_t c = 0; c < 4; c++)
        q.c[c] = lanes_load(from + c * LANES);
    return q;
}

BASELINE_INLINE void stream(float *to, quaternion q) {
    lanes_transpose(q.c);
    for (size_t i = 0; i < 4; i++)
        lanes_stream(to + i * LANES, q.c[i]);
}

/* The weights of both ends of an arc. At one quarter they are `near` and `far`, at three quarters
 * `far` and `near`, in the middle both `half`. */
typedef struct weights {
    lanes near, far, half;
} weights;

/* The squared length of a + u (b - a) is 1 - 2 u (1 - u) (1 - cosine). */
BASELINE_INLINE weights nlerp_weights(lanes cosine) {
    lanes scale = lanes_rsqrt(0.625f + 0.375f * cosine);
    return (weights){0.75f * scale, 0.25f * scale, 0.5f * lanes_rsqrt(0.5f + 0.5f * cosine)};
}

/* The cosine of half an angle, and half of its reciprocal. */
typedef struct halved {
    lanes cosine, half_reciprocal;
} halved;

/* Angles are below pi. The limit keeps rounding from reaching it. */
BASELINE_INLINE halved halve(lanes cosine) {
    lanes above = lanes_max(1.0f + cosine, lanes_all(1e-7f));
    lanes scale = lanes_rsqrt(2.0f * above);
    return (halved){above * scale, scale};
}

/* sin(a / 4) / sin(a) = 1 / (4 cos(a / 2) cos(a / 4)), and
 * sin(3 a / 4) / sin(a / 4) = 1 + 2 cos(a / 2). */
BASELINE_INLINE weights slerp_weights(lanes cosine) {
    halved half = halve(cosine);
    halved quarter = halve(half.cosine);
    lanes far = half.half_reciprocal * quarter.half_reciprocal;
    return (weights){(1.0f + 2.0f * half.cosine) * far, far, half.half_reciprocal};
}

/* ---- nlerp and slerp ----------------------------------------------------------- */

typedef weights arc_weights(lanes cosine);

BASELINE_INLINE void upsample(arc_weights *weights_of, const float *keys, float *out, size_t begin,
                              size_t end) {
    for (size_t i = begin; i < end; i++) {
        for (size_t at = 0; at < ROW; at += GROUP) {
            float *to = out + i * STEPS * ROW + at;
            quaternion a = load(keys + i * ROW + at);
            quaternion b = load(keys + (i + 1) * ROW + at);
            weights w = weights_of(dot(&a, &b));
            stream(to, a);
            stream(to + ROW, mix(w.near, &a, w.far, &b));
            stream(to + (size_t)2 * ROW, mix(w.half, &a, w.half, &b));
            stream(to + (size_t)3 * ROW, mix(w.far, &a, w.near, &b));
        }
    }
    lanes_fence();
}

static void nlerp(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    (void)inner;
    upsample(nlerp_weights, keys, out, begin, end);
}

static void slerp(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    (void)inner;
    upsample(slerp_weights, keys, out, begin, end);
}

/* ---- squad --------------------------------------------------------------------- */

/* From `a` to `b` by 2 u (1 - u), which is 3/8 at both quarters: the weights are sin(5 x) and
 * sin(3 x) over sin(8 x), for x an eighth of the angle. */
BASELINE_INLINE quaternion bend(const quaternion *a, const quaternion *b) {
    halved half = halve(dot(a, b));
    halved quarter = halve(half.cosine);
    halved eighth = halve(quarter.cosine);
    lanes c = 2.0f * quarter.cosine;
    lanes one = half.half_reciprocal * quarter.half_reciprocal * eighth.half_reciprocal;
    return mix((c * c + c - 1.0f) * one, a, (1.0f + c) * one, b);
}

/* The points at u on the arc of the keys and on that of the inner points are the ends of a third
 * arc. */
static void squad(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        for (size_t at = 0; at < ROW; at += GROUP) {
            float *to = out + i * STEPS * ROW + at;
            quaternion a = load(keys + i * ROW + at);
            quaternion b = load(keys + (i + 1) * ROW + at);
            quaternion p = load(inner + i * ROW + at);
            quaternion q = load(inner + (i + 1) * ROW + at);
            weights w = slerp_weights(dot(&a, &b));
            weights v = slerp_weights(dot(&p, &q));
            stream(to, a);
            quaternion outer = mix(w.near, &a, w.far, &b);
            quaternion within = mix(v.near, &p, v.far, &q);
            stream(to + ROW, bend(&outer, &within));
            outer = mix(w.half, &a, w.half, &b);
            within = mix(v.half, &p, v.half, &q);
            lanes half = halve(dot(&outer, &within)).half_reciprocal;
            stream(to + (size_t)2 * ROW, mix(half, &outer, half, &within));
            outer = mix(w.far, &a, w.near, &b);
            within = mix(v.far, &p, v.near, &q);
            stream(to + (size_t)3 * ROW, bend(&outer, &within));
        }
    }
    lanes_fence();
}

const baseline_loops BASELINE_LOOPS = {pack, nlerp, slerp, squad};
