/* SPDX-License-Identifier: MIT
 *
 * Loops: laps forward and backward repeat the first lap with the sign of their turns, the closing
 * key is dropped, the closing segment has its own length.
 */
#include "base/counts.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <string.h>

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
    return pm_method_describe((pm_method)method)->takes_in_out;
}

static pm_clip *turning_clip(void **state, const motion *m, pm_method method) {
    const pm_timeline timeline = {.key_count = m->keys, .rate = {8, 1}};
    pm_clip_desc desc = motion_desc(m, &timeline, method);
    desc.loop_period = (double)m->keys / 8;
    return clip_make(engine_for(state), &desc);
}

TEST_ON_BOTH(every_lap_repeats_the_first_with_the_sign_of_its_turns) {
    engine_for(state);
    enum { COUNT = 64 };
    random_source source = random_salted(23);
    for (int turns = 1; turns <= 2; turns++)
        for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
            motion m = turning_motion(16, turns);
            pm_clip *clip = turning_clip(state, &m, (pm_method)i);
            const int drawn = (int)random_size(&source, 3, 1 << 20);
            const int laps[] = {0, 1, 2, -1, -2, 1000001, drawn, -drawn};
            const double phase = (double)random_size(&source, 0, 31) / 1024;
            float base[COUNT * 4], out[COUNT * 4];
            double times[COUNT];
            for (size_t lap = 0; lap < sizeof laps / sizeof laps[0]; lap++) {
                for (size_t k = 0; k < COUNT; k++)
                    times[k] = (double)k / 32 + phase + 2.0 * laps[lap];
                sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                                   .times = times,
                                                   .rotations = lap ? out : base});
                const float sign = turns % 2 && laps[lap] % 2 && !keeps_signs(i) ? -1.0f : 1.0f;
                for (size_t c = 0; lap > 0 && c < COUNT * 4; c++)
                    if (out[c] != sign * base[c])
                        fail_msg("%s, %d turns, lap %d, sample %zu: %.9g, not %.9g",
                                 pm_method_describe((pm_method)i)->name, turns, laps[lap], c / 4,
                                 (double)out[c], (double)(sign * base[c]));
            }
            pm_clip_destroy(&clip);
            motion_free(&m);
        }
}

TEST_ON_BOTH(the_sign_is_continuous_over_many_laps_of_a_full_turn) {
    engine_for(state);
    enum { COUNT = 2000 };
    float *out = guarded_floats(COUNT * 4);
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        const size_t turns = keeps_signs(i) ? 2 : 1;
        motion m = turning_motion(16 * turns, (double)turns);
        pm_clip *clip = turning_clip(state, &m, (pm_method)i);
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
                fail_msg("%s: sample %zu", pm_method_describe((pm_method)i)->name, k);
        }
        pm_clip_destroy(&clip);
        motion_free(&m);
    }
    guarded_free(out);
}

TEST_ON_BOTH(a_closing_key_makes_the_same_loop_as_leaving_it_out) {
    engine_for(state);
    enum { COUNT = 300 };
    motion closed = turning_motion(17, 17.0 / 16); /* the last key is key 0 after a full turn */
    motion open = closed;
    open.keys = 16;
    memcpy(closed.positions + 16 * 3, closed.positions, 3 * sizeof(float));
    memcpy(closed.scales + 16 * 3, closed.scales, 3 * sizeof(float));
    float a[COUNT * 4], b[COUNT * 4], c[COUNT * 3], d[COUNT * 3];
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        pm_sample_job job = {
            .sample_count = COUNT, .rate = {37, 1}, .start_after_first_key = {-3, 1}};
        for (int with = 0; with < 2; with++) {
            const motion *m = with ? &closed : &open;
            const pm_timeline timeline = {.key_count = m->keys, .rate = {8, 1}};
            pm_clip_desc desc = motion_desc(m, &timeline, (pm_method)i);
            desc.loop_period = 2;
            pm_clip *clip = clip_make(engine_for(state), &desc);
            job.rotations = with ? a : b;
            job.positions = with ? c : d;
            sample_make(clip, &job);
            pm_clip_destroy(&clip);
        }
        expect_same_bits(a, b, COUNT * 4, 4);
        expect_same_bits(c, d, COUNT * 3, 3);
    }
    motion_free(&closed);
}

static pm_clip *looped_clip(void **state, const motion *m, double loop_period) {
    const pm_timeline timeline = {.key_count = m->keys, .rate = {4, 1}};
    pm_clip_desc desc = motion_desc(m, &timeline, PM_METHOD_SLERP);
    desc.loop_period = loop_period;
    return clip_make(engine_for(state), &desc);
}

/* A period that is not a whole number of key intervals: the last segment is 0.7 of one. */
TEST_ON_BOTH(the_segment_that_closes_a_loop_has_its_own_length) {
    engine_for(state);
    motion m = motion_make(9, 1, 2.0, 18);
    const double period = 8.7 / 4;
    pm_clip *clip = looped_clip(state, &m, period);
    float out[20 * 4], first[4], last[4];
    double times[20];
    for (size_t k = 0; k < 20; k++)
        times[k] = 2 + 0.7 / 4 * (double)k / 20 + 3 * period;
    sample_make(clip, &(pm_sample_job){.sample_count = 20, .times = times, .rotations = out});
    stored_key(&m, 8, 0, last);
    stored_key(&m, 0, 0, first);
    for (size_t k = 0; k < 20; k++) {
        double expected[4];
        slerp_double(last, first, (double)k / 20, expected);
        assert_true(rotation_error(out + k * 4, expected) <= 4e-7);
    }
    pm_clip_destroy(&clip);
    motion_free(&m);
}

TEST_GROUP(NULL, engines_close)
