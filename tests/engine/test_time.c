/* SPDX-License-Identifier: MIT
 *
 * The times of samples: exact at any distance from the start, in any order and batch size, and outside the
 * keys. Positions on the key axis are computed again here in 128-bit integers. Loops: laps forward and backward
 * repeat the first lap with the sign of their turns, the closing key is dropped, the closing segment has its
 * own length.
 */
#include "base/counts.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* The error bound of a single sample against double precision. */
#define ERROR_BOUND 4e-7

static pm_clip *uniform_clip(void **state, const motion *m, pm_rational rate, double loop) {
    const pm_timeline timeline = {.key_count = m->keys, .rate = rate};
    pm_clip_desc desc = motion_desc(m, &timeline, PM_METHOD_SLERP);
    desc.loop = loop;
    desc.positions.data = desc.scales.data = NULL;
    return clip_make(engine_for(state), &desc);
}

/* The largest error of samples of one track whose key positions are (first + k) * num / den on `m`,
 * either open or a loop of m->keys segments. */
static double largest_error(const motion *m, const float *samples, size_t count, wide first,
                            wide num, wide den, bool loop) {
    double largest = 0;
    const wide keys = (wide)m->keys;
    for (size_t k = 0; k < count; k++) {
        const wide position = (first + (wide)k) * num;
        wide segment = position / den;
        const double u = (double)(position % den) / (double)den;
        if (loop)
            segment %= keys;
        else if (segment >= keys - 1)
            segment = keys - 1;
        const size_t i = (size_t)segment;
        const size_t next = loop ? (i + 1) % m->keys : (i + 1 < m->keys ? i + 1 : i);
        float a[4], b[4];
        double expected[4];
        stored_key(m, i, 0, a);
        stored_key(m, next, 0, b);
        slerp_double(a, b, u, expected);
        largest = fmax(largest, rotation_error(samples + k * 4, expected));
    }
    return largest;
}

static void expect_exact(const pm_clip *clip, const motion *m, pm_sample_job job, wide num,
                         wide den, bool loop) {
    SCOPED(guarded_free_at) float *out = guarded_floats(job.sample_count * 4);
    job.rotations = out;
    sample_make(clip, &job);
    const double error = largest_error(m, out, job.sample_count, (wide)job.first, num, den, loop);
    if (!(error <= ERROR_BOUND))
        fail_msg("error %.3g rad from sample %llu", error, (unsigned long long)job.first);
}

/* ---- exactness ---- */

/* Three hours at 120 Hz with keys that repeat every 1001: 1000 samples at 120 * 1000/1001 Hz are
 * one lap, so every lap must have the bits of the first. */
TEST_ON_BOTH(three_hours_end_with_the_bits_of_the_start) {
    enum { ROUND = 1001, PERIOD = 1000 };
    const size_t rounds = small_sizes() ? 5 : 3 * 3600 * 120 / ROUND;
    SCOPED(motion_free) motion m = motion_make(rounds * ROUND + 1, 1, 0, 1);
    for (size_t key = 0; key < m.keys; key++) {
        const double phase = 6.283185307179586 * (double)(key % ROUND) / ROUND;
        const double angle = 1.2 * sin(phase) + 0.4 * cos(40 * phase); /* up to 6 degrees a key */
        float *q = m.rotations + key * 4;
        q[0] = 0;
        q[1] = (float)sin(angle / 2);
        q[2] = 0;
        q[3] = (float)cos(angle / 2);
    }
    SCOPED(pm_clip_destroy) pm_clip *clip = uniform_clip(state, &m, (pm_rational){120, 1}, 0);
    float first[PERIOD * 4], last[PERIOD * 4];
    pm_sample_job job = {.sample_count = PERIOD, .rate = {120000, 1001}, .rotations = first};
    sample_make(clip, &job);
    assert_true(largest_error(&m, first, PERIOD, 0, 1001, 1000, false) <= ERROR_BOUND);
    for (size_t round = 1; round < rounds; round = round < rounds - 2 ? rounds - 2 : round + 1) {
        job.first = round * PERIOD;
        job.rotations = last;
        memset(last, 0xFF, sizeof last);
        sample_make(clip, &job);
        expect_same_bits(last, first, PERIOD * 4, 4);
    }
}

TEST_ON_BOTH(uniform_samples_are_at_the_times_computed_in_integers) {
    SCOPED(motion_free) motion m = motion_make(small_sizes() ? 300 : 20000, 1, 2.0, 2);
    SCOPED(pm_clip_destroy) pm_clip *clip = uniform_clip(state, &m, (pm_rational){30, 1}, 0);
    const struct {
        pm_rational rate;
        int64_t num, den; /* keys per sample */
    } cases[] = {
        {{60, 1}, 1, 2},
        {{24, 1}, 5, 4},
        {{30000, 1001}, 1001, 1000},
        {{24000, 1001}, 30 * 1001, 24000},
        {{1, 3}, 90, 1},
        {{INT64_C(599999885559082), INT64_C(10000000000000)},
         INT64_C(300000000000000),
         INT64_C(599999885559082)},
    };
    const size_t count = small_sizes() ? 50 : 2000;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_sample_job job = {.sample_count = count, .rate = cases[i].rate};
        expect_exact(clip, &m, job, cases[i].num, cases[i].den, false);
        const wide span = (wide)(m.keys - 1) * cases[i].den / cases[i].num;
        job.first = (uint64_t)span - (uint64_t)(count < (size_t)span ? count / 2 : 0);
        expect_exact(clip, &m, job, cases[i].num, cases[i].den, false);
    }
}

/* 2 s of 48 keys: one lap is a whole number of keys, and only the end keys have an exact time. */
TEST_ON_BOTH(samples_2_to_the_40_laps_away_are_exact) {
    SCOPED(motion_free) motion m = motion_make(48, 1, 2.0, 3);
    SCOPED(pm_clip_destroy) pm_clip *clip = uniform_clip(state, &m, (pm_rational){24, 1}, 2.0);
    const uint64_t far[] = {0, UINT64_C(1) << 20, UINT64_C(1) << 33, UINT64_C(1) << 40,
                            (UINT64_C(1) << 40) + 12345};
    for (size_t i = 0; i < COUNT_OF(far); i++) {
        const pm_sample_job job = {.sample_count = 200, .rate = {30000, 1001}, .first = far[i]};
        expect_exact(clip, &m, job, 24 * 1001, 30000, true);
    }
}

TEST_ON_BOTH(rates_with_large_terms_are_exact_on_both_sides) {
    SCOPED(motion_free) motion m = motion_make(4096, 1, 2.0, 4);
    const pm_rational odd = {INT64_C(599999885559082), INT64_C(10000000000000)};
    SCOPED(pm_clip_destroy) pm_clip *clip = uniform_clip(state, &m, odd, 0);
    const pm_sample_job jobs[] = {
        {.sample_count = 100, .rate = {30000, 1001}, .first = 1900},
        {.sample_count = 100, .rate = {120, 1}, .first = 8000},
        {.sample_count = 100, .rate = odd, .first = 3990},
    };
    const wide num = odd.num, den = odd.den;
    expect_exact(clip, &m, jobs[0], num * 1001, den * 30000, false);
    expect_exact(clip, &m, jobs[1], num, den * 120, false);
    expect_exact(clip, &m, jobs[2], 1, 1, false);
}

/* A start of a/b s is 30 a/b keys; a sample every q/p s is 30 q/p keys: all are multiples of 1/(b
 * p). */
TEST_ON_BOTH(a_start_shifts_all_samples_by_an_exact_fraction) {
    enum { COUNT = 64 };
    SCOPED(motion_free) motion m = motion_make(100, 1, 2.0, 5);
    SCOPED(pm_clip_destroy) pm_clip *clip = uniform_clip(state, &m, (pm_rational){30, 1}, 0);
    SCOPED(guarded_free_at) float *out = guarded_floats(COUNT * 4);
    random_source source = random_salted(20);
    for (size_t round = 0; round < 8; round++) {
        const int64_t b = (int64_t)random_size(&source, 1, 997);
        const int64_t a = (int64_t)random_size(&source, 0, (size_t)b);
        const int64_t p = (int64_t)random_size(&source, 40, 5000);
        const int64_t q = (int64_t)random_size(&source, 1, (size_t)p / 40);
        const pm_sample_job job = {.sample_count = COUNT,
                                   .rate = {p, q},
                                   .start_after_first_key = {a, b},
                                   .rotations = out};
        sample_make(clip, &job);
        for (size_t k = 0; k < COUNT; k++) {
            const wide position = 30 * ((wide)a * p + (wide)k * q * b);
            if (!(largest_error(&m, out + k * 4, 1, 1, position, (wide)b * p, false) <=
                  ERROR_BOUND))
                fail_msg("sample %zu from %lld/%lld at %lld/%lld Hz", k, (long long)a, (long long)b,
                         (long long)p, (long long)q);
        }
    }
}

/* ---- at the keys ---- */

/* Checks that sample k equals key k bit for bit, with the sign nearest the previous key. glTF's
 * cubic, which has tangents in and out, keeps the given signs. */
static void expect_keys(const motion *m, const pm_method_info *method, const float *samples) {
    for (size_t track = 0; track < m->tracks; track++) {
        float last[4];
        stored_key(m, 0, track, last);
        for (size_t key = 0; key < m->keys; key++) {
            float wanted[4];
            double dot = 0;
            stored_key(m, key, track, wanted);
            for (int c = 0; c < 4; c++)
                dot += (double)wanted[c] * (double)last[c];
            for (int c = 0; c < 4; c++)
                last[c] = wanted[c] = dot < 0 && !method->takes_in_out ? -wanted[c] : wanted[c];
            expect_same_bits(samples + (key * m->tracks + track) * 4, wanted, 4, 4);
        }
    }
}

static pm_clip *clip_by(void **state, const motion *m, const pm_timeline *timeline,
                        const pm_method_info *method) {
    const pm_clip_desc desc = motion_desc(m, timeline, method->method);
    return clip_make(engine_for(state), &desc);
}

static void flip_some_signs(motion *m) {
    random_source source = random_salted(8);
    for (size_t row = 0; row < m->keys * m->tracks; row++)
        if (random_bits(&source) & 1)
            for (size_t c = 0; c < 4; c++)
                m->rotations[row * 4 + c] *= -1;
}

/* Samples of the motion on its keys, by every method that interpolates. */
static void expect_keys_of_methods(void **state, const motion *m, const pm_timeline *timeline,
                                   pm_sample_job job) {
    const size_t rows = m->keys * m->tracks;
    SCOPED(guarded_free_at)
    float *rotations = guarded_floats(rows * 4), *positions = guarded_floats(rows * 3);
    job.sample_count = m->keys;
    job.rotations = rotations;
    job.positions = positions;
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method_info *method = pm_method_get_info((pm_method)i);
        if (!method->interpolating)
            continue;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_by(state, m, timeline, method);
        sample_make(clip, &job);
        expect_keys(m, method, rotations);
        expect_same_bits(positions, m->positions, rows * 3, 3);
    }
}

TEST_ON_BOTH(uniform_samples_at_keys_are_the_keys) {
    SCOPED(motion_free) motion m = motion_make(40, 5, 3.0, 9);
    flip_some_signs(&m);
    const pm_rational rate = {30000, 1001};
    expect_keys_of_methods(state, &m, &(pm_timeline){.key_count = m.keys, .rate = rate},
                           (pm_sample_job){.rate = rate});
}

/* Half turns and quarter turns about the axes: a zero that becomes negative has other bits. */
TEST_ON_BOTH(zeros_in_keys_stay_positive_zeros) {
    const float r = 0.70710678f;
    const float quarter_turns[8][4] = {{0, 0, 0, 1}, {0, 0.6f, 0, 0.8f}, {0, 1, 0, 0},
                                       {r, r, 0, 0}, {1, 0, 0, 0},       {r, 0, 0, r},
                                       {0, 0, 0, 1}, {0, 0, r, r}};
    SCOPED(motion_free) motion m = motion_make(8, 3, 0, 19);
    for (size_t row = 0; row < (size_t)8 * 3; row++)
        memcpy(m.rotations + row * 4, quarter_turns[row / 3], sizeof quarter_turns[0]);
    const pm_rational rate = {2, 1};
    expect_keys_of_methods(state, &m, &(pm_timeline){.key_count = m.keys, .rate = rate},
                           (pm_sample_job){.rate = rate});
}

TEST_ON_BOTH(open_tracks_keep_their_end_keys_outside) {
    enum { KEYS = 6, COUNT = 10 };
    SCOPED(motion_free) motion m = motion_make(KEYS, 1, 3.0, 12);
    random_source source = random_salted(22);
    double uneven[KEYS], even[KEYS];
    const double first = random_between(&source, -100, 100);
    random_key_times(&source, KEYS, first, 0.1, 1, uneven);
    random_key_times(&source, KEYS, first, 0.5, 0.5, even);
    float out[COUNT * 4], ends[2 * 4];
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method_info *method = pm_method_get_info((pm_method)i);
        const double *keys = method->needs_uniform_keys ? even : uneven;
        const double last = keys[KEYS - 1];
        const pm_timeline timeline = {.key_count = KEYS, .times = keys};
        const double times[COUNT] = {
            first, nextafter(first, -1e9), first - random_unit(&source), -1e300, -(double)INFINITY,
            last,  nextafter(last, 1e9),   last + random_unit(&source),  1e300,  (double)INFINITY};
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_by(state, &m, &timeline, method);
        sample_make(clip, &(pm_sample_job){.sample_count = 2,
                                           .times = (double[]){first, last},
                                           .rotations = ends});
        memset(out, 0xFF, sizeof out);
        sample_make(clip,
                    &(pm_sample_job){.sample_count = COUNT, .times = times, .rotations = out});
        for (size_t k = 0; k < COUNT; k++)
            expect_same_bits(out + k * 4, ends + (k < 5 ? 0 : 4), 4, 4);
        float key[4];
        stored_key(&m, 0, 0, key);
        if (method->interpolating)
            expect_same_bits(ends, key, 4, 4);
    }
}

/* ---- order and batches ---- */

/* Keys about one axis whose angle goes from 0 to nearly `turns` turns. A key after the last would
 * be key 0 again, with wrap = -1 for an odd number of turns. */
static motion turning_motion(size_t keys, double turns) {
    motion m = motion_make(keys, 1, 0, 17);
    for (size_t key = 0; key < keys; key++) {
        const double half = 3.14159265358979324 * turns * (double)key / (double)keys;
        float *q = m.rotations + key * 4;
        q[0] = (float)(0.6 * sin(half));
        q[1] = (float)(0.8 * sin(half));
        q[2] = 0;
        q[3] = (float)cos(half);
    }
    return m;
}

/* glTF's cubic, the only method with tangents in and out, changes no sign: after an odd number of
 * turns it goes from the last key to the first key as given, over the longer arc. */
static bool keeps_signs(size_t method) {
    return pm_method_get_info((pm_method)method)->takes_in_out;
}

static pm_clip *turning_clip(void **state, const motion *m, pm_method method) {
    const pm_timeline timeline = {.key_count = m->keys, .rate = {8, 1}};
    pm_clip_desc desc = motion_desc(m, &timeline, method);
    desc.loop = (double)m->keys / 8;
    return clip_make(engine_for(state), &desc);
}

TEST_ON_BOTH(every_lap_repeats_the_first_with_the_sign_of_its_turns) {
    enum { COUNT = 64 };
    random_source source = random_salted(23);
    for (int turns = 1; turns <= 2; turns++)
        for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
            SCOPED(motion_free) motion m = turning_motion(16, turns);
            SCOPED(pm_clip_destroy) pm_clip *clip = turning_clip(state, &m, (pm_method)i);
            const int drawn = (int)random_size(&source, 3, 1 << 20);
            const int laps[] = {0, 1, 2, -1, -2, 1000001, drawn, -drawn};
            const double phase = (double)random_size(&source, 0, 31) / 1024;
            float base[COUNT * 4], out[COUNT * 4];
            double times[COUNT];
            for (size_t lap = 0; lap < COUNT_OF(laps); lap++) {
                for (size_t k = 0; k < COUNT; k++)
                    times[k] = (double)k / 32 + phase + 2.0 * laps[lap];
                sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                                   .times = times,
                                                   .rotations = lap ? out : base});
                const float sign = turns % 2 && laps[lap] % 2 && !keeps_signs(i) ? -1.0f : 1.0f;
                for (size_t c = 0; lap > 0 && c < COUNT * 4; c++)
                    if (out[c] != sign * base[c])
                        fail_msg("%s, %d turns, lap %d, sample %zu: %.9g, not %.9g",
                                 pm_method_get_info((pm_method)i)->name, turns, laps[lap], c / 4,
                                 (double)out[c], (double)(sign * base[c]));
            }
        }
}

TEST_ON_BOTH(the_sign_is_continuous_over_many_laps_of_a_full_turn) {
    enum { COUNT = 2000 };
    SCOPED(guarded_free_at) float *out = guarded_floats(COUNT * 4);
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        const size_t turns = keeps_signs(i) ? 2 : 1;
        SCOPED(motion_free) motion m = turning_motion(16 * turns, (double)turns);
        SCOPED(pm_clip_destroy) pm_clip *clip = turning_clip(state, &m, (pm_method)i);
        /* From 3 laps before the keys to about 12 after them, a quarter of a key per sample. */
        sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                           .rate = {70, 1},
                                           .start_after_first_key = {-6, 1},
                                           .rotations = out});
        for (size_t k = 1; k < COUNT; k++) {
            double dot = 0;
            for (size_t c = 0; c < 4; c++)
                dot += (double)out[k * 4 + c] * (double)out[k * 4 - 4 + c];
            if (!(dot > 0.9))
                fail_msg("%s: sample %zu", pm_method_get_info((pm_method)i)->name, k);
        }
    }
}

TEST_GROUP(NULL, engines_close)
