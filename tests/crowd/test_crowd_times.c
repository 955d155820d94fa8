/* SPDX-License-Identifier: MIT
 *
 * Ticks: what seconds are in them, how long clips are, and where times that go round or stop
 * lie among the keys, days away too.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND ((int64_t)1 << 32)

static void seconds_become_the_nearest_tick(void **state) {
    (void)state;
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

static void seconds_out_of_range_become_the_largest_ticks(void **state) {
    (void)state;
    assert_true(pm_crowd_ticks((double)NAN) == 0);
    assert_true(pm_crowd_ticks(0x1p31) == INT64_MAX);
    assert_true(pm_crowd_ticks(HUGE_VAL) == INT64_MAX);
    assert_true(pm_crowd_ticks(-0x1p31) == INT64_MIN);
    assert_true(pm_crowd_ticks(-0x1.8p31) == INT64_MIN);
    assert_true(pm_crowd_ticks(-HUGE_VAL) == INT64_MIN);
    assert_true(pm_crowd_ticks(0x1.fffffffffffffp30) == INT64_MAX - 1023);
}

/* ---- a joint that turns about z, a key at a time ------------------------------------------ */

enum { KEYS = 7 };
#define TURN 0.4 /* radians from key to key */

static const pm_rational rates[] = {{30, 1}, {24, 1}, {30000, 1001}, {1, 3}, {4800, 1}, {1000, 7}};
enum { RATES = sizeof rates / sizeof *rates };

typedef struct turner {
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    double rotations[RATES][KEYS][4];
    double times[RATES][KEYS];
    pm_timeline timelines[RATES];
} turner;

static double seconds_to(size_t clip, size_t key) {
    return (double)key * (double)rates[clip].den / (double)rates[clip].num;
}

/* Clip n has uniform keys at rate n, or keys listed at the same times. */
static void turner_make(pm_engine *engine, pm_method method, bool listed, bool looped, turner *t) {
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
                                  .loop_period = looped ? seconds_to(n, KEYS) : 0};
    }
    t->crowd = crowd_make(engine, &desc, clips, RATES, &t->skeleton);
}

static void turner_free(turner *t) {
    pm_crowd_destroy(&t->crowd);
    pm_skeleton_destroy(&t->skeleton);
}

/* Radians about z; fails when it turns about anything else. */
static double angle_at(const turner *t, size_t clip, int64_t time, uint8_t flags) {
    const pm_crowd_instance instance = {.clip_a = (uint32_t)clip, .time_a = time, .flags = flags};
    pm_error error = poisoned_error();
    pm_crowd_job job = {.instances = &instance, .instance_count = 1};
    float out[12];
    job.outputs[PM_CROWD_LOCAL].memory = out;
    memset(out, 0xFF, sizeof out);
    expect_ok(pm_crowd_pose(t->crowd, &job, &error), &error);
    assert_true(out[0] == 0 && out[1] == 0);
    return 2 * atan2((double)out[2], (double)out[3]);
}

static void expect_angle(const turner *t, size_t clip, int64_t time, uint8_t flags, double wanted) {
    const double angle = angle_at(t, clip, time, flags);
    const double error = remainder(angle - wanted, 8 * atan(1));
    const double rate = (double)rates[clip].num / (double)rates[clip].den;
    const double tick = TURN * (KEYS - 1) * rate / PM_TICKS_PER_SECOND; /* where it is steepest */
    if (!(fabs(error) < 1e-6 + tick))
        fail_msg("clip %zu at %.9f s turns by %.9g, not %.9g", clip,
                 (double)time / PM_TICKS_PER_SECOND, angle, wanted);
}

static void a_clip_is_as_long_as_from_its_first_key_to_its_last(void **state) {
    turner t;
    for (int listed = 0; listed < 2; listed++) {
        turner_make(engine_for(state), PM_METHOD_SLERP, listed, false, &t);
        for (size_t n = 0; n < RATES; n++)
            assert_true(pm_crowd_clip_ticks(t.crowd, n) == pm_crowd_ticks(seconds_to(n, KEYS - 1)));
        assert_true(pm_crowd_clip_ticks(t.crowd, RATES) == 0);
        assert_true(pm_crowd_clip_ticks(t.crowd, SIZE_MAX) == 0);
        turner_free(&t);
    }
}

static void a_loop_is_as_long_as_its_period(void **state) {
    turner t;
    for (int listed = 0; listed < 2; listed++) {
        turner_make(engine_for(state), PM_METHOD_SLERP, listed, true, &t);
        for (size_t n = 0; n < RATES; n++)
            assert_true(pm_crowd_clip_ticks(t.crowd, n) == pm_crowd_ticks(seconds_to(n, KEYS)));
        turner_free(&t);
    }
}

/* The nearest tick may lie before the key: a step must have been made there nonetheless. */
static void times_of_keys_are_on_their_keys(void **state) {
    turner t;
    for (int listed = 0; listed < 2; listed++) {
        turner_make(engine_for(state), PM_METHOD_STEP, listed, false, &t);
        for (size_t n = 0; n < RATES; n++) {
            for (size_t key = 0; key + 1 < KEYS; key++)
                expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, key)), 0, TURN * (double)key);
            expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, KEYS - 1)), PM_CROWD_CLAMP_A,
                         TURN * (KEYS - 1));
            for (size_t key = 1; key < KEYS; key++)
                expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, key) - 1e-6), 0,
                             TURN * (double)(key - 1));
        }
        turner_free(&t);
    }
}

static void times_between_keys_are_between_their_rotations(void **state) {
    turner t;
    random_source source = random_salted(0xF01);
    for (int listed = 0; listed < 2; listed++) {
        turner_make(engine_for(state), PM_METHOD_SLERP, listed, false, &t);
        for (size_t n = 0; n < RATES; n++)
            for (size_t i = 0; i < 10; i++) {
                const double key = random_between(&source, 0, KEYS - 1);
                expect_angle(&t, n, pm_crowd_ticks(key * seconds_to(n, 1)), 0, TURN * key);
            }
        turner_free(&t);
    }
}

static void times_go_round_by_whole_lengths(void **state) {
    turner t;
    static const int64_t rounds[] = {1, -1, 2, -7, 100000, -100000};
    turner_make(engine_for(state), PM_METHOD_SLERP, false, false, &t);
    for (size_t n = 0; n < RATES; n++) {
        const int64_t length = pm_crowd_clip_ticks(t.crowd, n);
        for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
            expect_angle(&t, n, rounds[i] * length, 0, 0);
            expect_angle(&t, n, rounds[i] * length + length / 4, 0, TURN * (KEYS - 1) / 4);
            assert_true(angle_at(&t, n, rounds[i] * length + length / 3, 0) ==
                        angle_at(&t, n, length / 3, 0));
        }
        expect_angle(&t, n, -length / 4, 0, TURN * (KEYS - 1) * 0.75);
    }
    turner_free(&t);
}

static void loops_go_round_by_their_period(void **state) {
    turner t;
    turner_make(engine_for(state), PM_METHOD_SLERP, false, true, &t);
    for (size_t n = 0; n < RATES; n++) {
        const int64_t period = pm_crowd_clip_ticks(t.crowd, n);
        for (size_t key = 0; key < KEYS; key++)
            expect_angle(&t, n, pm_crowd_ticks(seconds_to(n, key)) - 3 * period, 0,
                         TURN * (double)key);
        /* The last segment leads back: 0.4 x 6 = 2.4 rad in one. */
        expect_angle(&t, n, -pm_crowd_ticks(seconds_to(n, 1) / 2), 0, TURN * (KEYS - 1) / 2);
        /* A loop that clamps stops where it began. */
        expect_angle(&t, n, period + SECOND, PM_CROWD_CLAMP_A, 0);
    }
    turner_free(&t);
}

static void times_that_clamp_stop_at_both_ends(void **state) {
    turner t;
    static const int64_t outside[] = {1, SECOND, INT64_MAX / 2};
    for (int listed = 0; listed < 2; listed++) {
        turner_make(engine_for(state), PM_METHOD_SLERP, listed, false, &t);
        for (size_t n = 0; n < RATES; n++) {
            const int64_t length = pm_crowd_clip_ticks(t.crowd, n);
            for (size_t i = 0; i < 3; i++) {
                expect_angle(&t, n, -outside[i], PM_CROWD_CLAMP_A, 0);
                expect_angle(&t, n, length + outside[i], PM_CROWD_CLAMP_A, TURN * (KEYS - 1));
            }
            expect_angle(&t, n, INT64_MIN, PM_CROWD_CLAMP_A, 0);
            expect_angle(&t, n, INT64_MAX, PM_CROWD_CLAMP_A, TURN * (KEYS - 1));
            /* The other flag is about the other clip. */
            expect_angle(&t, n, length + length / 2, PM_CROWD_CLAMP_B, TURN * (KEYS - 1) / 2);
        }
        turner_free(&t);
    }
}

static void time_b_has_a_clamp_of_its_own(void **state) {
    scene s;
    pm_crowd_instance n = {.clip_b = 1, .weight = 1, .flags = PM_CROWD_CLAMP_B};
    scene_make(engine_for(state), &(scene_options){.salt = 0xF02, .joints = 3}, &s);
    const size_t floats = scene_floats(&s, PM_CROWD_LOCAL, 1);
    n.time_b = crowd_oracle_ticks(s.oracle, 1) * 5 / 2;
    float *b = scene_pose(&s, PM_CROWD_LOCAL, &n, 1, false);
    n = (pm_crowd_instance){.clip_a = 1, .time_a = n.time_b, .flags = PM_CROWD_CLAMP_A};
    float *a = scene_pose(&s, PM_CROWD_LOCAL, &n, 1, false);
    for (size_t i = 0; i < floats; i++)
        assert_true(fabsf(a[i] - b[i]) < 1e-6f);
    n.flags = PM_CROWD_CLAMP_B;
    float *round = scene_pose(&s, PM_CROWD_LOCAL, &n, 1, false);
    assert_memory_not_equal(a, round, floats * sizeof(float));
    guarded_free(a);
    guarded_free(b);
    guarded_free(round);
    scene_free(&s);
}

/* ---- joints with key times of their own ---------------------------------------------------- */

enum { LINES = 3 };

static const double own_times[2][2] = {{0.5, 1}, {0, 2}};

/* Three roots that turn about z by 0.8 rad: from 0.5 s to 1 s, from 0 s to 2 s, in the first
 * second. */
static void lines_make(pm_engine *engine, double loop_period, turner *t) {
    static const int32_t parents[LINES] = {-1, -1, -1};
    static const pm_timeline lines[LINES] = {{.key_count = 2, .times = own_times[0]},
                                             {.key_count = 2, .times = own_times[1]},
                                             {.key_count = 2, .rate = {1, 1}}};
    static const uint32_t line_of[LINES] = {0, 1, 2};
    const pm_skeleton_desc desc = {.joint_count = LINES, .parents = parents};
    for (size_t joint = 0; joint < LINES; joint++)
        for (size_t key = 0; key < 2; key++) {
            double *q = t->rotations[0][2 * joint + key];
            q[0] = q[1] = 0;
            q[2] = sin(TURN * (double)key);
            q[3] = cos(TURN * (double)key);
        }
    const pm_clip_desc clip = {.track_count = LINES,
                               .timelines = lines,
                               .timeline_count = LINES,
                               .timeline_of = line_of,
                               .rotations = {.data = t->rotations[0], .type = PM_FLOAT64},
                               .loop_period = loop_period};
    t->crowd = crowd_make(engine, &desc, &clip, 1, &t->skeleton);
}

static void expect_lines(const turner *t, double seconds, uint8_t flags, double a, double b,
                         double c) {
    const double wanted[LINES] = {2 * TURN * a, 2 * TURN * b, 2 * TURN * c};
    const pm_crowd_instance n = {.time_a = pm_crowd_ticks(seconds), .flags = flags};
    pm_error error = poisoned_error();
    pm_crowd_job job = {.instances = &n, .instance_count = 1};
    float out[LINES * 12];
    job.outputs[PM_CROWD_LOCAL].memory = out;
    memset(out, 0xFF, sizeof out);
    expect_ok(pm_crowd_pose(t->crowd, &job, &error), &error);
    for (size_t joint = 0; joint < LINES; joint++) {
        const float *q = out + 12 * joint;
        const double angle = 2 * atan2((double)q[2], (double)q[3]);
        if (!(fabs(remainder(angle - wanted[joint], 8 * atan(1))) < 1e-6))
            fail_msg("at %g s joint %zu turns by %g, not %g", seconds, joint, angle, wanted[joint]);
    }
}

/* Open tracks keep their end keys until the clip goes round, 2 s after its first key. */
static void joints_of_many_timelines_keep_to_the_clips_time(void **state) {
    turner t;
    lines_make(engine_for(state), 0, &t);
    assert_true(pm_crowd_clip_ticks(t.crowd, 0) == 2 * SECOND);
    expect_lines(&t, 0.25, 0, 0, 0.125, 0.25);
    expect_lines(&t, 0.75, 0, 0.5, 0.375, 0.75);
    expect_lines(&t, 1.5, 0, 1, 0.75, 1);
    expect_lines(&t, 2.25, 0, 0, 0.125, 0.25);
    expect_lines(&t, -0.5, 0, 1, 0.75, 1);
    expect_lines(&t, 200.75, 0, 0.5, 0.375, 0.75);
    expect_lines(&t, 7, PM_CROWD_CLAMP_A, 1, 1, 1);
    expect_lines(&t, -7, PM_CROWD_CLAMP_A, 0, 0, 0);
    turner_free(&t);
}

/* From their last keys on they go back to their first, which come 3 s after the ones before. */
static void loops_of_many_timelines_keep_to_the_clips_time(void **state) {
    turner t;
    lines_make(engine_for(state), 3, &t);
    assert_true(pm_crowd_clip_ticks(t.crowd, 0) == 3 * SECOND);
    expect_lines(&t, 0.75, 0, 0.5, 0.375, 0.75);
    expect_lines(&t, 0, 0, 0.2, 0, 0);
    expect_lines(&t, 2.5, 0, 0.4, 0.5, 0.25);
    expect_lines(&t, 3.25, 0, 0.1, 0.125, 0.25);
    expect_lines(&t, -0.5, 0, 0.4, 0.5, 0.25);
    expect_lines(&t, 8, PM_CROWD_CLAMP_A, 0.2, 0, 0);
    turner_free(&t);
}

/* A frame's time from its number, as a program would make it, a year into a run. */
static void frames_of_a_year_are_where_they_were_at_the_beginning(void **state) {
    turner t;
    turner_make(engine_for(state), PM_METHOD_SLERP, false, false, &t);
    const int64_t length = pm_crowd_clip_ticks(t.crowd, 0); /* 0.2 s, not a whole number of ticks */
    const int64_t year = (int64_t)(365.0 * 86400 / 0.2) * length;
    for (int64_t frame = 0; frame < 12; frame++)
        assert_true(angle_at(&t, 0, year + frame * (SECOND / 60), 0) ==
                    angle_at(&t, 0, frame * (SECOND / 60) % length, 0));
    turner_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_become_the_nearest_tick),
        cmocka_unit_test(seconds_out_of_range_become_the_largest_ticks),
        ON_BOTH(a_clip_is_as_long_as_from_its_first_key_to_its_last),
        ON_BOTH(a_loop_is_as_long_as_its_period),
        ON_BOTH(times_of_keys_are_on_their_keys),
        ON_BOTH(times_between_keys_are_between_their_rotations),
        ON_BOTH(times_go_round_by_whole_lengths),
        ON_BOTH(loops_go_round_by_their_period),
        ON_BOTH(times_that_clamp_stop_at_both_ends),
        ON_BOTH(time_b_has_a_clamp_of_its_own),
        ON_BOTH(joints_of_many_timelines_keep_to_the_clips_time),
        ON_BOTH(loops_of_many_timelines_keep_to_the_clips_time),
        ON_BOTH(frames_of_a_year_are_where_they_were_at_the_beginning),
    };
    leave_out_crowds_on_rusticl();
    return cmocka_run_group_tests_name("crowd_times", tests, NULL, engines_close);
}
