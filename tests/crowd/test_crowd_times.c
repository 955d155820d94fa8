/* SPDX-License-Identifier: MIT
 *
 * Clip times of crowds: seconds as ticks, the length of a clip, times that wrap around or clamp,
 * and times that are days away. Tracks may have timelines of their own, which may start any number
 * of loop periods after one another: each track is sampled at the time since its own first key,
 * modulo the period. Loops whose tracks start together are in test_time too.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SECOND ((int64_t)1 << 32)

TEST(seconds_become_the_nearest_tick) {
    assert_true(pm_crowd_ticks(0) == 0);
    assert_true(pm_crowd_ticks(1) == SECOND);
    assert_true(pm_crowd_ticks(-2.5) == -5 * (SECOND / 2));
    assert_true(pm_crowd_ticks(0x1.8p-33) == 1);
    assert_true(pm_crowd_ticks(0x1.8p-34) == 0);
    assert_true(pm_crowd_ticks(-0x1.8p-33) == -1);
    assert_true(pm_crowd_ticks(1.0 / 3) == 1431655765);
    assert_true(pm_crowd_ticks(2.0 / 3) == 2863311531);
    assert_true(pm_crowd_ticks(86400) == 86400 * SECOND);
    assert_true(pm_crowd_ticks(0x1p30) == SECOND << 30);
}

TEST(seconds_out_of_range_become_the_largest_ticks) {
    assert_true(pm_crowd_ticks((double)NAN) == 0);
    assert_true(pm_crowd_ticks(0x1p31) == INT64_MAX);
    assert_true(pm_crowd_ticks(HUGE_VAL) == INT64_MAX);
    assert_true(pm_crowd_ticks(-0x1p31) == INT64_MIN);
    assert_true(pm_crowd_ticks(-0x1.8p31) == INT64_MIN);
    assert_true(pm_crowd_ticks(-HUGE_VAL) == INT64_MIN);
    assert_true(pm_crowd_ticks(0x1.fffffffffffffp30) == INT64_MAX - 1023);
}

/* ---- one joint that rotates about z by the same angle per key ----------------------------- */

enum { KEYS = 7 };
#define TURN 0.4 /* radians from key to key */

static const pm_rational rates[] = {{30, 1}, {24, 1}, {30000, 1001}, {1, 3}, {4800, 1}, {1000, 7}};
enum { RATES = COUNT_OF(rates) };

typedef struct spinner {
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    double rotations[RATES][KEYS][4];
    double times[RATES][KEYS];
    pm_timeline timelines[RATES];
} spinner;

static double seconds_to(size_t clip, size_t key) {
    return (double)key * (double)rates[clip].den / (double)rates[clip].num;
}

/* Clip n has uniform keys at rate n, or keys listed at the same times. */
static void spinner_make(pm_engine *engine, pm_method method, bool listed, bool looped,
                         spinner *t) {
    static const int32_t parents[] = {-1};
    const pm_skeleton_desc desc = {.joint_count = 1, .parents = parents};
    pm_clip_desc clips[RATES];
    for (size_t n = 0; n < RATES; n++) {
        for (size_t key = 0; key < KEYS; key++) {
            double *q = t->rotations[n][key];
            q[0] = q[1] = 0;
            q[2] = sin(0.5 * TURN * (double)key);
            q[3] = cos(0.5 * TURN * (double)key);
            t->times[n][key] = 0.25 + seconds_to(n, key);
        }
        t->timelines[n] = (pm_timeline){.key_count = KEYS, .rate = rates[n]};
        if (listed)
            t->timelines[n] = (pm_timeline){.key_count = KEYS, .times = t->times[n]};
        clips[n] = (pm_clip_desc){.track_count = 1,
                                  .timelines = &t->timelines[n],
                                  .rotations = {.data = t->rotations[n], .type = PM_FLOAT64},
                                  .method = method,
                                  .loop = looped ? seconds_to(n, KEYS) : 0};
    }
    t->crowd = crowd_make(engine, &desc, clips, RATES, &t->skeleton);
}

static void spinner_free(spinner *t) {
    pm_crowd_destroy(&t->crowd);
    pm_skeleton_destroy(&t->skeleton);
}

/* The rotation about z in radians; fails when the joint rotates about another axis. */
static double angle_at(const spinner *t, size_t clip, int64_t time, uint8_t flags) {
    const pm_crowd_instance instance = {.clip_a = (uint32_t)clip, .time_a = time, .flags = flags};
    float out[12];
    pm_crowd_job job = CROWD_JOB(&instance, 1, .output = PM_CROWD_LOCAL, .memory = out);
    memset(out, 0xFF, sizeof out);
    expect_success(pm_crowd_pose(t->crowd, &job, new_error()));
    assert_true(out[0] == 0 && out[1] == 0);
    return 2 * atan2((double)out[2], (double)out[3]);
}

static void expect_angle(const spinner *t, size_t clip, int64_t time, uint8_t flags,
                         double expected) {
    const double angle = angle_at(t, clip, time, flags);
    const double error = remainder(angle - expected, 8 * atan(1));
    const double rate = (double)rates[clip].num / (double)rates[clip].den;
    const double tick = TURN * (KEYS - 1) * rate / PM_TICKS_PER_SECOND; /* at the steepest rate */
    if (!(fabs(error) < 1e-6 + tick))
        fail_msg("clip %zu at %.9f s turns by %.9g, not %.9g", clip,
                 (double)time / PM_TICKS_PER_SECOND, angle, expected);
}

TEST_ON_BOTH(a_clip_lasts_to_its_last_key_and_a_loop_for_its_period) {
    for (int kind = 0; kind < 4; kind++) {
        const bool listed = kind % 2, looped = kind / 2;
        SCOPED(spinner_free) spinner t;
        spinner_make(engine_for(state), PM_METHOD_SLERP, listed, looped, &t);
        for (size_t n = 0; n < RATES; n++)
            assert_true(pm_crowd_clip_ticks(t.crowd, n) ==
                        pm_crowd_ticks(seconds_to(n, looped ? KEYS : KEYS - 1)));
        assert_true(pm_crowd_clip_ticks(t.crowd, RATES) == 0);
        assert_true(pm_crowd_clip_ticks(t.crowd, SIZE_MAX) == 0);
    }
}

/* The nearest tick may lie before the key. A step curve must have stepped there nevertheless. */
TEST_ON_BOTH(the_tick_nearest_a_key_time_is_on_the_key) {
    for (int listed = 0; listed < 2; listed++) {
        SCOPED(spinner_free) spinner t;
        spinner_make(engine_for(state), PM_METHOD_STEP, listed, false, &t);
        for (size_t n = 0; n < RATES; n++) {
            for (size_t key = 0; key + 1 < KEYS; key++)
                expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, key)), 0, TURN * (double)key);
            expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, KEYS - 1)), PM_CROWD_CLAMP_A,
                         TURN * (KEYS - 1));
            for (size_t key = 1; key < KEYS; key++)
                expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, key) - 1e-6), 0,
                             TURN * (double)(key - 1));
        }
    }
}

/* Up to eight months away for a clip of 0.2 s, and to 62 years for one of 18 s. */
TEST_ON_BOTH(times_wrap_by_whole_lengths) {
    SCOPED(spinner_free) spinner t;
    static const int64_t rounds[] = {1, -1, 2, -7, 100000, -100000, 110000000};
    spinner_make(engine_for(state), PM_METHOD_SLERP, false, false, &t);
    for (size_t n = 0; n < RATES; n++) {
        const int64_t length = pm_crowd_clip_ticks(t.crowd, n);
        for (size_t i = 0; i < COUNT_OF(rounds); i++) {
            expect_angle(&t, n, rounds[i] * length, 0, 0);
            expect_angle(&t, n, rounds[i] * length + length / 4, 0, TURN * (KEYS - 1) / 4);
            assert_true(angle_at(&t, n, rounds[i] * length + length / 3, 0) ==
                        angle_at(&t, n, length / 3, 0));
        }
        expect_angle(&t, n, -length / 4, 0, TURN * (KEYS - 1) * 0.75);
    }
}

TEST_ON_BOTH(times_of_loops_wrap_by_the_period) {
    SCOPED(spinner_free) spinner t;
    spinner_make(engine_for(state), PM_METHOD_SLERP, false, true, &t);
    for (size_t n = 0; n < RATES; n++) {
        const int64_t period = pm_crowd_clip_ticks(t.crowd, n);
        for (size_t key = 0; key < KEYS; key++)
            expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, key)) - 3 * period, 0,
                         TURN * (double)key);
        /* The closing segment rotates back by 0.4 x 6 = 2.4 rad. */
        expect_angle(&t, n, -pm_crowd_ticks(seconds_to(n, 1) / 2), 0, TURN * (KEYS - 1) / 2);
        /* A clamped loop stops at the pose that it starts with. */
        expect_angle(&t, n, period + SECOND, PM_CROWD_CLAMP_A, 0);
    }
}

TEST_ON_BOTH(clamped_times_stop_at_both_ends) {
    static const int64_t outside[] = {1, SECOND, INT64_MAX / 2};
    for (int listed = 0; listed < 2; listed++) {
        SCOPED(spinner_free) spinner t;
        spinner_make(engine_for(state), PM_METHOD_SLERP, listed, false, &t);
        for (size_t n = 0; n < RATES; n++) {
            const int64_t length = pm_crowd_clip_ticks(t.crowd, n);
            for (size_t i = 0; i < 3; i++) {
                expect_angle(&t, n, -outside[i], PM_CROWD_CLAMP_A, 0);
                expect_angle(&t, n, length + outside[i], PM_CROWD_CLAMP_A, TURN * (KEYS - 1));
            }
            expect_angle(&t, n, INT64_MIN, PM_CROWD_CLAMP_A, 0);
            expect_angle(&t, n, INT64_MAX, PM_CROWD_CLAMP_A, TURN * (KEYS - 1));
            /* CLAMP_B does not affect clip A. */
            expect_angle(&t, n, length + length / 2, PM_CROWD_CLAMP_B, TURN * (KEYS - 1) / 2);
        }
    }
}

/* ---- joints that rotate at a constant rate --------------------------------------------------- */

enum { WHEELS = 24, WHEEL_KEYS = 3 };

/* Joint j rotates once about z per period, starting at its first key. Its three keys are a third of
 * a turn apart, so that each lap ends with the opposite sign of the previous one. */
typedef struct wheels {
    double period;
    double first[WHEELS];
    double times[WHEELS][WHEEL_KEYS];
    double rotations[WHEELS][WHEEL_KEYS][4];
    pm_timeline timelines[WHEELS];
    uint32_t timeline_of[WHEELS];
    pm_clip_desc clip;
} wheels;

static void wheels_make(double period, const double *first, wheels *w) {
    w->period = period;
    for (size_t joint = 0; joint < WHEELS; joint++) {
        w->first[joint] = first[joint];
        w->timelines[joint] = (pm_timeline){.key_count = WHEEL_KEYS, .times = w->times[joint]};
        w->timeline_of[joint] = (uint32_t)joint;
        for (size_t key = 0; key < WHEEL_KEYS; key++) {
            const double part = (double)key / WHEEL_KEYS;
            const double q[4] = {0, 0, sin(PI * part), cos(PI * part)};
            memcpy(w->rotations[joint][key], q, sizeof q);
            w->times[joint][key] = first[joint] + part * period;
        }
    }
    w->clip = (pm_clip_desc){.track_count = WHEELS,
                             .timelines = w->timelines,
                             .timeline_count = WHEELS,
                             .timeline_of = w->timeline_of,
                             .rotations = {.data = w->rotations, .type = PM_FLOAT64},
                             .loop = period};
}

/* First key times: joint 0 at `begin`; the others up to 50 periods later, by whole periods, by a
 * fraction of a period, or by both. */
static void draw_first_times(random_source *source, double begin, double period, double *first) {
    first[0] = begin;
    for (size_t joint = 1; joint < WHEELS; joint++) {
        const double whole = joint % 3 ? (double)(random_bits(source) % 51) : 0;
        const double part = joint % 3 == 1 ? 0 : random_unit(source);
        first[joint] = begin + (whole + part) * period;
    }
}

/* The angle about z of a joint at a time, in radians. */
static double wheel_angle(const wheels *w, size_t joint, double time) {
    return 2 * PI * (time - w->first[joint]) / w->period;
}

static void expect_wheel(const wheels *w, const float *q, size_t joint, double time) {
    const double angle = 2 * atan2((double)q[2], (double)q[3]);
    const double error = remainder(angle - wheel_angle(w, joint, time), 2 * PI);
    if (!(fabs(error) < 2e-6) || q[0] != 0 || q[1] != 0)
        fail_msg("joint %zu, %.9g periods after joint 0, is off by %g rad at %.9g s of %.9g s",
                 joint, (w->first[joint] - w->first[0]) / w->period, error, time, w->period);
}

static const int32_t roots[WHEELS] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

static pm_crowd *crowd_of(void **state, const pm_clip_desc *clip, pm_skeleton **skeleton) {
    const pm_skeleton_desc desc = {.joint_count = clip->track_count, .parents = roots};
    return crowd_make(engine_for(state), &desc, clip, 1, skeleton);
}

/* 12 numbers per joint and instance. The caller frees the array. */
static float *posed(pm_crowd *crowd, const pm_crowd_instance *instances, size_t count,
                    size_t joints) {
    float *out = guarded_floats(count * joints * 12);
    pm_crowd_job job = CROWD_JOB(instances, count, .output = PM_CROWD_LOCAL, .memory = out);
    expect_success(pm_crowd_pose(crowd, &job, new_error()));
    return out;
}

/* Checks signs too, which crowds do not specify: key 0 has its given sign, and the opposite sign in
 * each odd lap. */
TEST_ON_BOTH(samples_of_tracks_that_start_periods_later_are_continuous_in_sign) {
    enum { TIMES = 200 };
    random_source source = random_salted(0x1A7);
    for (size_t round = 0; round < (small_sizes() ? 2 : 10); round++) {
        wheels w;
        double first[WHEELS], times[TIMES];
        const double period = random_between(&source, 0.3, 5);
        draw_first_times(&source, random_between(&source, -9, 9), period, first);
        wheels_make(period, first, &w);
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &w.clip);
        for (size_t k = 0; k < TIMES; k++)
            times[k] = first[0] + random_between(&source, -60, 60) * period;
        SCOPED(guarded_free_at) float *out = guarded_floats((size_t)TIMES * WHEELS * 4);
        sample_make(clip,
                    &(pm_sample_job){.sample_count = TIMES, .times = times, .rotations = out});
        for (size_t k = 0; k < TIMES; k++)
            for (size_t joint = 0; joint < WHEELS; joint++) {
                const float *q = out + 4 * (k * WHEELS + joint);
                const double half = wheel_angle(&w, joint, times[k]) / 2;
                expect_wheel(&w, q, joint, times[k]);
                assert_true(sin(half) * (double)q[2] + cos(half) * (double)q[3] > 0.99);
            }
    }
}

/* ---- clips beside others ------------------------------------------------------------------------ */

/* Crowds store the timelines of clips of one length once. Clips that differ in nothing but their rate, their
 * loop, or 1024 keys are at the same places with others as alone. */
TEST_ON_BOTH(clips_of_equal_lengths_are_where_they_are_alone) {
    enum { CLIPS = 40, LONGEST = 3000, TIMES = 20 };
    static double keys[LONGEST][4];
    static const pm_rational own_rates[] = {{30, 1}, {25, 1}, {30000, 1001}};
    static const size_t own_keys[] = {2, 3, 4, 1027, 1028, 2051, 2052};
    random_source source = random_salted(0xA1E);
    pm_timeline timelines[CLIPS];
    pm_clip_desc clips[CLIPS];
    for (size_t k = 0; k < LONGEST; k++) {
        keys[k][2] = sin(0.1 * (double)k);
        keys[k][3] = cos(0.1 * (double)k);
    }
    for (size_t n = 0; n < CLIPS; n++) {
        const size_t count = own_keys[random_size(&source, 0, COUNT_OF(own_keys) - 1)];
        const pm_rational rate = own_rates[random_size(&source, 0, COUNT_OF(own_rates) - 1)];
        timelines[n] = (pm_timeline){.key_count = count, .rate = rate};
        clips[n] = (pm_clip_desc){.track_count = 1,
                                  .timelines = &timelines[n],
                                  .rotations = {.data = keys, .type = PM_FLOAT64},
                                  .loop = (double)(random_size(&source, 0, 1) * count) *
                                          (double)rate.den / (double)rate.num};
    }
    const pm_skeleton_desc desc = {.joint_count = 1, .parents = roots};
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    SCOPED(pm_crowd_destroy)
    pm_crowd *crowd = crowd_make(engine_for(state), &desc, clips, CLIPS, &skeleton);
    for (size_t n = 0; n < CLIPS; n++) {
        SCOPED(pm_skeleton_destroy) pm_skeleton *own_skeleton = NULL;
        SCOPED(pm_crowd_destroy) pm_crowd *alone = crowd_of(state, &clips[n], &own_skeleton);
        pm_crowd_instance beside[TIMES] = {0}, own[TIMES] = {0};
        for (size_t k = 0; k < TIMES; k++) {
            beside[k].clip_a = (uint32_t)n;
            beside[k].time_a = own[k].time_a = pm_crowd_ticks(random_between(&source, -1, 2) *
                                                              (double)timelines[n].key_count / 30);
        }
        assert_true(pm_crowd_clip_ticks(crowd, n) == pm_crowd_clip_ticks(alone, 0));
        SCOPED(guarded_free_at) float *a = posed(crowd, beside, TIMES, 1);
        SCOPED(guarded_free_at) float *b = posed(alone, own, TIMES, 1);
        assert_memory_equal(a, b, sizeof(float) * 12 * TIMES);
    }
}

/* ---- length of a loop ---------------------------------------------------------------------------- */

static const double late_times[][2] = {{0.5, 1}, {1e9, 0}, {-7, 90}};
static const pm_timeline late_timelines[] = {{.key_count = 2, .times = late_times[0]},
                                             {.key_count = 1, .times = late_times[1]},
                                             {.key_count = 2, .times = late_times[2]}};
static const double own_keys[3][4] = {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}, {0.6, 0, 0, 0.8}};

static pm_clip_desc clip_of_timelines(const uint32_t *timeline_of, size_t timelines,
                                      double period) {
    return (pm_clip_desc){.track_count = 2,
                          .timelines = late_timelines,
                          .timeline_count = timelines,
                          .timeline_of = timeline_of,
                          .rotations = {.data = own_keys, .type = PM_FLOAT64},
                          .loop = period};
}

/* A joint with one key does not move, independent of the time of that key. The loop is as long as
 * its period, and the other joints follow it. */
TEST_ON_BOTH(a_loop_is_as_long_as_its_period_wherever_its_tracks_start) {
    static const uint32_t timeline_of[2][2] = {{0, 1}, {1, 1}};
    for (size_t n = 0; n < 2; n++) {
        SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
        const pm_clip_desc clip = clip_of_timelines(timeline_of[n], 2, 3);
        SCOPED(pm_crowd_destroy) pm_crowd *crowd = crowd_of(state, &clip, &skeleton);
        assert_true(pm_crowd_clip_ticks(crowd, 0) == 3 * SECOND);
        const double half = atan2(0.6, 0.8) / 2; /* interpolated at a quarter of a second */
        const double expected[2][2][4] = {{{0, 0, sin(half), cos(half)}, {0.6, 0, 0, 0.8}},
                                          {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}}};
        for (int64_t lap = -2; lap < 3; lap++) {
            const pm_crowd_instance who = {.time_a = 3 * lap * SECOND + SECOND / 4};
            SCOPED(guarded_free_at) float *out = posed(crowd, &who, 1, 2);
            assert_true(rotation_error(out, expected[n][0]) < 1e-6);
            assert_true(rotation_error(out + 12, expected[n][1]) < 1e-6);
        }
    }
}

/* A clip starts at the first key of any joint; an open clip ends at the last key of any joint. */
TEST_ON_BOTH(timelines_that_no_joint_uses_are_ignored) {
    static const uint32_t timeline_of[2] = {0, 0};
    static const double keys[4][4] = {
        {0, 0, 0, 1}, {0, 0, 0.6, 0.8}, {0, 0, 0, 1}, {0, 0, 0.6, 0.8}};
    const double half = atan2(0.6, 0.8) / 2;
    const double expected[4] = {0, 0, sin(half), cos(half)};
    for (size_t n = 0; n < 2; n++) {
        SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
        pm_clip_desc clip = clip_of_timelines(timeline_of, 3, n ? 100 : 0);
        clip.rotations.data = keys;
        SCOPED(pm_crowd_destroy) pm_crowd *crowd = crowd_of(state, &clip, &skeleton);
        assert_true(pm_crowd_clip_ticks(crowd, 0) == (n ? 100 * SECOND : SECOND / 2));
        const pm_crowd_instance who = {.time_a = SECOND / 4};
        SCOPED(guarded_free_at) float *out = posed(crowd, &who, 1, 2);
        assert_true(rotation_error(out, expected) < 1e-6);
        assert_true(rotation_error(out + 12, expected) < 1e-6);
    }
}

/* Key times of clocks that count seconds since 1970: doubles of that size are 2^-23 s apart, and
 * the joints must still wrap together. */
TEST_ON_BOTH(joints_with_times_far_from_zero_wrap_together) {
    enum { ROUNDS = 1000000 };
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    wheels w;
    double first[WHEELS];
    random_source source = random_salted(0x1A8);
    const double period = random_between(&source, 0.3, 5);
    for (size_t joint = 0; joint < WHEELS; joint++)
        first[joint] = joint % 2 ? 1e9 + (double)joint : -50 * (double)joint;
    wheels_make(period, first, &w);
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = crowd_of(state, &w.clip, &skeleton);
    const int64_t ticks = pm_crowd_clip_ticks(crowd, 0);
    assert_true(ticks == pm_crowd_ticks(period));
    const pm_crowd_instance n[2] = {{.time_a = ticks / 7}, {.time_a = ticks / 7 + ROUNDS * ticks}};
    SCOPED(guarded_free_at) float *out = posed(crowd, n, 2, WHEELS);
    expect_same_bits(out, out + WHEELS * 12, WHEELS * 12, 12);
    for (size_t joint = 0; joint < WHEELS; joint++) {
        const double time = first[WHEELS - 2] + (double)n[0].time_a / PM_TICKS_PER_SECOND;
        const double part = remainder(time - first[joint], period) / period;
        const float *q = out + 12 * joint;
        const double error = 2 * atan2((double)q[2], (double)q[3]) - 2 * PI * part;
        assert_true(fabs(remainder(error, 2 * PI)) < 1e-5);
    }
}

/* ---- against the oracle -------------------------------------------------------------------------- */

/* Over a few laps in both directions, which accumulate the error of a pose. */
static void expect_root_motion(const scene *s, random_source *source) {
    enum { COUNT = 60, ROUNDS = 5 };
    pm_crowd_instance n[COUNT + 1];
    pm_root_motion motions[COUNT];
    for (size_t i = 0; i <= COUNT; i++) {
        n[i] = scene_instance(source, s);
        n[i].time_a = (int64_t)(random_between(source, -ROUNDS, ROUNDS) *
                                (double)crowd_oracle_ticks(s->oracle, n[i].clip_a));
        n[i].time_b = (int64_t)(random_between(source, -ROUNDS, ROUNDS) *
                                (double)crowd_oracle_ticks(s->oracle, n[i].clip_b));
    }
    memset(motions, 0xFF, sizeof motions);
    expect_success(pm_crowd_root_motion(s->crowd, n, n + 1, COUNT, motions, new_error()));
    for (size_t i = 0; i < COUNT; i++) {
        const motion3 m = crowd_oracle_root_motion(s->oracle, &n[i], &n[i + 1]);
        const double q[4] = {m.rotation.x, m.rotation.y, m.rotation.z, m.rotation.w};
        const double p[3] = {m.position.x, m.position.y, m.position.z};
        assert_true(rotation_error(motions[i].rotation, q) < 2e-6);
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs((double)motions[i].position[c] - p[c]) < 2e-6 * (2 + ROUNDS));
    }
}

static void expect_scene(void **state, const scene_options *options, const char *what) {
    enum { COUNT = 48 };
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    random_source source = random_salted(options->salt + 0x100);
    const size_t count = small_sizes() ? 8 : COUNT;
    scene_make(engine_for(state), options, &s);
    scene_instances(&s, options->salt + 0x100, count, instances);
    for (uint32_t n = 0; n < s.clip_count; n++)
        assert_true(pm_crowd_clip_ticks(s.crowd, n) == crowd_oracle_ticks(s.oracle, n));
    SCOPED(guarded_free_at)
    float *records = scene_pose(&s, PM_CROWD_PALETTE, instances, count, false);
    SCOPED(guarded_free_at)
    float *reference = scene_pose(&s, PM_CROWD_PALETTE, instances, count, true);
    scene_expect(&s, PM_CROWD_PALETTE, records, instances, count, what);
    expect_same_bits(records, reference, scene_floats(&s, PM_CROWD_PALETTE, count),
                     scene_floats(&s, PM_CROWD_PALETTE, 1));
    expect_root_motion(&s, &source);
}

TEST_ON_BOTH(poses_and_root_motion_of_loops_with_staggered_tracks_match_the_oracle) {
    static const char *const methods[] = {"slerp", "squad", "spline", "hermite", "circular-c2"};
    const size_t count = small_sizes() ? 1 : COUNT_OF(methods);
    for (size_t m = 0; m < count; m++)
        for (uint64_t salt = 0; salt < 3; salt++)
            expect_scene(state,
                         &(scene_options){.salt = 0xF60 + 16 * m + salt,
                                          .curve = variant_named(methods[m]),
                                          .times = SCENE_STAGGERED,
                                          .looped = true,
                                          .scales = salt == 1,
                                          .joints = 17},
                         methods[m]);
}

/* Open tracks keep the first key before their start and the last key after their end. */
TEST_ON_BOTH(poses_of_open_clips_with_staggered_tracks_match_the_oracle) {
    expect_scene(
        state, &(scene_options){.salt = 0xFB0, .times = SCENE_STAGGERED, .joints = 17, .clips = 4},
        "open");
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
