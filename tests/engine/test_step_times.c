/* SPDX-License-Identifier: MIT
 *
 * A sample before a key never has the value of the key, however near it is. The method step, whose
 * keys can be told apart, at times slightly before keys, at keys and slightly after keys. The
 * expected key is computed in integers, or from times that double represents exactly.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { KEYS = 200, CASES = 2000, FEW_CASES = 60 };
#define TURN 0.02 /* radians from key to key: less than a full turn in all */

/* Key k is a rotation by k TURN about z. */
static double rotations[KEYS][4];

FIXTURE(make_keys) {
    for (size_t k = 0; k < KEYS; k++) {
        rotations[k][2] = sin(0.5 * TURN * (double)k);
        rotations[k][3] = cos(0.5 * TURN * (double)k);
    }
    return 0;
}

static pm_clip *step_clip(void **state, const pm_timeline *timeline, double period) {
    const pm_clip_desc desc = {.track_count = 1,
                               .timelines = timeline,
                               .rotations = {.data = rotations, .type = PM_FLOAT64},
                               .method = PM_METHOD_STEP,
                               .loop = period};
    return clip_make(engine_for(state), &desc);
}

/* The key that a sample shows; on odd laps of a loop its sign may differ. */
static size_t key_of(const float q[4]) {
    const double sign = q[3] < 0 ? -1.0 : 1.0;
    const double angle = 2.0 * atan2(sign * (double)q[2], sign * (double)q[3]);
    const double turn = 8.0 * atan(1.0);
    const double key = (angle < -0.5 * TURN ? angle + turn : angle) / TURN;
    assert_true(fabs(key - rint(key)) < 1e-3);
    return (size_t)rint(key);
}

static size_t cases(void) {
    return small_sizes() ? FEW_CASES : CASES;
}

/* A rate with key positions in steps of 1/den. den is from tens to 2^40, so that the kernel locates
 * some samples and the host others. */
static int64_t random_den(random_source *source) {
    return (INT64_C(1) << (5 + random_bits(source) % 36)) + (int64_t)(random_bits(source) % 32);
}

static void expect_key(const pm_clip *clip, const pm_sample_job *job, size_t wanted,
                       const char *what, double before) {
    float out[4];
    pm_sample_job one = *job;
    memset(out, 0xFF, sizeof out);
    one.sample_count = 1;
    one.rotations = out;
    sample_make(clip, &one);
    if (key_of(out) != wanted)
        fail_msg("%s: %g of a segment from key %zu shows key %zu", what, before, wanted,
                 key_of(out));
}

/* Sample m den + j is at j/den of the segment after key m. */
TEST_ON_BOTH(uniform_samples_of_uniform_keys_switch_at_the_key) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    random_source source = random_salted(18);
    pm_clip *clips[2] = {step_clip(state, &timeline, 0),
                         step_clip(state, &timeline, (double)KEYS / 30.0)};
    for (size_t n = 0; n < cases(); n++) {
        const int64_t den = random_den(&source);
        const int64_t j = (int64_t)(random_bits(&source) % 9) - 4;
        const size_t key = 1 + random_bits(&source) % (KEYS - 2);
        const bool loop = n % 2;
        const uint64_t lap = loop ? random_bits(&source) % 1000 : 0;
        const pm_sample_job job = {.rate = {30 * den, 1},
                                   .first = (lap * KEYS + key) * (uint64_t)den + (uint64_t)j};
        expect_key(clips[loop], &job, j < 0 ? key - 1 : key, loop ? "uniform loop" : "uniform",
                   (double)j / (double)den);
    }
    pm_clip_destroy(&clips[0]);
    pm_clip_destroy(&clips[1]);
}

/* A time moved by a few units in the last place, or by up to 2^-20 of the step, in either
 * direction. */
static double near_time(random_source *source, double time, double step) {
    if (random_bits(source) % 2)
        return time +
               random_between(source, -1, 1) * ldexp(step, -20 - (int)(random_bits(source) % 30));
    for (uint64_t ulps = random_bits(source) % 4; ulps > 0; ulps--)
        time = nextafter(time, -HUGE_VAL);
    return time;
}

static size_t last_key_at(const double *times, size_t count, double time) {
    size_t key = 0;
    while (key + 1 < count && times[key + 1] <= time)
        key++;
    return key;
}

/* The key times of a rate are the nearest doubles. */
TEST_ON_BOTH(listed_samples_of_uniform_keys_switch_at_the_key) {
    static const pm_rational rates[] = {{30, 1}, {30000, 1001}, {120, 1}, {1, 7}, {1000, 3}};
    random_source source = random_salted(19);
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        const pm_timeline timeline = {.key_count = KEYS, .rate = rates[r]};
        SCOPED(pm_clip_destroy) pm_clip *clip = step_clip(state, &timeline, 0);
        double times[KEYS];
        for (size_t k = 0; k < KEYS; k++)
            times[k] = (double)((int64_t)k * rates[r].den) / (double)rates[r].num;
        for (size_t n = 0; n < cases(); n++) {
            const size_t key = 1 + random_bits(&source) % (KEYS - 2);
            const double time = near_time(&source, times[key], times[1]);
            const pm_sample_job job = {.times = &time};
            expect_key(clip, &job, last_key_at(times, KEYS, time), "listed on uniform",
                       (time - times[key]) / times[1]);
        }
    }
}

/* First key, steps and period are multiples of 2^-10, and so are the times of keys in other laps:
 * they are exact in double, and so is the order of a sample time and a key. */
TEST_ON_BOTH(listed_samples_of_loops_switch_at_the_key) {
    const double unit = 0x1p-10;
    random_source source = random_salted(21);
    for (int n = 0; n < 10; n++) {
        wide ticks[KEYS + 1];
        double times[KEYS];
        ticks[0] = (wide)(random_bits(&source) % 20001) - 10000;
        for (size_t k = 0; k <= KEYS; k++) {
            if (k > 0)
                ticks[k] = ticks[k - 1] + 1 + (wide)(random_bits(&source) % 3000);
            if (k < KEYS)
                times[k] = (double)ticks[k] * unit;
        }
        const wide period = ticks[KEYS] - ticks[0];
        const pm_timeline timeline = {.key_count = KEYS, .times = times};
        SCOPED(pm_clip_destroy) pm_clip *clip = step_clip(state, &timeline, (double)period * unit);
        for (size_t i = 0; i < cases() / 10; i++) {
            const size_t key = random_bits(&source) % KEYS;
            const wide lap = (wide)(random_bits(&source) % 2000001) - 1000000;
            const double at = (double)(ticks[key] + lap * period) * unit;
            const int side = (int)(random_bits(&source) % 3) - 1;
            const double time = side == 0 ? at : nextafter(at, side * HUGE_VAL);
            const pm_sample_job job = {.times = &time};
            expect_key(clip, &job, side >= 0 ? key : key ? key - 1 : KEYS - 1, "loop", time - at);
        }
    }
}

/* Keys of rates that are powers of two are on ticks. A tick is the resolution of time: a sample
 * more than one tick before a key does not show the key. */
TEST_ON_BOTH(crowds_switch_at_the_key) {
    static const int32_t parents[] = {-1};
    const pm_skeleton_desc skeleton_desc = {.joint_count = 1, .parents = parents};
    random_source source = random_salted(22);
    double times[KEYS] = {0};
    for (size_t k = 1; k < KEYS; k++) /* up to 300 s: more than 2^32 ticks */
        times[k] = times[k - 1] + ldexp(1.0 + (double)(random_bits(&source) % 300), k % 2 ? -8 : 0);
    const pm_timeline timelines[] = {{.key_count = KEYS, .rate = {4, 1}},
                                     {.key_count = KEYS, .times = times}};
    pm_clip_desc clips[2];
    for (size_t c = 0; c < 2; c++)
        clips[c] = (pm_clip_desc){.track_count = 1,
                                  .timelines = &timelines[c],
                                  .rotations = {.data = rotations, .type = PM_FLOAT64},
                                  .method = PM_METHOD_STEP};
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton;
    SCOPED(pm_crowd_destroy)
    pm_crowd *crowd = crowd_make(engine_for(state), &skeleton_desc, clips, 2, &skeleton);
    for (size_t n = 0; n < cases(); n++) {
        const size_t clip = n % 2, key = 1 + random_bits(&source) % (KEYS - 2);
        const int64_t at = pm_crowd_ticks(clip ? times[key] : 0.25 * (double)key);
        const int64_t away =
            (int64_t)(random_bits(&source) % (UINT64_C(1) << (2 + random_bits(&source) % 20)));
        const bool before = n / 2 % 2 && away > 1;
        const pm_crowd_instance instance = {.clip_a = (uint32_t)clip,
                                            .time_a = before ? at - away : at + away % 1000,
                                            .flags = PM_CROWD_CLAMP_A};
        float out[12];
        memset(out, 0xFF, sizeof out);
        pm_crowd_job job = CROWD_JOB(&instance, 1, .output = PM_CROWD_LOCAL, .memory = out);
        expect_success(pm_crowd_pose(crowd, &job, new_error()));
        if (key_of(out) != (before ? key - 1 : key))
            fail_msg("crowd, clip %zu: %lld ticks %s key %zu show key %zu", clip, (long long)away,
                     before ? "before" : "behind", key, key_of(out));
    }
}

TEST_GROUP(make_keys, engines_close)
