/* SPDX-License-Identifier: MIT
 *
 * Poses of crowds against the oracle in double precision: trees and chains, every method, every
 * kind of key times and keys, times days away; and the same bits on devices. Other parameters that
 * must not affect the bits are in test_crowd_bits.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdio.h>
#include <string.h>

enum { MAX = 48, FEW = 9 };

static size_t instances_of(const scene *s, random_source *source, pm_crowd_instance *instances) {
    const size_t count = small_sizes() || s->joints > 100 ? FEW : MAX;
    for (size_t i = 0; i < count; i++)
        instances[i] = i < SCENE_VECTOR ? scene_instance(source, s)
                                        : scene_alike_instance(source, s, i - SCENE_VECTOR);
    return count;
}

static void expect_output(const scene *s, pm_crowd_output output,
                          const pm_crowd_instance *instances, size_t count, const char *what) {
    SCOPED(guarded_free_at) float *records = scene_pose(s, output, instances, count, false);
    SCOPED(guarded_free_at) float *reference = scene_pose(s, output, instances, count, true);
    scene_expect(s, output, records, instances, count, what);
    expect_same_bits(records, reference, scene_floats(s, output, count),
                     scene_floats(s, output, 1));
}

static void expect_outputs(void **state, pm_crowd_output output, const scene_options *options,
                           const char *what) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(options->salt + 0x100);
    scene_make(engine_for(state), options, &s);
    const size_t count = instances_of(&s, &source, instances);
    expect_output(&s, output, instances, count, what);
}

static void expect_scene(void **state, const scene_options *options, const char *what) {
    expect_outputs(state, PM_CROWD_PALETTE, options, what);
}

typedef struct scene_row {
    const char *what;
    scene_options options;
} scene_row;

static void expect_rows(void **state, const scene_row *rows, size_t count) {
    for (size_t n = 0; n < count; n++)
        expect_scene(state, &rows[n].options, rows[n].what);
}

/* ---- skeletons ------------------------------------------------------------------------ */

/* The error does not grow over chains of 64 joints, and scales stretch all joints below. */
TEST_ON_BOTH(palettes_of_skeletons_match_the_oracle) {
    static const scene_row rows[] = {
        {"a tree of 300 joints", {.salt = 0xC04, .joints = 300}},
        {"a tree of 1 joint", {.salt = 0xC01, .joints = 1}},
        {"a tree of 11 joints", {.salt = 0xC02, .joints = 11}},
        {"a tree of 64 joints", {.salt = 0xC03, .joints = 64}},
        {"forest", {.salt = 0xC08, .joints = 40, .shape = SCENE_FOREST}},
        {"chain", {.salt = 0xC10, .joints = 64, .shape = SCENE_CHAIN}},
        {"chain without positions",
         {.salt = 0xC11,
          .joints = 64,
          .shape = SCENE_CHAIN,
          .without_positions = true,
          .binds = SCENE_BIND_RIGID}},
        {"scales", {.salt = 0xC14, .joints = 30, .scales = true}},
        {"scales of the rest pose too",
         {.salt = 0xC15, .joints = 30, .scales = true, .rest_scales = true}},
        {"only scales of the rest pose", {.salt = 0xC16, .joints = 30, .rest_scales = true}},
        {"any inverse binds", {.salt = 0xC18, .binds = SCENE_BIND_ANY, .scales = true}},
    };
    const size_t first = small_sizes() ? 1 : 0;
    expect_rows(state, rows + first, COUNT_OF(rows) - first);
}

/* In the order of the description, more parents are pending than a kernel keeps. */
static void expect_reordered(void **state, const scene_options *options) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[FEW];
    scene_make(engine_for(state), options, &s);
    scene_undo(&s);
    for (size_t joint = 0; joint < s.joints; joint++)
        s.parents[s.joints - 1 - joint] = joint ? (int32_t)(s.joints - 1 - (joint - 1) / 3) : -1;
    s.skeleton_desc.chain_count = 2; /* limbs of the joints before are none now */
    if (options->root_positions)
        scene_root_alone(&s, s.joints - 1);
    scene_finish(engine_for(state), &s);
    assert_int_equal(s.order[0], s.joints - 1);
    scene_instances(&s, options->salt, FEW, instances);
    expect_output(&s, PM_CROWD_PALETTE, instances, FEW, "levels of a wide tree, backwards");
}

TEST_ON_BOTH(joints_in_any_order_match_the_oracle) {
    const size_t joints = small_sizes() ? 40 : 121;
    expect_reordered(state, &(scene_options){.salt = 0xC1A, .joints = joints});
    expect_reordered(state, &(scene_options){.salt = 0xC1A,
                                             .joints = joints,
                                             .curve = variant_named("sterp"),
                                             .windows = true});
    expect_reordered(
        state, &(scene_options){.salt = 0xC1B, .joints = joints, .curve = variant_named("squad")});
    expect_reordered(
        state, &(scene_options){
                   .salt = 0xC1C, .joints = joints, .times = SCENE_PER_JOINT, .scales = true});
    expect_reordered(
        state, &(scene_options){.salt = 0xC1D, .joints = joints, .key_format = PM_KEYS_LOG48});
}

/* The root is the last joint of the description. */
TEST_ON_BOTH(positions_of_the_root_alone_match_the_oracle_in_any_order) {
    const size_t joints = small_sizes() ? 40 : 121;
    expect_reordered(state, &(scene_options){.salt = 0xC1E,
                                             .joints = joints,
                                             .curve = variant_named("squad"),
                                             .root_positions = true});
    expect_reordered(state, &(scene_options){.salt = 0xC1F,
                                             .joints = joints,
                                             .times = SCENE_PER_JOINT_UNEVEN,
                                             .root_positions = true});
    expect_reordered(state, &(scene_options){.salt = 0xC20,
                                             .joints = joints,
                                             .key_format = PM_KEYS_LOG48,
                                             .root_positions = true});
}

/* Per joint, the keys of no clip, of one clip or of all clips are the rest pose. */
static void keep_at_rest(scene *s) {
    for (size_t n = 0; n < s->clip_count; n++)
        for (size_t joint = 0; joint < s->joints; joint++)
            for (size_t key = 0; key < s->clips[n].timelines[0].key_count; key++) {
                const size_t row = key * s->joints + joint;
                for (size_t k = 0; k < 4 && joint % 3 > (n > 0); k++)
                    s->sets[n].rotations[4 * row + k] = (double)s->rotations[4 * joint + k];
                for (size_t k = 0; k < 3 && joint % 4 > (n > 0); k++)
                    s->sets[n].positions[3 * row + k] = (double)s->positions[3 * joint + k];
                for (size_t k = 0; k < 3 && joint % 5 > (n > 0); k++)
                    s->sets[n].scales[3 * row + k] = (double)s->scales[3 * joint + k];
            }
}

TEST_ON_BOTH(joints_that_clips_keep_at_rest_match_the_oracle) {
    static const char *const curves[] = {"slerp", "squad", "cubicspline"};
    for (size_t n = 0; n < 3; n++) {
        SCOPED(scene_free) scene s;
        pm_crowd_instance instances[MAX];
        random_source source = random_salted(0xC1C);
        const variant *curve = variant_named(curves[n]);
        scene_make(
            engine_for(state),
            &(scene_options){
                .salt = 0xC1C, .joints = 60, .curve = curve, .scales = true, .rest_scales = true},
            &s);
        scene_undo(&s);
        keep_at_rest(&s);
        scene_finish(engine_for(state), &s);
        const size_t count = instances_of(&s, &source, instances);
        expect_output(&s, PM_CROWD_PALETTE, instances, count, "some joints at rest");
    }
}

/* ---- outputs ----------------------------------------------------------------------------- */

TEST_ON_BOTH(model_matrices_match_the_oracle) {
    expect_outputs(state, PM_CROWD_MODEL,
                   &(scene_options){
                       .salt = 0xC20, .scales = true, .rest_scales = true, .binds = SCENE_BIND_ANY},
                   "models");
}

TEST_ON_BOTH(dual_quaternions_are_the_rigid_motions_of_the_palette) {
    static const scene_options options[] = {
        {.salt = 0xC21},
        {.salt = 0xC22, .binds = SCENE_BIND_RIGID, .joints = 40},
        {.salt = 0xC23, .binds = SCENE_BIND_RIGID, .scales = true},
    };
    for (size_t n = 0; n < COUNT_OF(options); n++)
        expect_outputs(state, PM_CROWD_DUAL, &options[n], "dual quaternions");
}

/* As of a character whose armature is in centimetres: palettes are rigid, because inverse binds have the
 * scales too. */
TEST_ON_BOTH(dual_quaternions_have_the_scales_of_the_rest_pose_in_translations) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(0xC26);
    scene_make(engine_for(state), &(scene_options){.salt = 0xC26, .scales = true}, &s);
    scene_undo(&s);
    for (size_t c = 0; c < 3; c++) {
        s.scales[c] = 0.01f;
        s.scales[3 * 4 + c] = 2.5f;
        s.scales[3 * 9 + c] = -30.0f;
    }
    scene_finish(engine_for(state), &s);
    const size_t count = instances_of(&s, &source, instances);
    expect_output(&s, PM_CROWD_DUAL, instances, count, "scales of the rest pose");
}

/* A rigid motion has a unit real part and a dual part that is orthogonal to it. */
TEST_ON_BOTH(dual_quaternions_are_unit_dual_quaternions) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(0xC24);
    scene_make(engine_for(state), &(scene_options){.salt = 0xC24, .joints = 64}, &s);
    const size_t count = instances_of(&s, &source, instances);
    SCOPED(guarded_free_at) float *records = scene_pose(&s, PM_CROWD_DUAL, instances, count, false);
    for (size_t n = 0; n < count * s.joints; n++) {
        double norm2 = 0, dot = 0, size2 = 0;
        for (size_t c = 0; c < 4; c++) {
            const double r = (double)records[8 * n + c], d = (double)records[8 * n + 4 + c];
            norm2 += r * r;
            dot += r * d;
            size2 += d * d;
        }
        assert_true(norm2 > 1 - 1e-6 && norm2 < 1 + 1e-6);
        assert_true(dot * dot < 1e-12 * (1 + size2));
    }
}

static double largest_local_error(const scene *s, const float *records, const joint_pose *poses) {
    double worst = 0;
    for (size_t k = 0; k < s->joints; k++) {
        const joint_pose *pose = &poses[s->order[k]];
        const float *r = records + 12 * k;
        const double wanted[] = {pose->rotation.x, pose->rotation.y, pose->rotation.z,
                                 pose->rotation.w};
        const double vectors[] = {pose->position.x, pose->position.y, pose->position.z, 0,
                                  pose->scale.x,    pose->scale.y,    pose->scale.z,    0};
        worst = rotation_error(r, wanted) > worst ? rotation_error(r, wanted) : worst;
        for (size_t c = 0; c < 8; c++) {
            const double error = (double)r[4 + c] - vectors[c];
            worst = error > worst ? error : -error > worst ? -error : worst;
        }
    }
    return worst;
}

TEST_ON_BOTH(local_poses_match_the_oracle) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    joint_pose poses[20];
    random_source source = random_salted(0xC25);
    scene_make(engine_for(state),
               &(scene_options){.salt = 0xC25, .joints = 20, .scales = true, .rest_scales = true},
               &s);
    const size_t count = instances_of(&s, &source, instances);
    SCOPED(guarded_free_at)
    float *records = scene_pose(&s, PM_CROWD_LOCAL, instances, count, false);
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        crowd_oracle_pose(s.oracle, &instances[i], poses);
        const double error = largest_local_error(&s, records + i * 20 * 12, poses);
        worst = error > worst ? error : worst;
    }
    printf("# local poses: %.2e\n", worst);
    assert_true(worst < 1e-6);
}

/* ---- clips --------------------------------------------------------------------------------- */

/* Every variant on the reference, one variant per method on devices: the others only differ in the
 * data that clips are built from. In short runs, one that reads keys and one that reads segments. */
static bool is_tested(void **state, const variant *v) {
    const bool plain = strchr(v->name, ',') == NULL;
    const bool simple = v->method == PM_METHOD_SLERP || v->method == PM_METHOD_SQUAD;
    return !is_for_device(state) || (plain && (simple || !has_few_programs(state)));
}

TEST_ON_BOTH(clips_and_loops_of_every_method_match_the_oracle) {
    for (size_t n = 0; n < 2 * variant_count(); n++) {
        const variant *v = variant_at(n / 2);
        scene_options options = {.salt = 0xC30 + n / 2 + (n % 2 ? 0x30 : 0),
                                 .curve = v,
                                 .scales = n / 2 % 2 == 0,
                                 .looped = n % 2,
                                 .root_positions = (n + n / 2) % 2};
        if (is_tested(state, v))
            expect_scene(state, &options, v->name);
        options.times = SCENE_PER_JOINT;
        options.looped = false;
        if (is_tested(state, v) && open_own_device) /* programs of every method for these, too */
            expect_scene(state, &options, v->name);
    }
}

/* Vectors may have a method of their own, and keys of 48 bits pose their decoded values. */
TEST_ON_BOTH(clips_of_every_kind_of_keys_match_the_oracle) {
    static const scene_row rows[] = {
        {"listed", {.salt = 0xC90, .times = SCENE_LISTED}},
        {"listed, looped", {.salt = 0xC90, .times = SCENE_LISTED, .looped = true}},
        {"a timeline per joint", {.salt = 0xC91, .times = SCENE_PER_JOINT, .scales = true}},
        {"a timeline per joint, looped",
         {.salt = 0xC91, .times = SCENE_PER_JOINT, .looped = true, .scales = true}},
        {"per-joint timelines", {.salt = 0xC92, .times = SCENE_PER_JOINT_UNEVEN, .joints = 20}},
        {"per-joint timelines, looped",
         {.salt = 0xC92, .times = SCENE_PER_JOINT_UNEVEN, .looped = true, .joints = 20}},
        {"slerp beside catmull-rom",
         {.salt = 0xC96, .vector_method = PM_VECTOR_CATMULL_ROM, .scales = true}},
        {"log48", {.salt = 0xC98, .key_format = PM_KEYS_LOG48}},
        {"smallest48", {.salt = 0xC99, .key_format = PM_KEYS_SMALLEST48, .looped = true}},
    };
    expect_rows(state, rows, COUNT_OF(rows));
    expect_scene(state,
                 &(scene_options){.salt = 0xC94,
                                  .times = SCENE_PER_JOINT,
                                  .curve = variant_named("squad"),
                                  .looped = true},
                 "squad, a timeline per joint");
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
