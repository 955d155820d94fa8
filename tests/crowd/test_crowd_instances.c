/* SPDX-License-Identifier: MIT
 *
 * Instances that name what does not exist are posed by the header's rules, and are what
 * pm_crowd_check_instances tells of.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 150, GROUP = 15 };

/* In [0, period), by whole numbers wide enough for any time. */
static int64_t wrapped(int64_t time, int64_t period) {
    const int64_t rest = time % period;
    return rest < 0 ? rest + period : rest;
}

static int64_t clamped(int64_t time, int64_t period) {
    return time < 0 ? 0 : time < period ? time : period;
}

/* The same instance with fields that need no rule. */
static pm_crowd_instance tamed(const scene *s, pm_crowd_instance n) {
    const bool clamps_a = n.flags & PM_CROWD_CLAMP_A, clamps_b = n.flags & PM_CROWD_CLAMP_B;
    const int64_t a = pm_crowd_clip_ticks(s->crowd, n.clip_a);
    const int64_t b = pm_crowd_clip_ticks(s->crowd, n.clip_b);
    n.weight = isnan(n.weight) || n.weight < 0 ? 0 : n.weight > 1 ? 1 : n.weight;
    if (n.clip_b >= s->clip_count) {
        n.weight = 0;
        n.clip_b = 0;
    } else
        n.time_b = clamps_b ? clamped(n.time_b, b) : wrapped(n.time_b, b);
    if (n.clip_a < s->clip_count)
        n.time_a = clamps_a ? clamped(n.time_a, a) : wrapped(n.time_a, a);
    n.mask = n.mask > SCENE_MASKS ? 0 : n.mask;
    n.level = n.level >= SCENE_LEVELS ? SCENE_LEVELS - 1 : n.level;
    n.flags &= 15;
    return n;
}

static void expect_tamed(void **state, const scene_options *options) {
    scene s;
    pm_crowd_instance bad[MAX], good[MAX];
    random_source source = random_salted(options->salt);
    scene_make(engine_for(state), options, &s);
    const size_t count = small_sizes() ? GROUP : MAX;
    for (size_t i = 0; i < count; i++) {
        bad[i] = scene_bad_instance(&source, &s);
        good[i] = tamed(&s, bad[i]);
    }
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, count);
    float *a = scene_pose(&s, PM_CROWD_PALETTE, bad, count, false);
    float *b = scene_pose(&s, PM_CROWD_PALETTE, good, count, false);
    expect_same_bits(a, b, floats, s.joints * 12);
    scene_expect(&s, PM_CROWD_PALETTE, a, bad, count, "any 32 bytes");
    guarded_free(a);
    guarded_free(b);
    scene_free(&s);
}

static void any_bytes_are_posed_by_the_rules(void **state) {
    expect_tamed(state, &(scene_options){.salt = 0xE01, .scales = true, .rest_scales = true});
    expect_tamed(state, &(scene_options){.salt = 0xE02, .times = SCENE_LISTED, .looped = true});
    expect_tamed(state,
                 &(scene_options){.salt = 0xE03, .times = SCENE_PER_JOINT_UNEVEN, .looped = true});
}

/* All bits at random: none may make anything but finite numbers. */
static void random_bytes_make_finite_matrices(void **state) {
    scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(0xE04);
    scene_make(engine_for(state), &(scene_options){.salt = 0xE04, .scales = true}, &s);
    for (size_t i = 0; i < MAX; i++)
        for (size_t word = 0; word < sizeof instances[i] / 8; word++) {
            const uint64_t bits = random_bits(&source);
            memcpy((char *)&instances[i] + 8 * word, &bits, 8);
        }
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, MAX);
    float *records = scene_pose(&s, PM_CROWD_PALETTE, instances, MAX, false);
    for (size_t i = 0; i < floats; i++)
        assert_true(isfinite(records[i]));
    guarded_free(records);
    scene_free(&s);
}

/* ---- checks ------------------------------------------------------------------------------- */

static void expect_fault(const scene *s, pm_crowd_instance bad, const char *words) {
    pm_crowd_instance instances[4] = {{0}};
    pm_error error = poisoned_error();
    instances[2] = instances[3] = bad;
    expect_refusal(pm_crowd_check_instances(s->crowd, instances, 4, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    expect_instance(&error, 2);
    assert_int_equal(pm_crowd_check_instances(s->crowd, instances, 4, NULL), PM_ERROR_ARGUMENT);
    expect_ok(pm_crowd_check_instances(s->crowd, instances, 2, &error), &error);
}

static void the_check_tells_of_the_first_instance_that_names_nothing(void **state) {
    scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xE05}, &s);
    expect_fault(&s, (pm_crowd_instance){.clip_a = 3}, "clip_a");
    expect_fault(&s, (pm_crowd_instance){.clip_b = 3, .weight = 0.5f}, "clip_b");
    expect_fault(&s, (pm_crowd_instance){.weight = -0.001f}, "weight");
    expect_fault(&s, (pm_crowd_instance){.weight = 1.001f}, "weight");
    expect_fault(&s, (pm_crowd_instance){.weight = NAN}, "weight");
    expect_fault(&s, (pm_crowd_instance){.weight = INFINITY}, "weight");
    expect_fault(&s, (pm_crowd_instance){.mask = SCENE_MASKS + 1}, "mask");
    expect_fault(&s, (pm_crowd_instance){.level = SCENE_LEVELS}, "level");
    expect_fault(&s, (pm_crowd_instance){.flags = 16}, "flags");
    expect_fault(&s, (pm_crowd_instance){.flags = 128}, "flags");
    scene_free(&s);
}

static void the_check_takes_all_that_exists_at_any_time(void **state) {
    scene s;
    pm_crowd_instance instances[MAX];
    pm_error error = poisoned_error();
    random_source source = random_salted(0xE06);
    scene_make(engine_for(state), &(scene_options){.salt = 0xE06}, &s);
    for (size_t i = 0; i < MAX; i++)
        instances[i] = scene_instance(&source, &s);
    instances[0].time_a = INT64_MIN;
    instances[1].time_b = INT64_MAX;
    expect_ok(pm_crowd_check_instances(s.crowd, instances, MAX, &error), &error);
    expect_ok(pm_crowd_check_instances(s.crowd, instances, 0, &error), &error);
    scene_free(&s);
}

static void the_check_refuses_null(void **state) {
    scene s;
    const pm_crowd_instance one = {0};
    pm_error error = poisoned_error();
    scene_make(engine_for(state), &(scene_options){.salt = 0xE07, .joints = 1}, &s);
    expect_refusal(pm_crowd_check_instances(NULL, &one, 1, &error), &error, PM_ERROR_ARGUMENT,
                   "crowd");
    expect_refusal(pm_crowd_check_instances(s.crowd, NULL, 1, &error), &error, PM_ERROR_ARGUMENT,
                   "instances");
    scene_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_BOTH(any_bytes_are_posed_by_the_rules),
        ON_BOTH(random_bytes_make_finite_matrices),
        ON_BOTH(the_check_tells_of_the_first_instance_that_names_nothing),
        ON_BOTH(the_check_takes_all_that_exists_at_any_time),
        ON_BOTH(the_check_refuses_null),
    };
    leave_out_crowds_on_rusticl();
    return cmocka_run_group_tests_name("crowd_instances", tests, NULL, engines_close);
}
