/* SPDX-License-Identifier: MIT
 *
 * Flips and spikes that are put into smooth motions at known places: found there and nowhere else,
 * repaired to the curve that was there, and all other keys to the bit as they were.
 */
#include <posemill/posemill_motion.h>

#include <math.h>
#include <string.h>

#include "oracle/oracle_quat.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"

enum { KEYS = 600, RATE = 120, JOINTS = 3, PLACE = JOINTS /* the channel of positions */ };

static double *key_of(const pm_motion *m, size_t channel, size_t key) {
    const pm_motion_channel *c = &m->content.clips->channels[channel];
    const size_t stride = c->keys.stride ? c->keys.stride : c->components * sizeof(double);
    return (double *)(void *)((char *)(uintptr_t)c->keys.data + key * stride);
}

static void set(double *key, quat q) {
    memcpy(key, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *key);
}

/* Joints that swing about two axes at up to 1 Hz, and a path on the ground. Signs of quaternions are at random,
 * as they mean nothing. */
static pm_motion *smooth(random_source *random, size_t keys) {
    pm_motion *subject = hand_motion(JOINTS, 1);
    pm_motion_clip *clip = hand_clip(subject, 0, 1, JOINTS + 1);
    clip->rate = (pm_rational){RATE, 1};
    clip->first_time = (pm_rational){0, 1};
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = keys, .rate = clip->rate};
    for (size_t c = 0; c <= JOINTS; c++) {
        hand_channel(clip, c)->node = c == PLACE ? 0 : (int32_t)c;
        hand_random(subject, clip, c, c == PLACE ? PM_MOTION_POSITION : PM_MOTION_ROTATION, 0,
                    PM_FLOAT64, random, 0.1);
        vec3 axes[2];
        double speed[2], phase[2];
        for (int i = 0; i < 2; i++) {
            double direction[3];
            random_direction(random, direction);
            axes[i] = vec3_of(direction);
            speed[i] = random_between(random, 2, 6);
            phase[i] = random_between(random, 0, 6);
        }
        for (size_t k = 0; k < keys; k++) {
            const double t = (double)k / RATE;
            const double sway = 0.5 * sin(speed[0] * t + phase[0]);
            if (c == PLACE) {
                memcpy(key_of(subject, c, k), (double[]){t, 0.9 + 0.05 * sway, 0.1 * sway},
                       3 * sizeof(double));
                continue;
            }
            const quat q =
                quat_multiply(quat_exp(vec3_scale(axes[0], sway)),
                              quat_exp(vec3_scale(axes[1], 0.3 * sin(speed[1] * t + phase[1]))));
            set(key_of(subject, c, k), quat_scale(q, random_unit(random) < 0.5 ? -1 : 1));
        }
    }
    return subject;
}

/* Turns keys by a constant rotation. */
static void turn(const pm_motion *m, size_t channel, size_t first, size_t count, vec3 axis,
                 double degrees) {
    const quat by = quat_exp(vec3_scale(axis, degrees / 114.59155902616465));
    for (size_t k = first; k < first + count; k++)
        set(key_of(m, channel, k), quat_multiply(by, quat_of(key_of(m, channel, k))));
}

static void move(const pm_motion *m, size_t first, size_t count, vec3 by) {
    for (size_t k = first; k < first + count; k++) {
        key_of(m, PLACE, k)[0] += by.x;
        key_of(m, PLACE, k)[1] += by.y;
        key_of(m, PLACE, k)[2] += by.z;
    }
}

static vec3 some_axis(random_source *random) {
    double direction[3];
    random_direction(random, direction);
    return vec3_of(direction);
}

static pm_motion *repair(const pm_motion *m, double degrees, double longest,
                         pm_motion_fill_report *report) {
    const pm_motion_fill_options options = {
        .jumps = true, .jump_degrees = degrees, .longest = longest};
    pm_motion *repaired = NULL;
    memset(report, 0x5A, sizeof *report);
    expect_success(pm_motion_fill(m, &options, &repaired, report, new_error()));
    return repaired;
}

static void expect_jump(const pm_motion_jump *jump, pm_motion_jump_kind kind, size_t channel,
                        size_t key, size_t count) {
    assert_int_equal(jump->kind, kind);
    assert_int_equal(jump->clip, 0);
    assert_int_equal(jump->channel, channel);
    assert_int_equal(jump->key, key);
    assert_int_equal(jump->key_count, count);
    assert_true(fabs(jump->time - (double)key / RATE) < 1e-9);
}

/* All channels; those keys of one that are in [first, first + count) excepted. */
static void expect_same(const pm_motion *a, const pm_motion *b, const bool changed[][KEYS]) {
    for (size_t c = 0; c <= PLACE; c++)
        for (size_t k = 0; k < KEYS; k++)
            if (!changed || !changed[c][k])
                assert_memory_equal(key_of(a, c, k), key_of(b, c, k),
                                    (c == PLACE ? 3 : 4) * sizeof(double));
}

/* ---- what comes back --------------------------------------------------------------------------- */

/* Spikes of up to 5 keys anyhow, and flips by a half turn of up to 0.4 s, with 30 keys between them. */
TEST(flips_and_spikes_are_repaired_and_nothing_else) {
    static bool changed[JOINTS + 1][KEYS];
    for (uint64_t salt = 0; salt < 30; salt++) {
        random_source random = random_salted(100 + salt);
        SCOPED(pm_motion_destroy) pm_motion *truth = smooth(&random, KEYS);
        pm_motion_jump expected[64];
        size_t count = 0;
        memset(changed, 0, sizeof changed);
        random = random_salted(100 + salt);
        SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
        for (size_t c = 0; c <= PLACE; c++)
            for (size_t k = random_size(&random, 2, 40), keys; k + 60 < KEYS; k += keys + 30) {
                const bool flips = c != PLACE && random_unit(&random) < 0.3;
                keys = flips ? random_size(&random, 6, 47) : random_size(&random, 1, 5);
                if (c == PLACE)
                    move(subject, k, keys, vec3_scale(some_axis(&random), 0.6));
                else
                    turn(subject, c, k, keys, some_axis(&random),
                         flips ? 180 : random_between(&random, 60, 180));
                memset(&changed[c][k], 1, keys);
                expected[count++] = (pm_motion_jump){.channel = c, .key = k, .key_count = keys};
            }
        pm_motion_fill_report report;
        SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 0, &report);
        assert_int_equal(report.jump_count, count);
        for (size_t i = 0; i < count; i++)
            expect_jump(&report.jumps[i], PM_MOTION_JUMP_BACK, expected[i].channel, expected[i].key,
                        expected[i].key_count);
        expect_same(subject, repaired, (const bool(*)[KEYS])changed);
        for (size_t i = 0; i < count; i++) {
            /* A cubic over h seconds is within M h^4 / 384 of the curve, whose fourth derivative M is at most
             * 0.6 rad (6 rad/s)^4, and the velocity of a step is that half a step before: 0.6 rad (6 rad/s)^2
             * / 240 off, of which 8 h / 27 remain. Two swings, twice both ends. */
            const double h = (double)(expected[i].key_count + 1) / RATE;
            const double bound =
                2 * (0.8 * 1296 * h * h * h * h / 384 + 0.8 * 36.0 / 240 * h * 8 / 27) + 1e-9;
            for (size_t k = expected[i].key; k < expected[i].key + expected[i].key_count; k++) {
                const double *a = key_of(truth, expected[i].channel, k),
                             *b = key_of(repaired, expected[i].channel, k);
                if (expected[i].channel == PLACE)
                    assert_true(hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) < bound);
                else
                    assert_true(truth_angle(a, b) < bound);
            }
        }
    }
}

TEST(a_clean_motion_has_no_jumps) {
    for (uint64_t salt = 0; salt < 20; salt++) {
        random_source random = random_salted(200 + salt);
        SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
        pm_motion_fill_report report;
        SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 0, &report);
        assert_int_equal(report.jump_count, 0);
        expect_same(subject, repaired, NULL);
    }
}

/* A throw: from rest to 100 degrees a frame, and to rest again elsewhere, as one public take has. */
TEST(a_fast_motion_is_no_jump) {
    static const double steps[] = {1, 3, 8, 19, 31, 62, 103, 65, 40, 19, 5, 2};
    enum { FIRST = 100, COUNT = sizeof steps / sizeof *steps };
    random_source random = random_salted(3);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
    const vec3 axis = some_axis(&random);
    double angle = 0;
    for (size_t k = 0; k < KEYS; k++) {
        const size_t step = k % 200 - FIRST;
        angle += k % 200 >= FIRST && step < COUNT ? steps[step] * (k >= 200 ? -1 : 1) : 0;
        set(key_of(subject, 1, k), quat_exp(vec3_scale(axis, angle / 114.59155902616465)));
    }
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 0, &report);
    assert_int_equal(report.jump_count, 0);
}

/* ---- what does not ------------------------------------------------------------------------------- */

TEST(what_stays_is_reported_and_left_alone) {
    random_source random = random_salted(4);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
    turn(subject, 0, 300, KEYS - 300, some_axis(&random), 90);
    move(subject, 200, KEYS - 200, (vec3){3, 0, 0}); /* a cut */
    turn(subject, 1, 100, 20, some_axis(&random),
         60); /* too little for a flip, too long for a spike */
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 0, &report);
    assert_int_equal(report.jump_count, 4);
    expect_jump(&report.jumps[0], PM_MOTION_JUMP_STAYS, 0, 300, 0);
    expect_jump(&report.jumps[1], PM_MOTION_JUMP_STAYS, 1, 100, 0);
    expect_jump(&report.jumps[2], PM_MOTION_JUMP_STAYS, 1, 120, 0);
    expect_jump(&report.jumps[3], PM_MOTION_JUMP_STAYS, PLACE, 200, 0);
    assert_true(fabs(report.jumps[0].size - 90) < 6);
    assert_true(fabs(report.jumps[3].size - 3) < 0.1);
    expect_same(subject, repaired, NULL);
}

TEST(a_pose_before_the_motion_is_left_to_trimming) {
    random_source random = random_salted(5);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
    turn(subject, 0, 0, 1, some_axis(&random), 100);
    turn(subject, 2, 0, 1, some_axis(&random), 70);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 0, &report);
    assert_int_equal(report.jump_count, 2);
    expect_jump(&report.jumps[0], PM_MOTION_JUMP_START, 0, 1, 0);
    expect_jump(&report.jumps[1], PM_MOTION_JUMP_START, 2, 1, 0);
    expect_same(subject, repaired, NULL);
}

TEST(a_flip_longer_than_the_longest_gap_stays) {
    random_source random = random_salted(6);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
    turn(subject, 1, 300, 29, some_axis(&random), 180);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *left = repair(subject, 0, 29.5 / RATE, &report);
    assert_int_equal(report.jump_count, 2);
    expect_jump(&report.jumps[0], PM_MOTION_JUMP_STAYS, 1, 300, 0);
    expect_jump(&report.jumps[1], PM_MOTION_JUMP_STAYS, 1, 329, 0);
    expect_same(subject, left, NULL);
    SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 30.0 / RATE, &report);
    assert_int_equal(report.jump_count, 1);
    expect_jump(&report.jumps[0], PM_MOTION_JUMP_BACK, 1, 300, 29);
    assert_true(fabs(report.longest - 30.0 / RATE) < 1e-9);
}

/* ---- options ------------------------------------------------------------------------------------- */

TEST(jumps_are_found_from_the_degrees_on_that_are_given) {
    random_source random = random_salted(7);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS), *none = NULL;
    const vec3 axis = some_axis(&random);
    for (size_t k = 0; k < KEYS; k++) /* slow, so that the degrees decide */
        set(key_of(subject, 0, k), quat_exp(vec3_scale(axis, 0.001 * (double)k)));
    turn(subject, 0, 250, 1, some_axis(&random), 22);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *left = repair(subject, 0, 0, &report);
    assert_int_equal(report.jump_count, 0);
    SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 15, 0, &report);
    assert_int_equal(report.jump_count, 1);
    pm_motion_fill_options options = {.jump_degrees = 15}; /* not without `jumps` */
    expect_success(pm_motion_fill(subject, &options, &none, &report, new_error()));
    assert_int_equal(report.jump_count, 0);
    assert_memory_equal(key_of(none, 0, 250), key_of(subject, 0, 250), 4 * sizeof(double));
    pm_motion_destroy(&none);
    for (int i = 0; i < 3; i++) {
        options.jump_degrees = (double[]){-1, 181, (double)NAN}[i];
        expect_error(pm_motion_fill(subject, &options, &none, NULL, new_error()), PM_ERROR_ARGUMENT,
                     "jump_degrees");
    }
}

TEST(steps_and_short_channels_have_no_jumps) {
    random_source random = random_salted(8);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
    SCOPED(pm_motion_destroy) pm_motion *brief = smooth(&random, 4);
    turn(subject, 1, 300, 2, some_axis(&random), 150);
    hand_channel((pm_motion_clip *)(uintptr_t)subject->content.clips, 1)->interpolation =
        PM_MOTION_STEP;
    turn(brief, 1, 2, 1, some_axis(&random), 150);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *same = repair(subject, 0, 0, &report);
    assert_int_equal(report.jump_count, 0);
    SCOPED(pm_motion_destroy) pm_motion *brief_same = repair(brief, 0, 0, &report);
    assert_int_equal(report.jump_count, 0);
}

/* The jump beside the gap is found once the gap is filled. */
TEST(gaps_and_jumps_are_filled_together) {
    random_source random = random_salted(9);
    SCOPED(pm_motion_destroy) pm_motion *subject = smooth(&random, KEYS);
    for (size_t k = 100; k < 106; k++)
        key_of(subject, 0, k)[1] = (double)NAN;
    turn(subject, 0, 112, 2, some_axis(&random), 120);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *repaired = repair(subject, 0, 0, &report);
    assert_int_equal(report.nan_gaps, 1);
    assert_int_equal(report.nan_keys, 6);
    assert_int_equal(report.jump_count, 1);
    expect_jump(&report.jumps[0], PM_MOTION_JUMP_BACK, 0, 112, 2);
    for (size_t k = 1; k < KEYS; k++)
        assert_true(truth_angle(key_of(repaired, 0, k - 1), key_of(repaired, 0, k)) < 0.1);
}
