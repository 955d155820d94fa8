/* SPDX-License-Identifier: MIT
 *
 * Loops whose tracks begin at times of their own, any number of periods after one another: each
 * is where its own keys say, by the time since its own first key, modulo the period. Times of
 * loops that begin together are in test_loop, test_time and test_crowd_times.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SECOND ((int64_t)1 << 32)

/* ---- joints that turn evenly ----------------------------------------------------------------- */

enum { JOINTS = 24, KEYS = 3 };

/* Joint j turns once about z in a period, from its first key on: three keys a third of a turn
 * apart, so that each lap ends with the opposite sign of the one before. */
typedef struct wheels {
    double period;
    double first[JOINTS];
    double times[JOINTS][KEYS];
    double rotations[JOINTS][KEYS][4];
    pm_timeline lines[JOINTS];
    uint32_t line_of[JOINTS];
    pm_clip_desc clip;
} wheels;

static void wheels_make(double period, const double *first, wheels *w) {
    w->period = period;
    for (size_t joint = 0; joint < JOINTS; joint++) {
        w->first[joint] = first[joint];
        w->lines[joint] = (pm_timeline){.key_count = KEYS, .times = w->times[joint]};
        w->line_of[joint] = (uint32_t)joint;
        for (size_t key = 0; key < KEYS; key++) {
            const double part = (double)key / KEYS;
            const double q[4] = {0, 0, sin(PI * part), cos(PI * part)};
            memcpy(w->rotations[joint][key], q, sizeof q);
            w->times[joint][key] = first[joint] + part * period;
        }
    }
    w->clip = (pm_clip_desc){.track_count = JOINTS,
                             .timelines = w->lines,
                             .timeline_count = JOINTS,
                             .timeline_of = w->line_of,
                             .rotations = {.data = w->rotations, .type = PM_FLOAT64},
                             .loop_period = period};
}

/* First keys of joints: joint 0's at `begin`, and the others' up to 50 periods later, by whole
 * periods, by parts of one, or by both. */
static void draw_firsts(random_source *source, double begin, double period, double *first) {
    first[0] = begin;
    for (size_t joint = 1; joint < JOINTS; joint++) {
        const double whole = joint % 3 ? (double)(random_bits(source) % 51) : 0;
        const double part = joint % 3 == 1 ? 0 : random_unit(source);
        first[joint] = begin + (whole + part) * period;
    }
}

/* Radians about z that a joint has turned by at a time. */
static double angle_of(const wheels *w, size_t joint, double time) {
    return 2 * PI * (time - w->first[joint]) / w->period;
}

static void expect_angle(const wheels *w, const float *q, size_t joint, double time) {
    const double angle = 2 * atan2((double)q[2], (double)q[3]);
    const double error = remainder(angle - angle_of(w, joint, time), 2 * PI);
    if (!(fabs(error) < 2e-6) || q[0] != 0 || q[1] != 0)
        fail_msg("joint %zu, %.9g periods after joint 0, is off by %g rad at %.9g s of %.9g s",
                 joint, (w->first[joint] - w->first[0]) / w->period, error, time, w->period);
}

static const int32_t roots[JOINTS] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

static pm_crowd *crowd_of(void **state, const pm_clip_desc *clip, pm_skeleton **skeleton) {
    const pm_skeleton_desc desc = {.joint_count = clip->track_count, .parents = roots};
    return crowd_make(engine_for(state), &desc, clip, 1, skeleton);
}

static void crowd_free(pm_crowd *crowd, pm_skeleton *skeleton) {
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
}

/* 12 numbers of each joint of each instance; the caller frees. */
static float *posed(pm_crowd *crowd, const pm_crowd_instance *instances, size_t count,
                    size_t joints) {
    float *out = guarded_floats(count * joints * 12);
    pm_crowd_job job = {.instances = instances, .instance_count = count};
    pm_error error = poisoned_error();
    job.outputs[PM_CROWD_LOCAL].memory = out;
    expect_ok(pm_crowd_pose(crowd, &job, &error), &error);
    expect_guards(out, count * joints * 12);
    return out;
}

static void expect_wheels(void **state, random_source *source) {
    enum { TIMES = 40, LAPS = 6 };
    wheels w;
    double first[JOINTS], since[TIMES];
    pm_crowd_instance n[TIMES] = {0};
    pm_skeleton *skeleton = NULL;
    const double period = random_between(source, 0.3, 5);
    draw_firsts(source, random_between(source, -9, 9), period, first);
    wheels_make(period, first, &w);
    pm_crowd *crowd = crowd_of(state, &w.clip, &skeleton);
    assert_true(pm_crowd_clip_ticks(crowd, 0) == pm_crowd_ticks(period));
    for (size_t k = 0; k < TIMES; k++) {
        since[k] = random_between(source, -LAPS, LAPS) * period;
        n[k].time_a = pm_crowd_ticks(since[k]);
    }
    float *out = posed(crowd, n, TIMES, JOINTS);
    for (size_t i = 0; i < TIMES * JOINTS; i++)
        expect_angle(&w, out + 12 * i, i % JOINTS, first[0] + since[i / JOINTS]);
    guarded_free(out);
    crowd_free(crowd, skeleton);
}

static void joints_that_begin_periods_later_are_where_their_keys_say(void **state) {
    random_source source = random_salted(0x1A6);
    for (size_t round = 0; round < (small_sizes() ? 2 : 10); round++)
        expect_wheels(state, &source);
}

/* Signs too, which crowds leave open: key 0 as given, and the opposite in each odd lap. */
static void samples_of_tracks_that_begin_periods_later_go_on_in_sign(void **state) {
    enum { TIMES = 200 };
    random_source source = random_salted(0x1A7);
    for (size_t round = 0; round < (small_sizes() ? 2 : 10); round++) {
        wheels w;
        double first[JOINTS], times[TIMES];
        const double period = random_between(&source, 0.3, 5);
        draw_firsts(&source, random_between(&source, -9, 9), period, first);
        wheels_make(period, first, &w);
        pm_clip *clip = clip_make(engine_for(state), &w.clip);
        for (size_t k = 0; k < TIMES; k++)
            times[k] = first[0] + random_between(&source, -60, 60) * period;
        float *out = guarded_floats((size_t)TIMES * JOINTS * 4);
        sample_make(clip,
                    &(pm_sample_job){.sample_count = TIMES, .times = times, .rotations = out});
        for (size_t k = 0; k < TIMES; k++)
            for (size_t joint = 0; joint < JOINTS; joint++) {
                const float *q = out + 4 * (k * JOINTS + joint);
                const double half = angle_of(&w, joint, times[k]) / 2;
                expect_angle(&w, q, joint, times[k]);
                assert_true(sin(half) * (double)q[2] + cos(half) * (double)q[3] > 0.99);
            }
        expect_guards(out, (size_t)TIMES * JOINTS * 4);
        guarded_free(out);
        pm_clip_destroy(&clip);
    }
}

/* ---- how long a loop is -------------------------------------------------------------------------- */

static const double own_times[][2] = {{0.5, 1}, {1e9, 0}, {-7, 90}};
static const pm_timeline own_lines[] = {{.key_count = 2, .times = own_times[0]},
                                        {.key_count = 1, .times = own_times[1]},
                                        {.key_count = 2, .times = own_times[2]}};
static const double own_keys[3][4] = {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}, {0.6, 0, 0, 0.8}};

static pm_clip_desc clip_of_lines(const uint32_t *line_of, size_t lines, double period) {
    return (pm_clip_desc){.track_count = 2,
                          .timelines = own_lines,
                          .timeline_count = lines,
                          .timeline_of = line_of,
                          .rotations = {.data = own_keys, .type = PM_FLOAT64},
                          .loop_period = period};
}

/* Joints of one key do not move, wherever that key lies: a loop is as long as its period, and
 * the others keep to it. */
static void a_loop_is_as_long_as_its_period_whatever_begins_later(void **state) {
    static const uint32_t line_of[2][2] = {{0, 1}, {1, 1}};
    for (size_t n = 0; n < 2; n++) {
        pm_skeleton *skeleton = NULL;
        const pm_clip_desc clip = clip_of_lines(line_of[n], 2, 3);
        pm_crowd *crowd = crowd_of(state, &clip, &skeleton);
        assert_true(pm_crowd_clip_ticks(crowd, 0) == 3 * SECOND);
        const double half = atan2(0.6, 0.8) / 2; /* of the way, at a quarter of a second */
        const double wanted[2][2][4] = {{{0, 0, sin(half), cos(half)}, {0.6, 0, 0, 0.8}},
                                        {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}}};
        for (int64_t lap = -2; lap < 3; lap++) {
            const pm_crowd_instance who = {.time_a = 3 * lap * SECOND + SECOND / 4};
            float *out = posed(crowd, &who, 1, 2);
            assert_true(rotation_error(out, wanted[n][0]) < 1e-6);
            assert_true(rotation_error(out + 12, wanted[n][1]) < 1e-6);
            guarded_free(out);
        }
        crowd_free(crowd, skeleton);
    }
}

/* A clip begins with the first key of a joint, and an open one ends with the last. */
static void timelines_that_no_joint_uses_do_not_count(void **state) {
    static const uint32_t line_of[2] = {0, 0};
    static const double keys[4][4] = {
        {0, 0, 0, 1}, {0, 0, 0.6, 0.8}, {0, 0, 0, 1}, {0, 0, 0.6, 0.8}};
    const double half = atan2(0.6, 0.8) / 2;
    const double wanted[4] = {0, 0, sin(half), cos(half)};
    for (size_t n = 0; n < 2; n++) {
        pm_skeleton *skeleton = NULL;
        pm_clip_desc clip = clip_of_lines(line_of, 3, n ? 100 : 0);
        clip.rotations.data = keys;
        pm_crowd *crowd = crowd_of(state, &clip, &skeleton);
        assert_true(pm_crowd_clip_ticks(crowd, 0) == (n ? 100 * SECOND : SECOND / 2));
        const pm_crowd_instance who = {.time_a = SECOND / 4};
        float *out = posed(crowd, &who, 1, 2);
        assert_true(rotation_error(out, wanted) < 1e-6);
        assert_true(rotation_error(out + 12, wanted) < 1e-6);
        guarded_free(out);
        crowd_free(crowd, skeleton);
    }
}

/* Key times of clocks that count seconds since 1970: that far out doubles are 2^-23 s apart, and
 * the joints must come round together all the same. */
static void joints_far_from_zero_come_round_together(void **state) {
    enum { ROUNDS = 1000000 };
    pm_skeleton *skeleton = NULL;
    wheels w;
    double first[JOINTS];
    random_source source = random_salted(0x1A8);
    const double period = random_between(&source, 0.3, 5);
    for (size_t joint = 0; joint < JOINTS; joint++)
        first[joint] = joint % 2 ? 1e9 + (double)joint : -50 * (double)joint;
    wheels_make(period, first, &w);
    pm_crowd *crowd = crowd_of(state, &w.clip, &skeleton);
    const int64_t ticks = pm_crowd_clip_ticks(crowd, 0);
    assert_true(ticks == pm_crowd_ticks(period));
    const pm_crowd_instance n[2] = {{.time_a = ticks / 7}, {.time_a = ticks / 7 + ROUNDS * ticks}};
    float *out = posed(crowd, n, 2, JOINTS);
    expect_same_bits(out, out + JOINTS * 12, JOINTS * 12, 12);
    for (size_t joint = 0; joint < JOINTS; joint++) {
        const double time = first[JOINTS - 2] + (double)n[0].time_a / PM_TICKS_PER_SECOND;
        const double part = remainder(time - first[joint], period) / period;
        const float *q = out + 12 * joint;
        const double error = 2 * atan2((double)q[2], (double)q[3]) - 2 * PI * part;
        assert_true(fabs(remainder(error, 2 * PI)) < 1e-5);
    }
    guarded_free(out);
    crowd_free(crowd, skeleton);
}

/* ---- against the oracle -------------------------------------------------------------------------- */

/* Of some rounds to either side, which add up what poses are off by. */
static void expect_root_motion(const scene *s, random_source *source) {
    enum { COUNT = 60, ROUNDS = 5 };
    pm_crowd_instance n[COUNT + 1];
    pm_root_motion motions[COUNT];
    pm_error error = poisoned_error();
    for (size_t i = 0; i <= COUNT; i++) {
        n[i] = scene_instance(source, s);
        n[i].time_a = (int64_t)(random_between(source, -ROUNDS, ROUNDS) *
                                (double)crowd_oracle_ticks(s->oracle, n[i].clip_a));
        n[i].time_b = (int64_t)(random_between(source, -ROUNDS, ROUNDS) *
                                (double)crowd_oracle_ticks(s->oracle, n[i].clip_b));
    }
    memset(motions, 0xFF, sizeof motions);
    expect_ok(pm_crowd_root_motion(s->crowd, n, n + 1, COUNT, motions, &error), &error);
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
    scene s;
    pm_crowd_instance instances[COUNT];
    random_source source = random_salted(options->salt + 0x100);
    const size_t count = small_sizes() ? 8 : COUNT;
    scene_make(engine_for(state), options, &s);
    for (size_t i = 0; i < count; i++)
        instances[i] = scene_instance(&source, &s);
    float *records = scene_pose(&s, PM_CROWD_PALETTE, instances, count, false);
    float *reference = scene_pose(&s, PM_CROWD_PALETTE, instances, count, true);
    scene_expect(&s, PM_CROWD_PALETTE, records, instances, count, what);
    expect_same_bits(records, reference, scene_floats(&s, PM_CROWD_PALETTE, count),
                     scene_floats(&s, PM_CROWD_PALETTE, 1));
    expect_root_motion(&s, &source);
    guarded_free(records);
    guarded_free(reference);
    scene_free(&s);
}

static void poses_and_root_motion_of_lagging_loops_are_those_of_the_oracle(void **state) {
    static const char *const methods[] = {"slerp", "squad", "spline", "hermite", "circular-c2"};
    const size_t count = small_sizes() ? 1 : sizeof methods / sizeof *methods;
    for (size_t m = 0; m < count; m++)
        for (uint64_t salt = 0; salt < 3; salt++)
            expect_scene(state,
                         &(scene_options){.salt = 0xF60 + 16 * m + salt,
                                          .curve = variant_named(methods[m]),
                                          .times = SCENE_LAGGING,
                                          .looped = true,
                                          .scales = salt == 1,
                                          .joints = 17},
                         methods[m]);
}

/* Open ones wait for their first keys, and behind their last. */
static void poses_of_lagging_open_clips_are_those_of_the_oracle(void **state) {
    expect_scene(state,
                 &(scene_options){.salt = 0xFB0, .times = SCENE_LAGGING, .joints = 17, .clips = 4},
                 "open");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_BOTH(joints_that_begin_periods_later_are_where_their_keys_say),
        ON_BOTH(samples_of_tracks_that_begin_periods_later_go_on_in_sign),
        ON_BOTH(a_loop_is_as_long_as_its_period_whatever_begins_later),
        ON_BOTH(timelines_that_no_joint_uses_do_not_count),
        ON_BOTH(joints_far_from_zero_come_round_together),
        ON_BOTH(poses_and_root_motion_of_lagging_loops_are_those_of_the_oracle),
        ON_BOTH(poses_of_lagging_open_clips_are_those_of_the_oracle),
    };
    leave_out_crowds_on_rusticl();
    return cmocka_run_group_tests_name("lagging", tests, NULL, engines_close);
}
