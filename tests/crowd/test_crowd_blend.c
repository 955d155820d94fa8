/* SPDX-License-Identifier: MIT
 *
 * Known answers of blending: crossfades, additive layers, masks, joints in place and levels, on two
 * joints whose rest pose has no neutral rotation, position or scale. Clips have one key.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <string.h>

#define S 0.70710678118654752440
#define FLOATS 24 /* of local poses: a rotation, position and scale a joint */

enum { JOINTS = 2, CLIPS = 5 };
enum { CLIP_A, CLIP_B, CLIP_MINUS_B, CLIP_REST, CLIP_FAR };

static const int32_t parents[JOINTS] = {-1, 0};

/* A quarter turn about x and a quarter turn about y. */
static const double rest_rotations[JOINTS][4] = {{S, 0, 0, S}, {0, S, 0, S}};
static const float rest_positions[JOINTS][3] = {{1, 2, 3}, {0, 1, 0}};
static const float rest_scales[JOINTS][3] = {{2, 2, 4}, {-1, 1, 0.5f}};

static const double clip_rotations[CLIPS][JOINTS][4] = {
    {{0, 0, S, S}, {0, 0, 0, 1}},          /* a quarter turn about z; no rotation */
    {{0, S, 0, S}, {0, 0, S, S}},          /* a quarter turn about y; about z */
    {{0, -S, 0, -S}, {0, 0, -S, -S}},      /* the same rotations */
    {{S, 0, 0, S}, {0, S, 0, S}},          /* the rest pose */
    {{0, 0, -0.8, 0.6}, {0.6, 0, 0.8, 0}}, /* more than half a turn from A with these signs */
};
static const float clip_positions[CLIPS][JOINTS][3] = {
    {{4, 0, 0}, {0, 0, 8}}, {{0, 8, 4}, {2, 2, 2}}, {{0, 8, 4}, {2, 2, 2}},
    {{1, 2, 3}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 0}},
};
static const float clip_scales[CLIPS][JOINTS][3] = {
    {{1, 2, 3}, {1, 1, 1}},     {{4, 2, 2}, {-3, 2, 1}}, {{4, 2, 2}, {-3, 2, 1}},
    {{2, 2, 4}, {-1, 1, 0.5f}}, {{1, 1, 1}, {1, 1, 1}},
};
static const float masks[2][JOINTS] = {{0.5f, 0}, {1, 0.25f}};
static const uint8_t one_animated[JOINTS] = {1, 0};
static const uint8_t none_animated[JOINTS] = {0, 0};
static const pm_level levels[3] = {{0}, {.joints = one_animated}, {.joints = none_animated}};

static pm_skeleton *skeleton;
static pm_crowd *crowd;

static void make(void **state) {
    static const pm_timeline timeline = {.key_count = 1, .rate = {1, 1}};
    const pm_skeleton_desc desc = {.joint_count = JOINTS,
                                   .parents = parents,
                                   .rotations = {.data = rest_rotations, .type = PM_FLOAT64},
                                   .positions = {.data = rest_positions, .type = PM_FLOAT32},
                                   .scales = {.data = rest_scales, .type = PM_FLOAT32},
                                   .levels = levels,
                                   .level_count = 3,
                                   .masks = &masks[0][0],
                                   .mask_count = 2};
    pm_clip_desc clips[CLIPS];
    for (size_t n = 0; n < CLIPS; n++)
        clips[n] = (pm_clip_desc){.track_count = JOINTS,
                                  .timelines = &timeline,
                                  .rotations = {.data = clip_rotations[n], .type = PM_FLOAT64},
                                  .positions = {.data = clip_positions[n], .type = PM_FLOAT32},
                                  .scales = {.data = clip_scales[n], .type = PM_FLOAT32}};
    crowd = crowd_make(engine_for(state), &desc, clips, CLIPS, &skeleton);
}

FIXTURE(destroy) {
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    return 0;
}

/* Local poses of both joints. */
static void pose(pm_crowd_instance instance, float out[FLOATS]) {
    pm_crowd_job job = CROWD_JOB(&instance, 1, .output = PM_CROWD_LOCAL, .memory = out);
    memset(out, 0xFF, FLOATS * sizeof(float));
    expect_success(pm_crowd_pose(crowd, &job, new_error()));
}

static void expect_rotation(const float record[12], double x, double y, double z, double w) {
    const double wanted[4] = {x, y, z, w};
    const double error = rotation_error(record, wanted);
    if (!(error < 5e-7))
        fail_msg("%g %g %g %g is not %g %g %g %g", (double)record[0], (double)record[1],
                 (double)record[2], (double)record[3], x, y, z, w);
}

static void expect_vector(const float record[4], double x, double y, double z) {
    const double wanted[4] = {x, y, z, 0};
    for (size_t c = 0; c < 4; c++)
        if (!(fabs((double)record[c] - wanted[c]) < 2e-6))
            fail_msg("[%zu] is %g, not %g", c, (double)record[c], wanted[c]);
}

static void expect_same_pose(pm_crowd_instance a, pm_crowd_instance b) {
    float one[FLOATS], other[FLOATS];
    pose(a, one);
    pose(b, other);
    expect_same_bits(one, other, FLOATS, 12);
}

/* ---- one clip ---------------------------------------------------------------------------- */

#define BLEND(test) TEST_ON_BOTH_WITH(test, NULL, destroy)

/* Rotation, position and scale of a joint. */
typedef struct answer {
    double rotation[4], position[3], scale[3];
} answer;

static void expect_answer(const float *record, const answer *a) {
    expect_rotation(record, a->rotation[0], a->rotation[1], a->rotation[2], a->rotation[3]);
    expect_vector(record + 4, a->position[0], a->position[1], a->position[2]);
    expect_vector(record + 8, a->scale[0], a->scale[1], a->scale[2]);
}

/* In additive layers rest^-1 B is a third of a turn about (-1, 1, -1); applied to A it gives a quarter turn
 * about -x. Joint 1 of A has no rotation, so the layer remains: conj(0, S, 0, S) (0, 0, S, S). With a weight of
 * a half the layer has the direction of ((-.5, .5, -.5, .5) + (0, 0, 0, 1)) / 2. */
BLEND(instances_have_the_known_answers) {
    static const struct {
        const char *name;
        pm_crowd_instance instance;
        answer joints[JOINTS];
    } rows[] = {
        {"an instance of zeros is the first clip at its beginning",
         {0},
         {{{0, 0, S, S}, {4, 0, 0}, {1, 2, 3}}, {{0, 0, 0, 1}, {0, 0, 8}, {1, 1, 1}}}},
        {"a crossfade is the normalised mix",
         {.clip_b = CLIP_B, .weight = 0.25f},
         {{{0, 0.25 * S, 0.75 * S, S}, {3, 2, 1}, {1.75, 2, 2.75}},
          {{0, 0, 0.25 * S, 0.75 + 0.25 * S}, {0.5, 0.5, 6.5}, {0, 1.25, 1}}}},
        {"an additive layer rotates by the difference of B to the rest pose",
         {.clip_b = CLIP_B, .weight = 1, .flags = PM_CROWD_ADDITIVE},
         {{{-S, 0, 0, S}, {4 + (0 - 1), 0 + (8 - 2), 0 + (4 - 3)}, {1 * 2, 2 * 1, 3 * 0.5}},
          {{-0.5, -0.5, 0.5, 0.5}, {0 + 2, 0 + 1, 8 + 2}, {3, 2, 2}}}},
        {"an additive layer is mixed with the identity by its weight",
         {.clip_b = CLIP_B, .weight = 0.5f, .flags = PM_CROWD_ADDITIVE},
         {{{-S, 0, S, 2 * S}, {3.5, 3, 0.5}, {1.5, 2, 2.25}},
          {{-0.5, -0.5, 0.5, 1.5}, {1, 0.5, 9}, {2, 1.5, 1.5}}}},
        {"an additive layer of the rest pose adds nothing",
         {.clip_b = CLIP_REST, .weight = 0.75f, .flags = PM_CROWD_ADDITIVE},
         {{{0, 0, S, S}, {4, 0, 0}, {1, 2, 3}}, {{0, 0, 0, 1}, {0, 0, 8}, {1, 1, 1}}}},
        {"an additive layer on the rest pose is B",
         {.clip_a = CLIP_REST, .clip_b = CLIP_B, .weight = 1, .flags = PM_CROWD_ADDITIVE},
         {{{0, S, 0, S}, {0, 8, 4}, {4, 2, 2}}, {{0, 0, S, S}, {2, 2, 2}, {-3, 2, 1}}}},
    };
    make(state);
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        float out[FLOATS];
        print_message("# %s\n", rows[n].name);
        pose(rows[n].instance, out);
        for (size_t joint = 0; joint < JOINTS; joint++)
            expect_answer(out + 12 * joint, &rows[n].joints[joint]);
    }
}

BLEND(with_weight_zero_clip_b_has_no_effect) {
    make(state);
    expect_same_pose((pm_crowd_instance){.clip_b = CLIP_B, .mask = 1, .flags = PM_CROWD_ADDITIVE},
                     (pm_crowd_instance){0});
}

/* ---- crossfades --------------------------------------------------------------------------- */

BLEND(a_crossfade_with_all_weight_is_b) {
    float out[FLOATS], b[FLOATS];
    make(state);
    pose((pm_crowd_instance){.clip_b = CLIP_B, .weight = 1}, out);
    pose((pm_crowd_instance){.clip_a = CLIP_B}, b);
    for (size_t joint = 0; joint < JOINTS; joint++) {
        const float *r = b + 12 * joint;
        expect_rotation(out + 12 * joint, (double)r[0], (double)r[1], (double)r[2], (double)r[3]);
        expect_same_bits(out + 12 * joint + 4, r + 4, 8, 4);
    }
}

BLEND(a_crossfade_takes_the_shorter_arc_for_any_signs) {
    float out[FLOATS];
    make(state);
    pose((pm_crowd_instance){.clip_b = CLIP_MINUS_B, .weight = 0.25f}, out);
    expect_rotation(out, 0, 0.25 * S, 0.75 * S, S);
    expect_rotation(out + 12, 0, 0, 0.25 * S, 0.75 + 0.25 * S);
    pose((pm_crowd_instance){.clip_b = CLIP_FAR, .weight = 0.5f}, out);
    expect_rotation(out, 0, 0, S + 0.8, S - 0.6);
}

BLEND(a_crossfade_of_a_rotation_and_its_negative_is_that_rotation) {
    float out[FLOATS];
    make(state);
    pose((pm_crowd_instance){.clip_a = CLIP_B, .clip_b = CLIP_MINUS_B, .weight = 0.5f}, out);
    expect_rotation(out, 0, S, 0, S);
    expect_rotation(out + 12, 0, 0, S, S);
}

/* ---- additive layers ------------------------------------------------------------------------ */

BLEND(an_additive_layer_takes_the_shorter_arc) {
    float plain[FLOATS], negated[FLOATS];
    make(state);
    pose((pm_crowd_instance){.clip_b = CLIP_B, .weight = 0.5f, .flags = PM_CROWD_ADDITIVE}, plain);
    pose((pm_crowd_instance){.clip_b = CLIP_MINUS_B, .weight = 0.5f, .flags = PM_CROWD_ADDITIVE},
         negated);
    for (size_t joint = 0; joint < JOINTS; joint++) {
        const float *r = plain + 12 * joint;
        expect_rotation(negated + 12 * joint, (double)r[0], (double)r[1], (double)r[2],
                        (double)r[3]);
    }
}

/* ---- masks, joints at rest ------------------------------------------------------------------- */

BLEND(a_mask_multiplies_the_weight_joint_by_joint) {
    float masked[FLOATS], plain[FLOATS], a[FLOATS];
    make(state);
    for (int additive = 0; additive < 2; additive++) {
        const uint8_t flags = additive ? PM_CROWD_ADDITIVE : 0;
        pose((pm_crowd_instance){.clip_b = CLIP_B, .weight = 0.5f, .mask = 1, .flags = flags},
             masked);
        pose((pm_crowd_instance){.clip_b = CLIP_B, .weight = 0.25f, .flags = flags}, plain);
        pose((pm_crowd_instance){.clip_a = CLIP_A}, a);
        expect_same_bits(masked, plain, 12, 4);
        expect_same_bits(masked + 12, a + 12, 12, 4);
        pose((pm_crowd_instance){.clip_b = CLIP_B, .weight = 1, .mask = 2, .flags = flags}, masked);
        expect_same_bits(masked + 12, plain + 12, 12, 4);
        pose((pm_crowd_instance){.clip_b = CLIP_B, .weight = 1, .flags = flags}, plain);
        expect_same_bits(masked, plain, 12, 4);
    }
}

static void expect_rest(const float out[FLOATS], size_t joint) {
    const double *q = rest_rotations[joint];
    const float *p = rest_positions[joint], *k = rest_scales[joint];
    expect_rotation(out + 12 * joint, q[0], q[1], q[2], q[3]);
    expect_vector(out + 12 * joint + 4, (double)p[0], (double)p[1], (double)p[2]);
    expect_vector(out + 12 * joint + 8, (double)k[0], (double)k[1], (double)k[2]);
}

BLEND(in_place_only_the_root_keeps_its_rest_pose) {
    float out[FLOATS], loose[FLOATS];
    make(state);
    for (int additive = 0; additive < 2; additive++) {
        pm_crowd_instance n = {.clip_b = CLIP_B, .weight = 0.5f};
        n.flags = additive ? PM_CROWD_ADDITIVE : 0;
        pose(n, loose);
        n.flags |= PM_CROWD_IN_PLACE;
        pose(n, out);
        expect_rest(out, 0);
        expect_same_bits(out + 12, loose + 12, 12, 4);
    }
}

BLEND(joints_that_a_level_leaves_out_keep_their_rest_pose) {
    float out[FLOATS], whole[FLOATS];
    pm_crowd_instance n = {.clip_b = CLIP_B, .weight = 0.5f};
    make(state);
    pose(n, whole);
    n.level = 1;
    pose(n, out);
    expect_same_bits(out, whole, 12, 4);
    expect_rest(out, 1);
    n.level = 2;
    pose(n, out);
    expect_rest(out, 0);
    expect_rest(out, 1);
}

BLEND(a_clip_a_that_does_not_exist_is_the_rest_pose) {
    float out[FLOATS];
    make(state);
    pose((pm_crowd_instance){.clip_a = CLIPS}, out);
    expect_rest(out, 0);
    expect_rest(out, 1);
    expect_same_pose((pm_crowd_instance){.clip_a = UINT32_MAX},
                     (pm_crowd_instance){.clip_a = CLIPS});
    pose((pm_crowd_instance){.clip_a = CLIPS, .clip_b = CLIP_REST, .weight = 0.5f}, out);
    expect_rest(out, 0);
    expect_rest(out, 1);
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
