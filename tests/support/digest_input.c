/* SPDX-License-Identifier: MIT
 *
 * The inputs of digests. The order of random numbers is part of the stored digests.
 */
#include "digest_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS = DIGEST_TRACKS, KEYS = DIGEST_KEYS };

static uint64_t bits_from(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static double between(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(bits_from(state) >> 11) * 0x1p-53);
}

/* A step of up to about a radian from the previous key. */
static void walk_on(uint64_t *state, const float *before, float *to) {
    double q[4], norm2 = 0;
    for (size_t i = 0; i < 4; i++) {
        q[i] = (before ? (double)before[i] : 0) + between(state, -0.5, 0.5);
        norm2 += q[i] * q[i];
    }
    for (size_t i = 0; i < 4; i++)
        to[i] = (float)(q[i] / sqrt(norm2));
}

static void fill_keys(digest_input *in, uint64_t *state) {
    for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++) {
        walk_on(state, i < TRACKS ? NULL : in->rotations[i - TRACKS], in->rotations[i]);
        if (i >= TRACKS && i % 17 == 0)
            memcpy(in->rotations[i], in->rotations[i - TRACKS], sizeof in->rotations[i]);
        for (size_t c = 0; c < 3; c++) {
            in->positions[i][c] = (float)between(state, -10, 10);
            in->scales[i][c] = (float)between(state, 0.5, 2);
        }
        for (size_t c = 0; c < 4; c++)
            in->tangents[i][c] = (float)between(state, -0.3, 0.3);
    }
    for (size_t t = 0; t < TRACKS; t++)
        for (size_t c = 0; c < 3; c++)
            in->axes[t][c] = (float)between(state, 0.1, 1);
}

static void fill_times(digest_input *in, uint64_t *state) {
    for (size_t k = 0; k < KEYS; k++) {
        in->times[0][k] = (double)k + between(state, 0, 0.9);
        in->times[1][k] = 0.5 + 0.75 * (double)k + between(state, 0, 0.5);
    }
    for (size_t k = 0; k < DIGEST_PAIRS; k++) {
        in->sample_times[k] = between(state, -20, 40);
        in->tracks[k] = (uint32_t)(bits_from(state) % TRACKS);
    }
    for (size_t t = 0; t < TRACKS; t++)
        in->timeline_of[t] = t % 3 == 0;
    for (size_t i = 0; i < 2; i++)
        in->timelines[i] = (pm_timeline){.key_count = KEYS, .times = in->times[i]};
    in->uniform = (pm_timeline){.key_count = KEYS, .rate = {3, 2}};
}

static pm_crowd_instance instance_from(uint64_t *state) {
    return (pm_crowd_instance){.time_a = pm_crowd_ticks(between(state, -50, 50)),
                               .time_b = pm_crowd_ticks(between(state, -50, 50)),
                               .clip_a = (uint32_t)(bits_from(state) % (DIGEST_CLIPS + 1)),
                               .clip_b = (uint32_t)(bits_from(state) % (DIGEST_CLIPS + 1)),
                               .weight = (float)between(state, -0.3, 1.3),
                               .mask = (uint16_t)(bits_from(state) % (DIGEST_MASKS + 2)),
                               .level = (uint8_t)(bits_from(state) % 3),
                               .flags = (uint8_t)(bits_from(state) % 16)};
}

static void fill_crowd(digest_input *in, uint64_t *state) {
    for (size_t t = 0; t < TRACKS; t++) {
        in->parents[t] = t ? (int32_t)(bits_from(state) % t) : -1;
        in->half[t] = t % 2 == 0;
    }
    for (size_t i = 0; i < (size_t)DIGEST_MASKS * TRACKS; i++)
        in->masks[i] = (float)between(state, 0, 1);
    for (size_t i = 0; i < DIGEST_INSTANCES; i++) {
        in->before[i] = instance_from(state);
        in->after[i] = in->before[i];
        in->after[i].time_a += pm_crowd_ticks(between(state, -30, 30));
        in->after[i].time_b += pm_crowd_ticks(between(state, -30, 30));
    }
}

digest_input *digest_input_make(void) {
    uint64_t state = 14;
    digest_input *in = calloc(1, sizeof *in);
    if (!in) {
        fprintf(stderr, "no memory for the input of digests\n");
        exit(1);
    }
    fill_keys(in, &state);
    fill_times(in, &state);
    fill_crowd(in, &state);
    return in;
}

/* ---- tiny numbers --------------------------------------------------------------------------- */

/* A quarter of the numbers subnormal, a quarter with subnormal products, a quarter with subnormal
 * squares, and a quarter unchanged, either sign. Exact: the factors are powers of two, except that a
 * subnormal number is rounded, which this must not depend on; so its digits are few. */
static float shrunk(uint64_t *state, float value) {
    static const int exponents[4][4] = {
        {-149, -140, -133, -127}, {-126, -118, -100, -80}, {-66, -61, -60, -58}, {0, 0, 0, 0}};
    const uint64_t bits = bits_from(state);
    const int exponent = exponents[bits % 4][bits / 4 % 4];
    if (exponent == 0)
        return value;
    return ldexpf(value < 0 ? -1.0f : 1.0f, exponent);
}

/* Small turns about some axis, from the identity or from a quarter turn. */
static void shrink_rotation(uint64_t *state, float q[4]) {
    for (size_t c = 0; c < 3; c++)
        q[c] = shrunk(state, 0.25f * (q[c] < 0 ? -1.0f : 1.0f));
    double rest = 1;
    for (size_t c = 0; c < 3; c++)
        rest -= (double)q[c] * (double)q[c];
    q[3] = (float)sqrt(rest);
}

static void shrink_keys(digest_input *in, uint64_t *state) {
    for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++) {
        if (i % 3 != 0)
            shrink_rotation(state, in->rotations[i]);
        for (size_t c = 0; c < 3; c++) {
            in->positions[i][c] = shrunk(state, in->positions[i][c]);
            in->scales[i][c] = shrunk(state, in->scales[i][c]);
        }
        for (size_t c = 0; c < 4; c++)
            in->tangents[i][c] = shrunk(state, in->tangents[i][c]);
    }
}

/* Sample times that lie a subnormal part of a segment after a key, and slow keys. */
static void shrink_times(digest_input *in, uint64_t *state) {
    const double slow = 0x1p66; /* rates of 2^-66 per second, whose squares are subnormal */
    for (size_t k = 0; k < KEYS; k++)
        in->times[1][k] *= slow;
    in->times[0][0] = 0;
    for (size_t k = 0; k < DIGEST_PAIRS; k++) {
        const uint64_t bits = bits_from(state);
        if (k % 3 == 0)
            in->sample_times[k] = ldexp(1, -(int)(bits % 160));
        if (k % 3 == 1)
            in->sample_times[k] = in->times[1][bits % KEYS] + slow * ldexp(1, -(int)(bits % 40));
    }
}

static void shrink_crowd(digest_input *in, uint64_t *state) {
    for (size_t i = 0; i < (size_t)DIGEST_MASKS * TRACKS; i++)
        in->masks[i] = shrunk(state, in->masks[i]);
    for (size_t i = 0; i < DIGEST_INSTANCES; i++) {
        in->before[i].weight = shrunk(state, in->before[i].weight);
        in->after[i].weight = in->before[i].weight;
    }
}

digest_input *digest_input_make_tiny(void) {
    uint64_t state = 41;
    digest_input *in = digest_input_make();
    in->tiny = true;
    shrink_keys(in, &state);
    shrink_times(in, &state);
    shrink_crowd(in, &state);
    return in;
}

/* ---- clips ---------------------------------------------------------------------------------- */

pm_clip_desc digest_clip_desc(const digest_input *in, pm_method method, key_times times) {
    pm_clip_desc desc = {.track_count = TRACKS,
                         .timelines = times == UNIFORM ? &in->uniform : in->timelines,
                         .timeline_count = times == SEVERAL ? 2 : 1,
                         .timeline_of = times == SEVERAL ? in->timeline_of : NULL,
                         .rotations = {.data = in->rotations},
                         .positions = {.data = in->positions},
                         .scales = {.data = in->scales},
                         .tangents_in = {.data = in->tangents},
                         .tangents_out = {.data = in->tangents},
                         .positions_in = {.data = in->positions},
                         .positions_out = {.data = in->scales},
                         .scales_in = {.data = in->scales},
                         .scales_out = {.data = in->positions},
                         .axes = {.data = in->axes},
                         .axis_count = TRACKS,
                         .method = method};
    if (times == LISTED_LOOP)
        desc.loop = KEYS + 0.25;
    return desc;
}
