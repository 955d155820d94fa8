/* SPDX-License-Identifier: MIT
 *
 * What the numbers of a motion mean: the size of its figure, its unit and the axis that points up, what carries it,
 * and what conversions make of that.
 */
#include "support/engines.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_kinematics.h"
#include "support/motion_truth.h"
#include "support/test_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/model/figure.h"
#include "motion/model/meaning.h"
#include "motion/model/mover.h"

static double size_of_text(const char *text) {
    SCOPED(pm_motion_destroy) pm_motion *motion = test_parse(text, strlen(text), NULL);
    return motion_figure_size(pm_motion_get_content(motion));
}

/* ---- size ---------------------------------------------------------------------------------- */

#define JOINT(kind, name, offset, channels)                                                        \
    kind " " name "\n{\nOFFSET " offset "\nCHANNELS " channels "\n"
#define END(offset) "End Site\n{\nOFFSET " offset "\n}\n"
#define MOTION(row) "MOTION\nFrames: 1\nFrame Time: 0.1\n" row "\n"
#define TURN "3 Zrotation Xrotation Yrotation"
#define ALL "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"

TEST(the_size_is_the_longest_extent_of_the_rest_pose_with_its_ends) {
    /* From -3 at the end of one side to 4 + 2 at the end of the other; y from 50 to 55. */
    static const char text[] =
        "HIERARCHY\n" JOINT("ROOT", "hips", "100 50 0", ALL) JOINT("JOINT", "left", "4 0 0", TURN)
            END("2 5 0") "}\n" JOINT("JOINT", "right", "-3 0 0", TURN)
                END("0 1 0") "}\n}\n" MOTION("0 0 0 90 0 0  0 0 0  0 0 0");
    assert_true(fabs(size_of_text(text) - 9) < 1e-12);
}

TEST(the_size_of_a_figure_that_rests_in_one_point_is_that_of_its_first_pose) {
    /* The second joint is at (0, 3, 4) of the first one, which is turned by 90 degrees about z. */
    static const char text[] = "HIERARCHY\n" JOINT("ROOT", "a", "0 0 0", ALL)
        JOINT("JOINT", "b", "0 0 0", ALL) END("0 0 0") "}\n}\n" MOTION("7 7 7 90 0 0  0 3 4 0 0 0");
    assert_true(fabs(size_of_text(text) - 4) < 1e-12);
}

TEST(the_size_of_a_figure_with_a_skin_is_that_of_its_joints) {
    static const uint32_t joints[] = {1, 2};
    static const pm_motion_skin skin = {.joints = joints, .joint_count = 2};
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(4, 0);
    hand_node(motion, 0)->scale[0] = hand_node(motion, 0)->scale[1] =
        hand_node(motion, 0)->scale[2] = 100;
    hand_node(motion, 2)->position[1] = 0.25;
    hand_node(motion, 3)->position[0] = 1000; /* a camera */
    assert_true(fabs(motion_figure_size(&motion->content) - 100000) < 1e-6);
    motion->content.skins = &skin;
    motion->content.skin_count = 1;
    assert_true(fabs(motion_figure_size(&motion->content) - 25) < 1e-9);
}

TEST(nothing_and_a_point_have_no_size) {
    SCOPED(pm_motion_destroy) pm_motion *nothing = hand_motion(0, 0), *point = hand_motion(3, 0);
    assert_true(motion_figure_size(&nothing->content) == 0);
    assert_true(motion_figure_size(&point->content) == 0);
}

/* ---- files --------------------------------------------------------------------------------- */

/* A figure that stands along z or y, so many units tall from its soles to the end of its head, which goes on by
 * `travel` units. Without names of a head and feet it is none. */
typedef struct figure_form {
    double height;
    bool is_z, has_names;
    double travel;
} figure_form;

/* Along the ground, and up. */
static void put_offset(char *text, bool is_z, double across, double up) {
    char offset[96];
    snprintf(offset, sizeof offset, "OFFSET %.17g %.17g %.17g\n", across, is_z ? 0 : up,
             is_z ? up : 0);
    strcat(text, offset);
}

static const char *figure_text(figure_form f) {
    static char text[4096];
    const double h = f.height;
    const struct {
        const char *name;
        double across, up, end;
        int closes;
    } joints[] = {{"Spine", 0, 0.25 * h, 0, 0},    {"Head", 0, 0.15 * h, 0.1 * h, 2},
                  {"LeftLeg", 0.1 * h, 0, 0, 0},   {"LeftFoot", 0, -0.45 * h, -0.05 * h, 2},
                  {"RightLeg", -0.1 * h, 0, 0, 0}, {"RightFoot", 0, -0.45 * h, -0.05 * h, 2}};
    strcpy(text, "HIERARCHY\nROOT Hips\n{\n");
    put_offset(text, f.is_z, 0, 0);
    strcat(text, "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n");
    for (size_t j = 0; j < COUNT_OF(joints); j++) {
        char head[64];
        snprintf(head, sizeof head, "JOINT %s\n{\n", f.has_names ? joints[j].name : "bone");
        strcat(text, head);
        put_offset(text, f.is_z, joints[j].across, joints[j].up);
        strcat(text, "CHANNELS 3 Zrotation Xrotation Yrotation\n");
        if (joints[j].closes > 0) {
            strcat(text, "End Site\n{\n");
            put_offset(text, f.is_z, 0, joints[j].end);
            strcat(text, "}\n}\n}\n");
        }
    }
    strcat(text, "}\nMOTION\nFrames: 3\nFrame Time: 0.05\n");
    for (int k = 0; k < 3; k++) {
        char row[160];
        const double on = f.travel * k / 2, up = f.height / 2;
        snprintf(row, sizeof row, "%.17g %.17g %.17g 0 0 0", on, f.is_z ? 0 : up, f.is_z ? up : 0);
        strcat(text, row);
        for (int j = 0; j < 6; j++)
            strcat(text, j == 2 + k ? " 0 9 0" : " 0 0 0");
        strcat(text, "\n");
    }
    return text;
}

static pm_motion *read_figure(figure_form form, const pm_motion_read_options *options) {
    const char *text = figure_text(form);
    return test_parse(text, strlen(text), options);
}

static void expect_unit(const pm_motion *motion, double unit_mm, pm_motion_source from) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    if (!(fabs(content->unit_mm - unit_mm) <= 1e-9 * unit_mm) || content->unit_from != from)
        fail_msg("%.9g mm by %d, expected %.9g by %d", content->unit_mm, (int)content->unit_from,
                 unit_mm, (int)from);
}

static void expect_up(const pm_motion *motion, pm_motion_up up, pm_motion_source from) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    assert_int_equal(content->up, up);
    assert_int_equal(content->up_from, from);
}

/* ---- estimates ----------------------------------------------------------------------------- */

/* Millimetres; the last is CMU's. */
static const double units[] = {1, 10, 100, 1000, 25.4, 304.8, 25.4 / 0.45};

TEST(a_unit_in_which_a_figure_is_as_tall_as_people_is_its_unit) {
    static const double heights[] = {1201, 1690, 2299};
    for (size_t u = 0; u < COUNT_OF(units); u++)
        for (size_t i = 0; i < COUNT_OF(heights); i++)
            for (int z = 0; z < 2; z++) {
                SCOPED(pm_motion_destroy)
                pm_motion *motion =
                    read_figure((figure_form){heights[i] / units[u], z, true, 0}, NULL);
                const double dm = heights[i] / units[u] * 100,
                             cmu = heights[i] / units[u] * units[6];
                const bool both = dm >= 1200 && dm <= 2300 && cmu >= 1200 && cmu <= 2300;
                expect_up(motion, z ? PM_MOTION_UP_Z : PM_MOTION_UP_Y, PM_MOTION_ESTIMATED);
                expect_unit(motion, both ? 0 : units[u],
                            both ? PM_MOTION_UNKNOWN : PM_MOTION_ESTIMATED);
            }
}

TEST(a_figure_that_two_units_fit_or_none_has_no_unit) {
    char reason[MOTION_REASON_TEXT];
    SCOPED(pm_motion_destroy) pm_motion *two = read_figure((figure_form){22, false, true, 0}, NULL);
    SCOPED(pm_motion_destroy)
    pm_motion *none = read_figure((figure_form){500, false, true, 0}, NULL);
    expect_unit(two, 0, PM_MOTION_UNKNOWN);
    assert_string_equal(motion_unit_reason(two, reason), "dm and 56.44 mm both fit");
    expect_unit(none, 0, PM_MOTION_UNKNOWN);
    assert_non_null(strstr(motion_unit_reason(none, reason), "no usual unit"));
    expect_up(none, PM_MOTION_UP_Y, PM_MOTION_ESTIMATED);
}

/* As tall as people in centimetres. */
TEST(what_has_no_head_and_feet_has_no_unit) {
    char reason[MOTION_REASON_TEXT];
    SCOPED(pm_motion_destroy)
    pm_motion *crane = read_figure((figure_form){170, false, false, 0}, NULL);
    expect_unit(crane, 0, PM_MOTION_UNKNOWN);
    assert_non_null(strstr(motion_unit_reason(crane, reason), "no figure"));
}

TEST(what_is_given_has_precedence_over_what_is_estimated_and_stated) {
    const pm_motion_read_options given = {.unit_mm = 25.4, .up = PM_MOTION_UP_Z};
    SCOPED(pm_motion_destroy)
    pm_motion *bvh = read_figure((figure_form){170, false, true, 0}, &given);
    expect_unit(bvh, 25.4, PM_MOTION_GIVEN);
    expect_up(bvh, PM_MOTION_UP_Z, PM_MOTION_GIVEN);
    SCOPED(pm_motion_destroy)
    pm_motion *other = read_figure((figure_form){170, false, true, 0}, NULL);
    expect_success(pm_motion_convert(other, NULL, "a.glb", new_error()));
    SCOPED(pm_motion_destroy) pm_motion *stated = test_open("a.glb", NULL);
    SCOPED(pm_motion_destroy) pm_motion *glb = test_open("a.glb", &given);
    expect_unit(stated, 1000, PM_MOTION_STATED);
    expect_up(stated, PM_MOTION_UP_Y, PM_MOTION_STATED);
    expect_unit(glb, 25.4, PM_MOTION_GIVEN);
    expect_up(glb, PM_MOTION_UP_Z, PM_MOTION_GIVEN);
    const pm_motion_read_options wrong = {.unit_mm = -1}, odd = {.up = PM_MOTION_UP_KEEP};
    pm_motion *none = NULL;
    expect_error(pm_motion_open("a.glb", &wrong, &none, new_error()), PM_ERROR_ARGUMENT, "unit_mm");
    expect_error(pm_motion_open("a.glb", &odd, &none, new_error()), PM_ERROR_ARGUMENT, "up is 3");
}

/* ---- what carries the figure --------------------------------------------------------------- */

TEST(a_node_that_travels_by_a_twentieth_of_the_figure_carries_it) {
    static const double travels[] = {0, 8.4, 8.6, 300};
    for (size_t i = 0; i < COUNT_OF(travels); i++) {
        SCOPED(pm_motion_destroy)
        pm_motion *motion = read_figure((figure_form){170, i % 2, true, travels[i]}, NULL);
        assert_int_equal(pm_motion_get_content(motion)->mover,
                         travels[i] >= 8.5 ? 0 : PM_NO_INDEX32);
    }
}

/* A camera far away, an armature of centimetres that is turned by a quarter, and hips below it. */
static pm_motion *make_rig(const double *hips, const double *camera) {
    static const uint32_t joints[] = {2, 3};
    static const pm_motion_skin skin = {.joints = joints, .joint_count = 2};
    static const int32_t parents[] = {-1, -1, 1, 2};
    pm_motion *motion = hand_motion(4, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 2);
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = 3, .rate = {10, 1}};
    for (size_t n = 0; n < 4; n++)
        hand_node(motion, n)->parent = parents[n];
    for (size_t i = 0; i < 3; i++)
        hand_node(motion, 1)->scale[i] = 0.01;
    hand_node(motion, 1)->rotation[0] = -sqrt(0.5);
    hand_node(motion, 1)->rotation[3] = sqrt(0.5);
    hand_node(motion, 3)->position[2] = 100; /* z below the armature is up */
    for (size_t c = 0; c < 2; c++)
        *hand_channel(clip, c) =
            (pm_motion_channel){.node = c ? 2 : 0,
                                .path = PM_MOTION_POSITION,
                                .components = 3,
                                .keys = {.data = c ? hips : camera, .type = PM_FLOAT64}};
    motion->content.skins = &skin;
    motion->content.skin_count = 1;
    expect_success(motion_find_mover(&motion->content, new_error()));
    return motion;
}

TEST(travel_is_measured_in_the_world_and_across_up) {
    static const double still[9] = {0}, pan[9] = {0, 0, 0, 50, 0, 0, 90, 0, 0};
    static const double jump[9] = {0, 0, 0, 0, 0, 80, 0, 0, 0};
    static const double step[9] = {0, 0, 0, 0, 6, 0, 0, 0, 0},
                        sway[9] = {0, 0, 0, 0, 4, 0, 0, 0, 0};
    const struct {
        const double *hips, *camera;
        uint32_t mover;
    } cases[] = {{still, pan, PM_NO_INDEX32},
                 {jump, pan, PM_NO_INDEX32},
                 {sway, still, PM_NO_INDEX32},
                 {step, pan, 2}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make_rig(cases[i].hips, cases[i].camera);
        assert_int_equal(motion->content.mover, cases[i].mover);
    }
}

TEST(a_figure_that_sways_in_place_is_not_warned_of) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion = test_open(test_data("reports4/sways_in_place.gltf"), NULL);
    SCOPED(pm_motion_character_destroy) const pm_motion_character *character = NULL;
    assert_int_equal(pm_motion_get_content(motion)->mover, PM_NO_INDEX32);
    expect_success(pm_motion_character_create(motion, NULL, &character, new_error()));
    assert_int_equal(character->moves_below_root, PM_NO_INDEX32);
}

/* ---- conventions --------------------------------------------------------------------------- */

typedef struct remarks {
    size_t count, warnings;
    char text[1024];
} remarks;

static void keep_remark(void *user, pm_log_level level, const pm_error *remark) {
    remarks *r = user;
    r->count++;
    r->warnings += level == PM_LOG_WARNING;
    strncat(r->text, remark->message, sizeof r->text - strlen(r->text) - 1);
}

/* Converts, and measures the rest pose of the result: from end to end along x, y and z. */
static remarks convert_to(const pm_motion *motion, pm_motion_convert_options o, const char *path,
                          double extent[3]) {
    remarks said = {.count = 0};
    o.log = keep_remark;
    o.log_user = &said;
    expect_success(pm_motion_convert(motion, &o, path, new_error()));
    SCOPED(pm_motion_destroy) pm_motion *made = test_open(path, NULL);
    const pm_motion_content *content = pm_motion_get_content(made);
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
    for (size_t n = 0; n < content->node_count; n++) {
        const kinematics_matrix m = kinematics_model(content, NULL, (int32_t)n, 0);
        for (size_t i = 0; i < 3; i++) {
            low[i] = fmin(low[i], m.m[i][3]);
            high[i] = fmax(high[i], m.m[i][3]);
        }
    }
    for (size_t i = 0; i < 3; i++)
        extent[i] = high[i] - low[i];
    return said;
}

/* Joints of the figure reach over 0.85 of its height: of 160 cm 1.36 m. */
TEST(gltf_has_metres_and_y_up_whatever_it_is_made_of) {
    for (int z = 0; z < 2; z++) {
        double e[3];
        SCOPED(pm_motion_destroy)
        pm_motion *motion = read_figure((figure_form){160, z, true, 90}, NULL);
        const remarks said = convert_to(motion, (pm_motion_convert_options){.clip = 0}, "a.glb", e);
        assert_true(fabs(e[1] - 1.36) < 1e-6 && e[2] < 1e-6);
        assert_string_equal(said.text, z ? "unit cm (estimated) to m, up z (estimated) to y"
                                         : "unit cm (estimated) to m");
        assert_int_equal(said.count, 1);
        assert_int_equal(said.warnings, 1); /* a guess */
    }
}

TEST(what_is_kept_or_given_is_not_converted_by_convention) {
    double e[3];
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_figure((figure_form){160, true, true, 90}, NULL);
    const pm_motion_convert_options keep = {.to_unit_mm = PM_MOTION_UNIT_KEEP,
                                            .to_up = PM_MOTION_UP_KEEP};
    assert_int_equal(convert_to(motion, keep, "a.glb", e).count, 0);
    assert_true(fabs(e[2] - 136) < 1e-4);
    const pm_motion_convert_options scaled = {.scale = 0.01, .to_up = PM_MOTION_UP_KEEP};
    assert_int_equal(convert_to(motion, scaled, "a.glb", e).count, 0);
    assert_true(fabs(e[2] - 1.36) < 1e-6);
    const pm_motion_convert_options half = {.scale = 0.5, .to_up = PM_MOTION_UP_KEEP};
    assert_non_null(strstr(convert_to(motion, half, "a.glb", e).text, "by 0.5 alone"));
    assert_true(fabs(e[2] - 68) < 1e-4);
    const pm_motion_convert_options both = {
        .scale = 0.5, .to_unit_mm = 1000, .to_up = PM_MOTION_UP_KEEP};
    assert_int_equal(convert_to(motion, both, "a.glb", e).count, 1);
    assert_true(fabs(e[2] - 0.68) < 1e-6);
}

TEST(what_is_not_known_stays_with_a_warning) {
    double e[3];
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_figure((figure_form){500, false, true, 0}, NULL);
    const remarks said = convert_to(motion, (pm_motion_convert_options){.clip = 0}, "a.glb", e);
    assert_true(fabs(e[1] - 425) < 1e-3);
    assert_int_equal(said.warnings, 1);
    assert_non_null(strstr(said.text, "the unit of length is not known"));
    assert_non_null(strstr(said.text, "glTF has m"));
}

TEST(formats_without_a_convention_and_own_ones_keep_their_numbers) {
    double e[3];
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_figure((figure_form){160, true, true, 90}, NULL);
    static const char *const paths[] = {"a.bvh", "a.npz"};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        assert_int_equal(
            convert_to(motion, (pm_motion_convert_options){.clip = 0}, paths[i], e).count, 0);
        assert_true(fabs(e[2] - 136) < 1e-9);
    }
    const pm_motion_read_options other = {.unit_mm = 25.4, .up = PM_MOTION_UP_Z};
    convert_to(motion, (pm_motion_convert_options){.clip = 0}, "a.glb", e);
    SCOPED(pm_motion_destroy) pm_motion *glb = test_open("a.glb", &other);
    assert_int_equal(convert_to(glb, (pm_motion_convert_options){.clip = 0}, "b.glb", e).count, 0);
    assert_true(fabs(e[1] - 1.36) < 1e-6);
}

/* Inches, so that numbers are rounded. */
TEST(converting_back_gives_the_first_numbers_within_rounding) {
    double e[3];
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_figure((figure_form){64, true, true, 30}, NULL);
    const pm_motion_convert_options there = {.to_unit_mm = 1000, .to_up = PM_MOTION_UP_Y};
    const pm_motion_convert_options back = {
        .to_unit_mm = 25.4, .to_up = PM_MOTION_UP_Z, .unit_mm = 1000, .up = PM_MOTION_UP_Y};
    convert_to(motion, there, "a.npz", e);
    SCOPED(pm_motion_destroy) pm_motion *middle = test_open("a.npz", NULL);
    convert_to(middle, back, "b.npz", e);
    SCOPED(pm_motion_destroy) pm_motion *last = test_open("b.npz", NULL);
    expect_unit(middle, 1000, PM_MOTION_ESTIMATED);
    expect_up(middle, PM_MOTION_UP_Y, PM_MOTION_ESTIMATED);
    expect_same_frames(motion, last, 1e-7, 1e-14);
    expect_same_nodes(motion, last, 1e-12);
}

/* What is made of a motion means the same. */
TEST(motions_that_are_made_have_the_meaning_of_their_source) {
    const pm_motion_edit_options half = {.end_after_first_key = {1, 20}};
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_figure((figure_form){160, true, true, 10}, NULL);
    SCOPED(pm_motion_destroy) pm_motion *made = NULL;
    expect_success(pm_motion_edit(motion, &half, &made, new_error()));
    expect_unit(made, 10, PM_MOTION_ESTIMATED);
    expect_up(made, PM_MOTION_UP_Z, PM_MOTION_ESTIMATED);
    assert_int_equal(pm_motion_get_content(motion)->mover, 0);
    assert_int_equal(pm_motion_get_content(made)->mover,
                     PM_NO_INDEX32); /* half of the way is none */
}

static int begin_files(void **state) {
    return test_folder_enter(state);
}

static int end_files(void **state) {
    return engines_close(state) + test_folder_leave(state);
}

TEST_GROUP(begin_files, end_files)
