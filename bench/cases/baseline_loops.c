/* SPDX-License-Identifier: MIT
 *
 * Exact nlerp, slerp and squad in plain C, written so that a compiler vectorises them over
 * tracks: values common to all samples of a segment are computed outside the loop over them, and
 * acosf and sinf come from the vector math library. Compiled with -O3 -ffast-math, unlike
 * everything else in this project, with the name in BASELINE_LOOPS for each instruction set.
 */
#include "baseline_loops.h"

#include "baseline.h"

#include <math.h>

enum { TRACKS = BASELINE_TRACKS, STEPS = BASELINE_STEPS, ROW = 4 * BASELINE_TRACKS };

/* Below this angle the weights are equal to those of a straight line, to the last bit. */
static const float min_angle = 1e-3f;

/* One great arc per track, from a to b, at any angle below pi. */
typedef struct arcs {
    float a[4][TRACKS], b[4][TRACKS];
    float angle[TRACKS], reciprocal_sine[TRACKS];
} arcs;

static void load(float to[4][TRACKS], const float *restrict from) {
    for (int t = 0; t < TRACKS; t++) {
        to[0][t] = from[4 * t];
        to[1][t] = from[4 * t + 1];
        to[2][t] = from[4 * t + 2];
        to[3][t] = from[4 * t + 3];
    }
}

static inline float dot_of(const arcs *s, int t) {
    return s->a[0][t] * s->b[0][t] + s->a[1][t] * s->b[1][t] + s->a[2][t] * s->b[2][t] +
           s->a[3][t] * s->b[3][t];
}

static inline float angle_of(float cosine) {
    float angle = acosf(fminf(fmaxf(cosine, -1.0f), 1.0f));
    return fmaxf(angle, min_angle);
}

static void turn_to_shorter(arcs *s) {
    for (int t = 0; t < TRACKS; t++) {
        float sign = dot_of(s, t) < 0.0f ? -1.0f : 1.0f;
        s->b[0][t] *= sign;
        s->b[1][t] *= sign;
        s->b[2][t] *= sign;
        s->b[3][t] *= sign;
    }
}

static void measure(arcs *s) {
    for (int t = 0; t < TRACKS; t++) {
        s->angle[t] = angle_of(dot_of(s, t));
        s->reciprocal_sine[t] = 1.0f / sinf(s->angle[t]);
    }
}

static void nlerp(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    (void)inner;
    arcs s;
    for (size_t i = begin; i < end; i++) {
        load(s.a, keys + i * ROW);
        load(s.b, keys + (i + 1) * ROW);
        turn_to_shorter(&s);
        for (int k = 0; k < STEPS; k++) {
            float *restrict to = out + (i * STEPS + (size_t)k) * ROW;
            const float u = (float)k / STEPS;
            for (int t = 0; t < TRACKS; t++) {
                float x = s.a[0][t] + u * (s.b[0][t] - s.a[0][t]);
                float y = s.a[1][t] + u * (s.b[1][t] - s.a[1][t]);
                float z = s.a[2][t] + u * (s.b[2][t] - s.a[2][t]);
                float w = s.a[3][t] + u * (s.b[3][t] - s.a[3][t]);
                float scale = 1.0f / sqrtf(x * x + y * y + z * z + w * w);
                to[4 * t] = x * scale;
                to[4 * t + 1] = y * scale;
                to[4 * t + 2] = z * scale;
                to[4 * t + 3] = w * scale;
            }
        }
    }
}

static void slerp(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    (void)inner;
    arcs s;
    for (size_t i = begin; i < end; i++) {
        load(s.a, keys + i * ROW);
        load(s.b, keys + (i + 1) * ROW);
        turn_to_shorter(&s);
        measure(&s);
        for (int k = 0; k < STEPS; k++) {
            float *restrict to = out + (i * STEPS + (size_t)k) * ROW;
            const float u = (float)k / STEPS;
            for (int t = 0; t < TRACKS; t++) {
                float from = sinf((1.0f - u) * s.angle[t]) * s.reciprocal_sine[t];
                float into = sinf(u * s.angle[t]) * s.reciprocal_sine[t];
                to[4 * t] = from * s.a[0][t] + into * s.b[0][t];
                to[4 * t + 1] = from * s.a[1][t] + into * s.b[1][t];
                to[4 * t + 2] = from * s.a[2][t] + into * s.b[2][t];
                to[4 * t + 3] = from * s.a[3][t] + into * s.b[3][t];
            }
        }
    }
}

/* The points at u on both arcs are the ends of a third arc. */
static void meet(const arcs *s, float u, float to[4][TRACKS]) {
    for (int t = 0; t < TRACKS; t++) {
        float from = sinf((1.0f - u) * s->angle[t]) * s->reciprocal_sine[t];
        float into = sinf(u * s->angle[t]) * s->reciprocal_sine[t];
        to[0][t] = from * s->a[0][t] + into * s->b[0][t];
        to[1][t] = from * s->a[1][t] + into * s->b[1][t];
        to[2][t] = from * s->a[2][t] + into * s->b[2][t];
        to[3][t] = from * s->a[3][t] + into * s->b[3][t];
    }
}

static void squad(const float *keys, const float *inner, float *out, size_t begin, size_t end) {
    arcs outer, within, between;
    for (size_t i = begin; i < end; i++) {
        load(outer.a, keys + i * ROW);
        load(outer.b, keys + (i + 1) * ROW);
        load(within.a, inner + i * ROW);
        load(within.b, inner + (i + 1) * ROW);
        measure(&outer);
        measure(&within);
        for (int k = 0; k < STEPS; k++) {
            float *restrict to = out + (i * STEPS + (size_t)k) * ROW;
            const float u = (float)k / STEPS;
            const float h = 2.0f * u * (1.0f - u);
            meet(&outer, u, between.a);
            meet(&within, u, between.b);
            for (int t = 0; t < TRACKS; t++) {
                float angle = angle_of(dot_of(&between, t));
                float scale = 1.0f / sinf(angle);
                float from = sinf((1.0f - h) * angle) * scale;
                float into = sinf(h * angle) * scale;
                to[4 * t] = from * between.a[0][t] + into * between.b[0][t];
                to[4 * t + 1] = from * between.a[1][t] + into * between.b[1][t];
                to[4 * t + 2] = from * between.a[2][t] + into * between.b[2][t];
                to[4 * t + 3] = from * between.a[3][t] + into * between.b[3][t];
            }
        }
    }
}

const baseline_loops BASELINE_LOOPS = {nlerp, slerp, squad};
