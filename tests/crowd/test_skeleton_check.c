/* SPDX-License-Identifier: MIT
 *
 * Every invalid description of a skeleton is refused with a message that names the cause and the
 * joint. The nearest valid values are accepted.
 */
#include "support/check.h"

#include <posemill/posemill_crowd.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 4, LEVELS = 2, MASKS = 2 };

/* A valid description with all its arrays; each test makes one part of it invalid. */
static struct {
    int32_t parents[JOINTS];
    double rotations[JOINTS][4];
    float positions[JOINTS][3];
    double scales[JOINTS][3];
    float binds[JOINTS][12];
    uint8_t animated[JOINTS];
    pm_level levels[LEVELS];
    float masks[MASKS][JOINTS];
    pm_skeleton_desc desc;
} s;

FIXTURE(make_valid) {
    memset(&s, 0, sizeof s);
    for (size_t joint = 0; joint < JOINTS; joint++) {
        s.parents[joint] = (int32_t)joint - 1;
        s.rotations[joint][3] = 1;
        for (size_t c = 0; c < 3; c++) {
            s.positions[joint][c] = 1;
            s.scales[joint][c] = 1;
            s.binds[joint][5 * c] = 1;
        }
        s.masks[0][joint] = 1;
    }
    s.levels[1] = (pm_level){.joints = s.animated, .update_every = 2};
    s.desc = (pm_skeleton_desc){.joint_count = JOINTS,
                                .parents = s.parents,
                                .rotations = {.data = s.rotations, .type = PM_FLOAT64},
                                .positions = {.data = s.positions, .type = PM_FLOAT32},
                                .scales = {.data = s.scales, .type = PM_FLOAT64},
                                .inverse_binds = {.data = s.binds, .type = PM_FLOAT32},
                                .levels = s.levels,
                                .level_count = LEVELS,
                                .masks = &s.masks[0][0],
                                .mask_count = MASKS};
    return 0;
}

static void check_accepted(const char *file, int line) {
    pm_skeleton *skeleton = NULL;
    check_ok(pm_skeleton_create(&s.desc, &skeleton, new_error()), last_error(), file, line);
    pm_skeleton_destroy(&skeleton);
}

static void check_refused(const char *words, size_t joint, const char *file, int line) {
    pm_skeleton *const untouched = (pm_skeleton *)(void *)&s;
    pm_skeleton *skeleton = untouched;
    const pm_status status = pm_skeleton_create(&s.desc, &skeleton, new_error());
    check_refusal(status, last_error(), PM_ERROR_ARGUMENT, words, file, line);
    check_joint(last_error(), joint, file, line);
    assert_ptr_equal(skeleton, untouched);
    assert_int_equal(pm_skeleton_create(&s.desc, &skeleton, NULL), PM_ERROR_ARGUMENT);
}

#define expect_accepted() check_accepted(__FILE__, __LINE__)
#define expect_refused(words) check_refused((words), PM_NO_INDEX, __FILE__, __LINE__)
#define expect_refused_at(words, joint) check_refused((words), (joint), __FILE__, __LINE__)

/* ---- pointers and counts ------------------------------------------------------------ */

#define CHECK(test) TEST_WITH(test, make_valid, NULL, NULL)

CHECK(a_skeleton_without_joints_is_refused) {
    s.desc.joint_count = 0;
    expect_refused("joint_count");
}

CHECK(more_joints_than_the_maximum_are_refused) {
    s.desc.joint_count = PM_SKELETON_MAX_JOINTS + 1;
    expect_refused("joint_count");
    s.desc.joint_count = SIZE_MAX;
    expect_refused("joint_count");
}

CHECK(missing_parents_are_refused) {
    s.desc.parents = NULL;
    expect_refused("parents");
}

CHECK(too_many_levels_are_refused) {
    pm_level many[256] = {{0}};
    s.desc.levels = many;
    s.desc.level_count = 255;
    expect_accepted();
    s.desc.level_count = 256;
    expect_refused("level_count");
}

CHECK(levels_without_a_count_are_refused) {
    s.desc.level_count = 0;
    expect_refused("level_count");
}

CHECK(too_many_masks_are_refused) {
    s.desc.mask_count = 65535;
    expect_refused("mask_count");
}

CHECK(the_maximum_number_of_masks_is_accepted) {
    float *masks = test_array(65534 * JOINTS, sizeof *masks);
    memset(masks, 0, 65534 * JOINTS * sizeof *masks);
    s.desc.masks = masks;
    s.desc.mask_count = 65534;
    expect_accepted();
    free(masks);
}

CHECK(only_parents_are_required) {
    s.desc = (pm_skeleton_desc){.joint_count = JOINTS, .parents = s.parents};
    expect_accepted();
}

/* ---- parents --------------------------------------------------------------------------- */

CHECK(a_parent_that_does_not_exist_is_refused) {
    s.parents[2] = JOINTS;
    expect_refused_at("parent", 2);
    s.parents[2] = -2;
    expect_refused_at("parent", 2);
    s.parents[2] = INT32_MIN;
    expect_refused_at("parent", 2);
}

CHECK(a_joint_that_is_its_own_parent_is_refused) {
    s.parents[3] = 3;
    expect_refused_at("its own ancestor", 3);
}

CHECK(a_cycle_is_refused_at_one_of_its_joints) {
    pm_skeleton *skeleton = NULL;
    s.parents[1] = 3;
    expect_error(pm_skeleton_create(&s.desc, &skeleton, new_error()), PM_ERROR_ARGUMENT,
                 "its own ancestor");
    assert_in_range(last_error()->joint, 1, 3);
    expect_joint(last_error(), last_error()->joint);
    s.parents[0] = 3;
    s.parents[1] = 0;
    expect_error(pm_skeleton_create(&s.desc, &skeleton, new_error()), PM_ERROR_ARGUMENT,
                 "its own ancestor");
    assert_null(skeleton);
}

/* ---- the rest pose, inverse bind matrices and masks ------------------------------------------ */

/* One number of the description, refused at its joint, or accepted where `words` is NULL. */
static const struct number_case {
    const char *words;
    size_t joint;
    double *wide;
    float *narrow;
    double value;
} numbers[] = {
    {"rotation", 1, &s.rotations[1][2], NULL, (double)NAN},
    {"rotation", 1, &s.rotations[1][2], NULL, HUGE_VAL},
    {NULL, 3, &s.rotations[3][3], NULL, 1.0009},
    {"rotation", 3, &s.rotations[3][3], NULL, 1.0011},
    {NULL, 3, &s.rotations[3][3], NULL, -0.9991},
    {"rotation", 3, &s.rotations[3][3], NULL, 0.9989},
    {"rotation", 3, &s.rotations[3][3], NULL, 0},
    {NULL, 2, NULL, &s.positions[2][1], -1e6},
    {"position", 2, NULL, &s.positions[2][1], -1.001e6},
    {"position", 2, NULL, &s.positions[2][1], (double)NAN},
    {"position", 2, NULL, &s.positions[2][1], HUGE_VAL},
    {NULL, 0, &s.scales[0][2], NULL, 1.01e-6},
    {"scale", 0, &s.scales[0][2], NULL, 0.99e-6},
    {"scale", 0, &s.scales[0][2], NULL, 0},
    {"scale", 0, &s.scales[0][2], NULL, -0.99e-6},
    {NULL, 1, &s.scales[1][0], NULL, -1e6},
    {"scale", 1, &s.scales[1][0], NULL, -1.001e6},
    {"scale", 1, &s.scales[1][0], NULL, 1.001e6},
    {"scale", 1, &s.scales[1][0], NULL, (double)NAN},
    {NULL, 3, NULL, &s.binds[3][11], 1e6},
    {"inverse_bind|inverse bind", 3, NULL, &s.binds[3][11], 1.001e6},
    {"inverse_bind|inverse bind", 3, NULL, &s.binds[3][11], (double)NAN},
    {"inverse_bind|inverse bind", 3, NULL, &s.binds[3][11], -HUGE_VAL},
    {"mask", 2, NULL, &s.masks[1][2], -0.001},
    {"mask", 2, NULL, &s.masks[1][2], 1.001},
    {"mask", 2, NULL, &s.masks[1][2], (double)NAN},
    {NULL, 2, NULL, &s.masks[1][2], 0.5},
};

TEST(numbers_out_of_range_are_refused_at_their_joint) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number_case *n = &numbers[i];
        print_message("# case %zu: %s of joint %zu is %g\n", i, n->words ? n->words : "accepted",
                      n->joint, n->value);
        make_valid(NULL);
        if (n->wide)
            *n->wide = n->value;
        else
            *n->narrow = (float)n->value;
        if (n->words)
            expect_refused_at(n->words, n->joint);
        else
            expect_accepted();
    }
}

CHECK(rows_may_have_a_stride_but_may_not_overlap) {
    double wide[JOINTS][6] = {{0}};
    for (size_t joint = 0; joint < JOINTS; joint++)
        wide[joint][3] = 1;
    s.desc.rotations = (pm_array){wide, PM_FLOAT64, sizeof wide[0]};
    expect_accepted();
    s.desc.rotations.stride = 3 * sizeof(double);
    expect_refused("rotation");
}
