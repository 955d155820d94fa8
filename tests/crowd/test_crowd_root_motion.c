/* SPDX-License-Identifier: MIT
 *
 * Root motion: the rigid motion of instances' roots from one time to another, over any number of
 * laps, against the oracle and known answers. It is computed on the host only.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND ((int64_t)1 << 32)
#define S 0.70710678118654752440

enum { MAX = 200 };

static pm_root_motion root_motion_of(const pm_crowd *crowd, pm_crowd_instance before,
                                     pm_crowd_instance after) {
    pm_root_motion root_motion;
    memset(&root_motion, 0xFF, sizeof root_motion);
    expect_success(pm_crowd_root_motion(crowd, &before, &after, 1, &root_motion, new_error()));
    return root_motion;
}

static motion3 motion_of(const pm_root_motion *t) {
    return (motion3){{(double)t->rotation[0], (double)t->rotation[1], (double)t->rotation[2],
                      (double)t->rotation[3]},
                     {(double)t->position[0], (double)t->position[1], (double)t->position[2]}};
}

/* `angle` in radians, `length` in the unit of positions. */
static void expect_root_motion(const pm_root_motion *got, motion3 wanted, double angle,
                               double length) {
    const motion3 m = motion_of(got);
    const double q[4] = {wanted.rotation.x, wanted.rotation.y, wanted.rotation.z,
                         wanted.rotation.w};
    const double turn = rotation_error(got->rotation, q);
    const double shift = vec3_norm(vec3_subtract(m.position, wanted.position));
    assert_true(got->position[3] == 0);
    if (!(fabs(quat_norm(m.rotation) - 1) < 1e-6) || !(turn < angle) || !(shift < length))
        fail_msg("turns by %g more, is %g further away: %g %g %g", turn, shift, m.position.x,
                 m.position.y, m.position.z);
}

/* ---- a character that walks ------------------------------------------------------------------ */

/* Clip 0 moves by 2 along x in 1 s, starting at (0, 1, 0). Clip 1 stands and rotates by a quarter
 * turn about y. Clip 2 does both, like a character that walks around a corner. Clip 3 is a loop
 * through the keys of clip 0 and back. Joint 1 moves too, which must have no effect. */
enum { WALKS, TURNS, CORNERS, LOOPS, CLIPS };

static pm_skeleton *skeleton;
static pm_crowd *crowd;

FIXTURE(make_walker) {
    static const int32_t parents[] = {-1, 0};
    static const pm_timeline timeline = {.key_count = 2, .rate = {1, 1}};
    static const double still[2][2][4] = {{{0, 0, 0, 1}, {0, 0, 0, 1}},
                                          {{0, 0, 0, 1}, {1, 0, 0, 0}}};
    static const double turned[2][2][4] = {{{0, 0, 0, 1}, {0, 0, 0, 1}},
                                           {{0, S, 0, S}, {1, 0, 0, 0}}};
    static const float stands[2][2][3] = {{{0, 1, 0}, {0, 0, 0}}, {{0, 1, 0}, {9, 9, 9}}};
    static const float walks[2][2][3] = {{{0, 1, 0}, {0, 0, 0}}, {{2, 1, 0}, {9, 9, 9}}};
    static const float mask[] = {0.5f, 1};
    const double(*rotations[CLIPS])[2][4] = {still, turned, turned, still};
    const float(*positions[CLIPS])[2][3] = {walks, stands, walks, walks};
    const pm_skeleton_desc desc = {
        .joint_count = 2, .parents = parents, .masks = mask, .mask_count = 1};
    pm_clip_desc clips[CLIPS];
    for (size_t n = 0; n < CLIPS; n++)
        clips[n] = (pm_clip_desc){.track_count = 2,
                                  .timelines = &timeline,
                                  .rotations = {.data = rotations[n], .type = PM_FLOAT64},
                                  .positions = {.data = positions[n], .type = PM_FLOAT32},
                                  .loop = n == LOOPS ? 2 : 0};
    crowd = crowd_make(engine_of_kind(ON_REFERENCE), &desc, clips, CLIPS, &skeleton);
    return 0;
}

FIXTURE(free_walker) {
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    return 0;
}

/* From one time of clip A to another, in seconds. */
static pm_root_motion walk(uint32_t clip, double from, double to, uint8_t flags) {
    const pm_crowd_instance before = {.clip_a = clip, .time_a = pm_crowd_ticks(from)};
    const pm_crowd_instance after = {.clip_a = clip, .time_a = pm_crowd_ticks(to), .flags = flags};
    return root_motion_of(crowd, before, after);
}

static void expect_walk(uint32_t clip, double from, double to, uint8_t flags, double x, double z,
                        double degrees) {
    const pm_root_motion root_motion = walk(clip, from, to, flags);
    const double half = degrees * atan(1) / 90;
    const motion3 wanted = {{0, sin(half), 0, cos(half)}, {x, 0, z}};
    expect_root_motion(&root_motion, wanted, 1e-6, 1e-6 * (1 + 2 * fabs(to - from)));
}

#define WALKER(test) TEST_WITH(test, make_walker, free_walker, &on_reference)

WALKER(root_motion_leads_from_pose_to_pose_over_laps) {
    static const struct {
        const char *what;
        uint32_t clip;
        double from, to;
        uint8_t flags;
        double x, z, degrees;
    } rows[] = {
        {"within a lap", WALKS, 0.25, 0.75, 0, 1, 0, 0},
        {"within a lap", WALKS, 0.75, 0.25, 0, -1, 0, 0},
        {"within a lap", TURNS, 0, 0.5, 0, 0, 0, 45},
        {"within a lap", WALKS, 0.5, 0.5, 0, 0, 0, 0},
        {"a lap continues from the end of the last", WALKS, 0.75, 1.25, 0, 1, 0, 0},
        {"a lap continues from the end of the last", WALKS, 0.5, 10.5, 0, 20, 0, 0},
        {"a lap continues from the end of the last", WALKS, -3, 0, 0, 6, 0, 0},
        {"a lap continues from the end of the last", WALKS, 0.25, -0.25, 0, -1, 0, 0},
        {"a lap continues from the end of the last", WALKS, 7.5, -2.5, 0, -20, 0, 0},
        {"a lap continues from the end of the last", TURNS, 0, 3, 0, 0, 0, 270},
        {"a lap continues from the end of the last", TURNS, 0.5, 2.5, 0, 0, 0, 180},
        /* A quarter turn about y maps x to -z. The sides of the square are 2 long; its corners are
         * (0, 0), (2, 0), (2, -2), (0, -2). */
        {"around a square", CORNERS, 0, 1, 0, 2, 0, 90},
        {"around a square", CORNERS, 0, 2, 0, 2, -2, 180},
        {"around a square", CORNERS, 0, 3, 0, 0, -2, 270},
        {"around a square", CORNERS, 0, 4, 0, 0, 0, 0},
        {"around a square", CORNERS, 0, -1, 0, 0, -2, -90},
        {"around a square", CORNERS, -8, 33, 0, 2, 0, 90},
        /* Half of the quarter turn is done: the x direction is now half way to -z. */
        {"in the frame of the first pose", CORNERS, 0.5, 1, 0, S, S, 45},
        {"a loop returns to its start", LOOPS, 0, 1, 0, 2, 0, 0},
        {"a loop returns to its start", LOOPS, 0, 2, 0, 0, 0, 0},
        {"a loop returns to its start", LOOPS, 0.5, 200.75, 0, 0.5, 0, 0},
        {"clamped clips stop", WALKS, 0.5, 7, PM_CROWD_CLAMP_A, 1, 0, 0},
        {"clamped clips stop", WALKS, -5, 0.5, PM_CROWD_CLAMP_A, 1, 0, 0},
        {"clamped clips stop", WALKS, 2, 9, PM_CROWD_CLAMP_A, 0, 0, 0},
        {"clamped clips stop", TURNS, -9, 9, PM_CROWD_CLAMP_A, 0, 0, 90},
        {"the clamp of clip B", WALKS, 0.5, 7, PM_CROWD_CLAMP_B, 13, 0, 0},
        {"the flag in place", WALKS, 0.5, 1.5, PM_CROWD_IN_PLACE, 2, 0, 0},
        {"clips that do not exist", CLIPS, 0, 5, 0, 0, 0, 0},
        {"clips that do not exist", UINT32_MAX, 0, 5, PM_CROWD_CLAMP_A, 0, 0, 0},
        {"a million laps", WALKS, 0.5, 1000000.5, 0, 2000000, 0, 0},
        {"a million laps", CORNERS, 0, 1000000, 0, 0, 0, 0},
        {"a million laps", CORNERS, 1000001, 0, 0, 0, -2, -90},
        {"a million laps", TURNS, 0, 1000003, 0, 0, 0, 270},
    };
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        print_message("# %s: from %g s to %g s\n", rows[n].what, rows[n].from, rows[n].to);
        expect_walk(rows[n].clip, rows[n].from, rows[n].to, rows[n].flags, rows[n].x, rows[n].z,
                    rows[n].degrees);
    }
}

/* ---- two clips --------------------------------------------------------------------------------- */

/* WALKS for a second together with TURNS for half a lap, which is 45 degrees. */
static void expect_mixed(pm_crowd_instance after, double x, double weight) {
    after.clip_a = WALKS;
    after.time_a = SECOND;
    after.time_b = SECOND / 2;
    const pm_root_motion root_motion = root_motion_of(crowd, (pm_crowd_instance){0}, after);
    const double half = 22.5 * atan(1) / 45;
    const quat mixed = {0, weight * sin(half), 0, 1 - weight + weight * cos(half)};
    expect_root_motion(&root_motion, (motion3){quat_normalise(mixed), {x, 0, 0}}, 1e-6, 1e-6);
}

WALKER(root_motions_of_both_clips_are_mixed_by_weight) {
    expect_mixed((pm_crowd_instance){.clip_b = TURNS}, 2, 0);
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = 0.25f}, 1.5, 0.25);
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = 1}, 0, 1);
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = 7}, 0, 1);
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = NAN}, 2, 0);
    expect_mixed((pm_crowd_instance){.clip_b = CLIPS, .weight = 0.5f}, 2, 0);
}

WALKER(the_mask_weight_of_the_root_applies_as_in_poses) {
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = 0.5f, .mask = 1}, 1.5, 0.25);
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = 0.5f, .mask = 2}, 1, 0.5);
}

WALKER(an_additive_layer_adds_no_root_motion) {
    expect_mixed((pm_crowd_instance){.clip_b = TURNS, .weight = 1, .flags = PM_CROWD_ADDITIVE}, 2,
                 0);
}

/* Only the times of before[i] are used. */
WALKER(all_fields_except_the_times_are_taken_from_after) {
    const pm_crowd_instance before = {.clip_a = TURNS, .clip_b = 77, .weight = NAN, .flags = 255};
    const pm_crowd_instance after = {.clip_a = WALKS, .time_a = SECOND};
    const pm_root_motion root_motion = root_motion_of(crowd, before, after);
    expect_root_motion(&root_motion, (motion3){{0, 0, 0, 1}, {2, 0, 0}}, 1e-6, 1e-6);
}

/* ---- against the oracle ---------------------------------------------------------------------------- */

static void expect_oracle(void **state, const scene_options *options, double rounds) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance before[MAX], after[MAX];
    pm_root_motion motions[MAX];
    random_source source = random_salted(options->salt);
    scene_make(engine_for(state), options, &s);
    for (size_t i = 0; i < MAX; i++) {
        after[i] = i % 4 ? scene_instance(&source, &s) : scene_bad_instance(&source, &s);
        const size_t a = after[i].clip_a % s.clip_count, b = after[i].clip_b % s.clip_count;
        const double ticks_a = (double)crowd_oracle_ticks(s.oracle, a);
        const double ticks_b = (double)crowd_oracle_ticks(s.oracle, b);
        before[i] = scene_bad_instance(&source, &s);
        before[i].time_a = (int64_t)(random_between(&source, -rounds, rounds) * ticks_a);
        before[i].time_b = (int64_t)(random_between(&source, -rounds, rounds) * ticks_b);
        after[i].time_a = (int64_t)(random_between(&source, -rounds, rounds) * ticks_a);
        after[i].time_b = (int64_t)(random_between(&source, -rounds, rounds) * ticks_b);
        after[i].level = 0;
    }
    memset(motions, 0xFF, sizeof motions);
    expect_success(pm_crowd_root_motion(s.crowd, before, after, MAX, motions, new_error()));
    for (size_t i = 0; i < MAX; i++)
        expect_root_motion(&motions[i], crowd_oracle_root_motion(s.oracle, &before[i], &after[i]),
                           2e-6, 2e-6 * (2 + rounds));
}

TEST_ON_REFERENCE(root_motion_matches_the_oracle) {
    expect_oracle(state, &(scene_options){.salt = 0xB01}, 1);
    expect_oracle(state, &(scene_options){.salt = 0xB02, .rest_scales = true, .scales = true}, 5);
    expect_oracle(state, &(scene_options){.salt = 0xB03, .looped = true}, 5);
    expect_oracle(state, &(scene_options){.salt = 0xB04, .times = SCENE_LISTED}, 5);
    expect_oracle(state, &(scene_options){.salt = 0xB05, .times = SCENE_PER_JOINT, .looped = true},
                  5);
    expect_oracle(state, &(scene_options){.salt = 0xB08, .times = SCENE_PER_JOINT_UNEVEN}, 5);
    expect_oracle(
        state, &(scene_options){.salt = 0xB09, .times = SCENE_PER_JOINT_UNEVEN, .looped = true}, 5);
    expect_oracle(
        state, &(scene_options){.salt = 0xB06, .curve = variant_named("squad"), .joints = 40}, 30);
    expect_oracle(state, &(scene_options){.salt = 0xB07, .without_positions = true}, 5);
    expect_oracle(state, &(scene_options){.salt = 0xB0A, .root_positions = true, .looped = true},
                  5);
}

TEST_ON_REFERENCE(the_product_of_partial_root_motions_is_the_whole) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xB10);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB10}, &s);
    for (size_t i = 0; i < MAX; i++) {
        pm_crowd_instance n[4];
        motion3 whole = {{0, 0, 0, 1}, {0, 0, 0}};
        for (size_t k = 0; k < 4; k++) {
            n[k] = scene_instance(&source, &s);
            n[k].clip_a = (uint32_t)(i % s.clip_count);
            n[k].time_a = (int64_t)(random_between(&source, -3, 3) *
                                    (double)crowd_oracle_ticks(s.oracle, n[k].clip_a));
            n[k].weight = 0;
            n[k].flags = i % 2 ? PM_CROWD_CLAMP_A : 0;
        }
        for (size_t k = 0; k < 3; k++) {
            const pm_root_motion part = root_motion_of(s.crowd, n[k], n[k + 1]);
            whole = motion3_product(whole, motion_of(&part));
        }
        const pm_root_motion direct = root_motion_of(s.crowd, n[0], n[3]);
        expect_root_motion(&direct, whole, 3e-6, 2e-5);
    }
}

/* A number of instances that is processed by several threads. */
TEST_ON_REFERENCE(root_motion_of_many_instances_equals_each_alone) {
    enum { COUNT = 20000 };
    SCOPED(scene_free) scene s;
    SCOPED(free_at) pm_crowd_instance *before = test_array(COUNT, sizeof *before);
    SCOPED(free_at) pm_crowd_instance *after = test_array(COUNT, sizeof *after);
    SCOPED(free_at) pm_root_motion *motions = test_array(COUNT + 1, sizeof *motions);
    pm_root_motion guard;
    scene_make(engine_for(state), &(scene_options){.salt = 0xB11}, &s);
    scene_instances(&s, 0xB11, COUNT, before);
    scene_instances(&s, 0xB12, COUNT, after);
    memset(motions, 0xFF, (COUNT + 1) * sizeof *motions);
    memset(&guard, 0xFF, sizeof guard);
    expect_success(pm_crowd_root_motion(s.crowd, before, after, COUNT, motions, new_error()));
    for (size_t i = 0; i < COUNT; i += 97) {
        const pm_root_motion alone = root_motion_of(s.crowd, before[i], after[i]);
        assert_memory_equal(&alone, &motions[i], sizeof alone);
    }
    assert_memory_equal(&motions[COUNT], &guard, sizeof guard);
}

WALKER(no_instances_require_no_arrays) {
    expect_success(pm_crowd_root_motion(crowd, NULL, NULL, 0, NULL, new_error()));
}

TEST_GROUP(NULL, engines_close)
