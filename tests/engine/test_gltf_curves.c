/* SPDX-License-Identifier: MIT
 *
 * cubicspline against the appendix of glTF 2.0, with the memory layout of a sampler: in-tangent, value and
 * out-tangent per key. test_resample_files compares real files.
 */
#include "support/implementation.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 8
#define IN_SEGMENT 32
#define SAMPLES_MAX ((KEYS_MAX - 1) * IN_SEGMENT + 1)
#define TOLERANCE 1e-6

typedef struct curve {
    char name[96];
    size_t keys, width;
    double times[KEYS_MAX];
    float values[KEYS_MAX][3][4]; /* in-tangent, value, out-tangent */
} curve;

/* The formula of the appendix, at a time inside the keys. */
static void appendix(const curve *c, double time, long double out[4]) {
    size_t k = 0;
    while (k + 2 < c->keys && time >= c->times[k + 1])
        k++;
    const size_t next = c->keys > 1 ? k + 1 : k;
    const long double td = (long double)(c->times[next] - c->times[k]);
    const long double t = c->keys > 1 ? (long double)(time - c->times[k]) / td : 0.0L;
    const long double t2 = t * t, t3 = t2 * t;
    long double norm2 = 0.0L;
    for (size_t n = 0; n < c->width; n++) {
        out[n] = (2.0L * t3 - 3.0L * t2 + 1.0L) * (long double)c->values[k][1][n] +
                 td * (t3 - 2.0L * t2 + t) * (long double)c->values[k][2][n] +
                 (-2.0L * t3 + 3.0L * t2) * (long double)c->values[next][1][n] +
                 td * (t3 - t2) * (long double)c->values[next][0][n];
        norm2 += out[n] * out[n];
    }
    for (size_t n = 0; c->width == 4 && n < 4; n++)
        out[n] /= sqrtl(norm2);
}

static pm_clip_desc describe(const curve *c, const pm_timeline *timeline) {
    const size_t stride = sizeof c->values[0];
    const pm_array in = {c->values[0][0], PM_FLOAT32, stride};
    const pm_array value = {c->values[0][1], PM_FLOAT32, stride};
    const pm_array out = {c->values[0][2], PM_FLOAT32, stride};
    pm_clip_desc desc = {.track_count = 1, .timelines = timeline, .method = PM_METHOD_CUBICSPLINE};
    if (c->width == 4) {
        desc.rotations = value, desc.rotations_in = in, desc.rotations_out = out;
    } else {
        desc.positions = value, desc.positions_in = in, desc.positions_out = out;
        desc.scales = value, desc.scales_in = in, desc.scales_out = out;
    }
    return desc;
}

static void check_row(const implementation *s, const curve *c, double time, const double *got) {
    long double expected[4] = {0.0L};
    double error = 0.0, size = 1.0;
    appendix(c, time, expected);
    for (size_t n = 0; n < c->width; n++) {
        const double off = fabs(got[n] - (double)expected[n]); /* signs included */
        error = off <= error ? error : off;
        size = fmax(size, fabs((double)expected[n]));
    }
    if (!(error <= TOLERANCE * size))
        fail_msg("%s on %s: time %g: off by %g", c->name, s->name, time, error);
}

static void check_curve(const implementation *s, const curve *c) {
    const pm_timeline timeline = {.key_count = c->keys, .times = c->times};
    const pm_clip_desc desc = describe(c, &timeline);
    static double times[SAMPLES_MAX], found[2][4 * SAMPLES_MAX];
    size_t count = 0;
    for (size_t k = 0; k + 1 < c->keys; k++)
        for (size_t n = 0; n < IN_SEGMENT; n++)
            times[count++] = c->times[k] + (c->times[k + 1] - c->times[k]) * (double)n / IN_SEGMENT;
    times[count++] = c->times[c->keys - 1];
    for (size_t n = 0; n < 4 * SAMPLES_MAX; n++)
        found[0][n] = found[1][n] = (double)NAN;
    const pm_sample_job job = {.sample_count = count, .times = times};
    const bool turns = c->width == 4;
    assert_true(s->sample(s, &desc, &job, turns ? found[0] : NULL, turns ? NULL : found[0],
                          turns ? NULL : found[1]));
    for (size_t k = 0; k < count; k++) {
        check_row(s, c, times[k], found[0] + c->width * k);
        if (!turns)
            check_row(s, c, times[k], found[1] + c->width * k);
    }
}

static void check_implementations(const curve *c) {
    const implementation in_double = implementation_oracle(), *implementations = NULL;
    size_t count = 0;
    check_curve(&in_double, c);
    assert_true(implementation_list(&implementations, &count));
    for (size_t k = 0; k < count; k++)
        check_curve(&implementations[k], c);
}

/* A key with the other sign is another key: the curve passes half way around in four dimensions. */
TEST(signs_of_keys_are_not_changed) {
    curve c = {
        .name = "opposite signs",
        .keys = 4,
        .width = 4,
        .times = {0.0, 0.5, 1.5, 1.75},
        .values = {{{0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, {3.0f, 0.0f, 0.0f, 0.0f}},
                   {{3.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, -1.0f}, {0.0f, 2.0f, 0.0f, 0.0f}},
                   {{0.0f, -2.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.6f, 0.8f}, {0.0f, 1.0f, 4.0f, 0.0f}},
                   {{0.0f, 1.0f, 0.0f, 4.0f}, {0.0f, 0.0f, -0.6f, -0.8f}, {0.0f}}}};
    c.values[1][0][0] = -3.0f; /* both tangents bend the curve to the same side */
    c.values[3][0][1] = -1.0f;
    check_implementations(&c);
}

/* ---- keys that are not unit ---------------------------------------------------------------- */

/* What keys are stored as: integers, or (steps 0) float32 with lengths of `size`, and up to `spread`
 * beside it. */
typedef struct storage {
    double steps, size, spread;
} storage;

/* Less than a quarter of a radian from the quaternion before, so that no cubic comes near zero. */
static void random_key(random_source *source, const storage *kind, double q[4], float key[4]) {
    const double steps = kind->steps;
    const double length = kind->size * random_between(source, 1 - kind->spread, 1 + kind->spread);
    double step[4], sum = 0.0;
    random_quaternion(source, step);
    for (size_t n = 0; n < 4; n++) {
        q[n] += 0.12 * step[n];
        sum += q[n] * q[n];
    }
    for (size_t n = 0; n < 4; n++) {
        q[n] /= sqrt(sum);
        key[n] = (float)(steps > 0.0 ? round(q[n] * steps) / steps : q[n] * length);
    }
}

static void random_lengths(random_source *source, curve *c) {
    static const storage kinds[] = {{127.0, 1.0, 0.0}, {32767.0, 1.0, 0.0}, {0.0, 1.0, 9e-4},
                                    {0.0, 1.0, 0.2},   {0.0, 2e-6, 0.2},    {0.0, 8e5, 0.2}};
    const storage *kind = &kinds[random_size(source, 0, 5)];
    double q[4];
    random_quaternion(source, q);
    for (size_t k = 0; k < c->keys; k++) {
        c->times[k] = (double)k;
        random_key(source, kind, q, c->values[k][1]);
        for (size_t n = 0; n < 4; n++) {
            c->values[k][0][n] = (float)(kind->size * random_between(source, -0.6, 0.6));
            c->values[k][2][n] = (float)(kind->size * random_between(source, -0.6, 0.6));
        }
    }
}

static void check_rotation(const implementation *s, const curve *c, double time,
                           const double got[4]) {
    long double expected[4], off2 = 0.0L, norm2 = 0.0L;
    appendix(c, time, expected);
    for (size_t n = 0; n < 4; n++) {
        const long double value = (long double)got[n];
        off2 += (value - expected[n]) * (value - expected[n]);
        norm2 += value * value;
    }
    const double angle = (double)(2.0L * sqrtl(off2)), length = (double)sqrtl(norm2);
    if (!(angle <= 4e-7 && fabs(length - 1.0) <= 4e-7))
        fail_msg("%s: off by %g rad at %g, of length 1 + %g", s->name, angle, time, length - 1.0);
}

/* Keys with a rate and keys with times: devices have kernels for both. */
static void check_lengths(const implementation *s, const curve *c, bool has_rate, int64_t rate) {
    pm_timeline timeline = {.key_count = c->keys, .times = c->times};
    double times[SAMPLES_MAX], found[4 * SAMPLES_MAX];
    const size_t count = (c->keys - 1) * (size_t)rate + 1;
    for (size_t i = 0; i < count; i++)
        times[i] = (double)i / (double)rate;
    pm_sample_job job = {.sample_count = count, .times = times};
    if (has_rate) {
        timeline = (pm_timeline){.key_count = c->keys, .rate = {1, 1}};
        job = (pm_sample_job){.sample_count = count, .rate = {rate, 1}};
    }
    const pm_clip_desc desc = describe(c, &timeline);
    assert_true(s->sample(s, &desc, &job, found, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        check_rotation(s, c, times[i], found + 4 * i);
}

TEST(keys_that_are_not_unit_are_interpolated_as_they_are) {
    random_source source = random_start();
    const implementation in_double = implementation_oracle(), *implementations = NULL;
    size_t count = 0;
    assert_true(implementation_list(&implementations, &count));
    for (size_t round = 0; round < 120; round++) {
        const int64_t rate = round % 4 < 2 ? 1 : 8; /* 1: nothing but the keys */
        curve c = {.keys = KEYS_MAX, .width = 4};
        random_lengths(&source, &c);
        check_lengths(&in_double, &c, round % 2, rate);
        for (size_t k = 0; k < count; k++)
            check_lengths(&implementations[k], &c, round % 2, rate);
    }
}

TEST_GROUP(NULL, implementation_release)
