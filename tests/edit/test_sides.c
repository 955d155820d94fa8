/* SPDX-License-Identifier: MIT
 *
 * Left and right: names of public conventions, and rest poses of figures that the tests draw.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/model/sides.h"
#include "oracle/oracle_quat.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/motion_hand.h"

/* ---- names --------------------------------------------------------------------------------- */

enum { PAIRS = 10 };

typedef struct convention {
    const char *name, *pairs[PAIRS][2];
} convention;

static const convention conventions[] = {
    {"Sketchfab",
     {{"LeftArm_015", "RightArm_041"},
      {"LeftForeArm_016", "RightForeArm_042"},
      {"b_LeftLeg01_015", "b_RightLeg01_019"},
      {"b_LeftLeg02_016", "b_RightLeg02_020"},
      {"Bip001 L Thigh_08", "Bip001 R Thigh_012"},
      {"hand.L_033", "hand.R_07"}}},
    {"lft and rgt",
     {{"lft_arm", "rgt_arm"},
      {"arm_lft_jnt", "arm_rgt_jnt"},
      {"LftKnee", "RgtKnee"},
      {"handLft", "handRgt"},
      {"LFT_HIP", "RGT_HIP"},
      {"Lf_elbow", "Rt_elbow"}}},
    {"quadrupeds",
     {{"FL_hip_joint", "FR_hip_joint"},
      {"RL_calf_joint", "RR_calf_joint"},
      {"HL_KFE", "HR_KFE"},
      {"fl.hx", "fr.hx"},
      {"LF_HAA", "RF_HAA"},
      {"LH_KFE", "RH_KFE"},
      {"front_left_hip", "front_right_hip"},
      {"hindLeftKnee", "hindRightKnee"},
      {"abduct_fl_to_thigh_fl_j", "abduct_fr_to_thigh_fr_j"}}},
    {"Japanese",
     {{"左腕", "右腕"},
      {"左ひじ", "右ひじ"},
      {"左足ＩＫ", "右足ＩＫ"},
      {"親指(左)", "親指(右)"},
      {"左足首", "右足首"},
      {"肩_左", "肩_右"},
      {"左肩P_012", "右肩P_034"}}},
    {"VRM",
     {{"J_Bip_L_UpperArm", "J_Bip_R_UpperArm"},
      {"J_Bip_L_Hand", "J_Bip_R_Hand"},
      {"J_Adj_L_FaceEye", "J_Adj_R_FaceEye"},
      {"leftUpperArm", "rightUpperArm"},
      {"leftThumbMetacarpal", "rightThumbMetacarpal"},
      {"leftFoot", "rightFoot"}}},
    {"Rigify",
     {{"DEF-upper_arm.L", "DEF-upper_arm.R"},
      {"DEF-upper_arm.L.001", "DEF-upper_arm.R.001"},
      {"thigh.L", "thigh.R"},
      {"ORG-f_index.01.L", "ORG-f_index.01.R"},
      {"shin_tweak.L.001", "shin_tweak.R.001"},
      {"MCH-foot_ik.parent.L", "MCH-foot_ik.parent.R"}}},
    {"Mixamo",
     {{"mixamorig:LeftArm", "mixamorig:RightArm"},
      {"mixamorig_LeftArm_015", "mixamorig_RightArm_039"},
      {"mixamorig:LeftHandThumb1", "mixamorig:RightHandThumb1"},
      {"mixamorig:LeftHandThumb2", "mixamorig:RightHandThumb2"},
      {"mixamorig1:LeftUpLeg", "mixamorig1:RightUpLeg"},
      {"LeftToe_End", "RightToe_End"}}},
    {"SMPL",
     {{"L_Hip", "R_Hip"},
      {"L_Collar", "R_Collar"},
      {"left_hip", "right_hip"},
      {"left_index1", "right_index1"},
      {"left_index2", "right_index2"},
      {"lthigh", "rthigh"}}},
    {"Unreal",
     {{"upperarm_l", "upperarm_r"},
      {"thigh_twist_01_l", "thigh_twist_01_r"},
      {"thigh_twist_02_l", "thigh_twist_02_r"},
      {"ball_l", "ball_r"},
      {"ik_foot_l", "ik_foot_r"},
      {"index_metacarpal_l", "index_metacarpal_r"}}},
    {"Biped",
     {{"Bip01 L Thigh", "Bip01 R Thigh"},
      {"Bip001_L_Hand", "Bip001_R_Hand"},
      {"Bip001 L Finger0", "Bip001 R Finger0"},
      {"Bip001 L Finger01", "Bip001 R Finger01"},
      {"ValveBiped.Bip01_L_Calf", "ValveBiped.Bip01_R_Calf"},
      {"Bip01 LThighTwist", "Bip01 RThighTwist"}}},
    {"robots",
     {{"left_hip_pitch_joint", "right_hip_pitch_joint"},
      {"l_leg_hpz", "r_leg_hpz"},
      {"LeftHipPitch", "RightHipPitch"},
      {"leg_l1_joint", "leg_r1_joint"},
      {"leg_l2_joint", "leg_r2_joint"},
      {"L_hip", "R_hip"},
      {"LHipYawPitch", "RHipYawPitch"},
      {"LLEG_JOINT0", "RLEG_JOINT0"},
      {"leg_left_1_joint", "leg_right_1_joint"}}},
    {"motion capture",
     {{"lfemur", "rfemur"},
      {"lthumb", "rthumb"},
      {"LHipJoint", "RHipJoint"},
      {"LFingers", "RFingers"},
      {"LFHD", "RFHD"},
      {"LTOE", "RTOE"},
      {"KneeLeft", "KneeRight"},
      {"LAnkle", "RAnkle"}}},
    {"DAZ and Poser",
     {{"lThigh", "rThigh"},
      {"lShldrBend", "rShldrBend"},
      {"l_upperarm", "r_upperarm"},
      {"lForeArm", "rForeArm"},
      {"lBigToe", "rBigToe"},
      {"lIndex1", "rIndex1"},
      {"lIndex2", "rIndex2"}}},
    {"capitals behind",
     {{"ThumbL", "ThumbR"},
      {"HandL1", "HandR1"},
      {"HandL2", "HandR2"},
      {"Finger0L", "Finger0R"},
      {"toe2l", "toe2r"},
      {"upperLeftLid", "upperRightLid"},
      {"LEFT_FOOT", "RIGHT_FOOT"}}},
};

/* Between joints of no side, in a random order. */
static void check_convention(const convention *c, random_source *random) {
    const char *names[2 * PAIRS + 3] = {"Hips", "Spine1", "Head"}, *other[COUNT_OF(names)] = {NULL};
    bool is_left[COUNT_OF(names)] = {false};
    size_t count = 3;
    for (size_t i = 0; i < PAIRS && c->pairs[i][0]; i++)
        for (size_t side = 0; side < 2; side++) {
            names[count] = c->pairs[i][side];
            is_left[count] = side == 0;
            other[count++] = c->pairs[i][1 - side];
        }
    for (size_t i = count; i-- > 1;) {
        const size_t j = random_size(random, 0, i);
        const char *name = names[i], *partner = other[i];
        const bool left = is_left[i];
        names[i] = names[j], other[i] = other[j], is_left[i] = is_left[j];
        names[j] = name, other[j] = partner, is_left[j] = left;
    }
    SCOPED(pm_motion_destroy) pm_motion *subject = hand_named(names, count);
    uint32_t partners[COUNT_OF(names)];
    bool alone[COUNT_OF(names)];
    assert_true(sides_pair(&subject->content, partners, alone));
    for (size_t n = 0; n < count; n++) {
        if (strcmp(names[partners[n]], other[n] ? other[n] : names[n]) != 0)
            fail_msg("%s: '%s' is paired with '%s'", c->name, names[n], names[partners[n]]);
        assert_false(alone[n]);
        if (other[n])
            assert_int_equal(sides_is_left(subject->content.nodes[n].name,
                                           subject->content.nodes[partners[n]].name),
                             is_left[n]);
    }
}

TEST(names_of_public_conventions_are_pairs) {
    random_source random = random_salted(1);
    for (size_t i = 0; i < COUNT_OF(conventions); i++)
        for (int again = 0; again < 4; again++)
            check_convention(&conventions[i], &random);
}

TEST(names_without_a_side_are_no_pairs) {
    static const char *const names[] = {
        "Leg",       "Reg",  "lip",   "rip",      "Ball",  "Barr",  "Lower", "L5",    "T5",
        "lowerback", "Reye", "light", "leftover", "leg_1", "reg_1", "",      "relic", "lfemur"};
    static const char *const alone_names[] = {"clavicle.L", "LeftWing", "RR_hip", "R_Hip_012",
                                              "尾左"};
    const char *all[COUNT_OF(names) + COUNT_OF(alone_names)];
    memcpy(all, names, sizeof names);
    memcpy(all + COUNT_OF(names), alone_names, sizeof alone_names);
    SCOPED(pm_motion_destroy) pm_motion *subject = hand_named(all, COUNT_OF(all));
    uint32_t partners[COUNT_OF(all)];
    bool alone[COUNT_OF(all)];
    assert_true(sides_pair(&subject->content, partners, alone));
    for (size_t n = 0; n < COUNT_OF(all); n++)
        if (partners[n] != n || alone[n] != (n >= COUNT_OF(names)))
            fail_msg("'%s' is paired with '%s'; alone: %d", all[n], all[partners[n]], alone[n]);
}

/* A number behind a name tells joints apart before it is dropped. */
TEST(numbers_behind_names_decide_where_both_sides_have_them) {
    static const char *const names[] = {"left_toe_1", "left_toe_2", "right_toe_2", "right_toe_3",
                                        "left_toe_4"};
    static const uint32_t expected[] = {3, 2, 1, 0, 4};
    SCOPED(pm_motion_destroy) pm_motion *subject = hand_named(names, COUNT_OF(names));
    uint32_t partners[COUNT_OF(names)];
    bool alone[COUNT_OF(names)];
    assert_true(sides_pair(&subject->content, partners, alone));
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        assert_int_equal(partners[n], expected[n]);
        assert_int_equal(alone[n], n == 4);
    }
}

TEST(two_figures_with_the_same_names_are_paired_each_within_itself) {
    static const char *const names[] = {"LeftArm", "RightArm", "L_Toe",
                                        "LeftArm", "RightArm", "R_Toe"};
    static const uint32_t expected[] = {1, 0, 5, 4, 3, 2};
    SCOPED(pm_motion_destroy) pm_motion *subject = hand_named(names, COUNT_OF(names));
    uint32_t partners[COUNT_OF(names)];
    bool alone[COUNT_OF(names)];
    assert_true(sides_pair(&subject->content, partners, alone));
    assert_memory_equal(partners, expected, sizeof expected);
}

static bool has_role(const char *name, sides_role role) {
    return sides_has_role((pm_motion_name){name, strlen(name)}, role);
}

TEST(heads_feet_and_hands_are_known_by_name) {
    static const char *const heads[] = {"Head", "mixamorig:Head", "J_Bip_C_Head", "b_Head_05",
                                        "頭"};
    static const char *const feet[] = {"LeftFoot", "foot.L",       "l_ankle",
                                       "左足首",   "RightToeBase", "toe1-1.R"};
    static const char *const hands[] = {"mixamorig:LeftHand", "L_Wrist", "hand_l", "左手首"};
    static const char *const others[] = {"HeadTop_End", "LeftHip", "Leg", "", "左足", "forearm"};
    for (size_t i = 0; i < COUNT_OF(heads); i++)
        assert_true(has_role(heads[i], SIDES_HEAD) && !has_role(heads[i], SIDES_FOOT));
    for (size_t i = 0; i < COUNT_OF(feet); i++)
        assert_true(has_role(feet[i], SIDES_FOOT) && !has_role(feet[i], SIDES_HEAD));
    for (size_t i = 0; i < COUNT_OF(hands); i++)
        assert_true(has_role(hands[i], SIDES_HAND) && !has_role(hands[i], SIDES_FOOT));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        for (int role = SIDES_HEAD; role <= SIDES_HAND; role++)
            assert_false(has_role(others[i], (sides_role)role));
}

/* ---- rest poses ---------------------------------------------------------------------------- */

enum { HALF = 6, NODES = 2 * HALF + 3 };

/* A figure: two joints without a side below a root, and HALF joints of each side below them or each other,
 * in a random order, with random rest rotations. */
typedef struct drawn {
    int normal;
    double
        place[NODES]
             [3]; /* in the world, by role: 0 root, 1 and 2 middle, then left and right in turn */
    uint32_t node_of[NODES];
    char names[NODES][24];
    pm_motion *motion;
} drawn;

static uint32_t role_of_partner(uint32_t role) {
    return role < 3 ? role : role % 2 ? role + 1 : role - 1;
}

static void place_roles(drawn *d, random_source *random) {
    static const char *const middle[] = {"Root", "Spine", "Neck"};
    const double off[3] = {random_between(random, -9, 9), random_between(random, -9, 9),
                           random_between(random, -9, 9)};
    for (uint32_t role = 0; role < NODES; role++)
        for (int i = 0; i < 3; i++) {
            double *at = &d->place[role][i];
            *at = random_between(random, -1, 1);
            if (i == d->normal && role < 3)
                *at = 0;
            if (role >= 3 && role % 2 == 0)
                *at = (i == d->normal ? -1 : 1) * (d->place[role - 1][i] - off[i]);
            *at += off[i];
        }
    for (uint32_t role = 0; role < NODES; role++)
        snprintf(d->names[role], sizeof d->names[role], role < 3 ? "%s" : "%s%u",
                 role < 3   ? middle[role]
                 : role % 2 ? "LeftBone"
                            : "RightBone",
                 (role - 3) / 2);
}

/* Sets the node of a role from its place and that of its parent, and a world rotation. */
static void set_node(drawn *d, uint32_t role, int parent_role, double world[][4],
                     random_source *random) {
    pm_motion_node *node = hand_node(d->motion, d->node_of[role]);
    node->name = (pm_motion_name){d->names[role], strlen(d->names[role])};
    node->parent = parent_role < 0 ? -1 : (int32_t)d->node_of[parent_role];
    random_quaternion(random, world[role]);
    const quat own = quat_of(world[role]);
    const quat back =
        parent_role < 0 ? (quat){0, 0, 0, 1} : quat_conjugate(quat_of(world[parent_role]));
    double apart[3];
    for (int i = 0; i < 3; i++)
        apart[i] = d->place[role][i] - (parent_role < 0 ? 0 : d->place[parent_role][i]);
    const quat local = quat_multiply(back, own);
    const vec3 at = quat_rotate(back, vec3_of(apart));
    memcpy(node->rotation, (const double[]){local.x, local.y, local.z, local.w},
           sizeof node->rotation);
    memcpy(node->position, (const double[]){at.x, at.y, at.z}, sizeof node->position);
}

/* Without a displaced role, NODES. */
static void draw(drawn *d, random_source *random, uint32_t displaced, const double by[3]) {
    double world[NODES][4];
    int parents[NODES] = {-1, 0, 1};
    d->normal = (int)random_size(random, 0, 2);
    d->motion = hand_motion(NODES, 0);
    place_roles(d, random);
    for (int i = 0; i < 3 && displaced < NODES; i++)
        d->place[displaced][i] += by[i];
    for (uint32_t i = 0; i < NODES; i++)
        d->node_of[i] = i;
    for (uint32_t i = NODES; i-- > 1;) {
        const size_t j = random_size(random, 0, i);
        const uint32_t was = d->node_of[i];
        d->node_of[i] = d->node_of[j];
        d->node_of[j] = was;
    }
    for (uint32_t role = 3; role < NODES; role += 2) {
        parents[role] = (int)random_size(random, 0, role - 1);
        parents[role + 1] = (int)role_of_partner((uint32_t)parents[role]);
    }
    for (uint32_t role = 0; role < NODES; role++)
        set_node(d, role, parents[role], world, random);
}

TEST(a_figure_that_is_mirrored_by_a_plane_has_that_plane) {
    random_source random = random_salted(2);
    for (int again = 0; again < 50; again++) {
        drawn d;
        draw(&d, &random, NODES, NULL);
        SCOPED(pm_motion_destroy) pm_motion *subject = d.motion, *mirrored = NULL;
        pm_motion_mirror_report report;
        expect_success(pm_motion_mirror(subject, NULL, &mirrored, &report, new_error()));
        assert_int_equal(report.plane, 1 << d.normal);
        assert_int_equal(report.pair_count, HALF);
        assert_int_equal(report.image_count, HALF);
        for (uint32_t role = 0; role < NODES; role++) {
            assert_int_equal(report.partners[d.node_of[role]], d.node_of[role_of_partner(role)]);
            assert_true(report.distances[d.node_of[role]] < 1e-12);
        }
        assert_int_equal(mirrored->content.note_count, 1);
        assert_string_equal(mirrored->content.notes[0]->cure, "plane");
    }
}

TEST(a_displaced_joint_is_reported_with_its_distance) {
    random_source random = random_salted(3);
    for (int again = 0; again < 50; again++) {
        const double by[3] = {random_between(&random, 0.1, 0.3),
                              random_between(&random, -0.3, -0.1),
                              random_between(&random, 0.1, 0.3)};
        const uint32_t role = (uint32_t)random_size(&random, 3, NODES - 1);
        drawn d;
        draw(&d, &random, role, by);
        SCOPED(pm_motion_destroy) pm_motion *subject = d.motion, *mirrored = NULL;
        pm_motion_mirror_report report;
        expect_success(pm_motion_mirror(subject, NULL, &mirrored, &report, new_error()));
        const double expected = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
        assert_int_equal(report.plane, 1 << d.normal);
        assert_int_equal(report.image_count, HALF - 1);
        const uint32_t node = d.node_of[role], other = d.node_of[role_of_partner(role)];
        assert_int_equal(report.farthest, node < other ? node : other);
        assert_true(fabs(report.distances[node] - expected) < 1e-12);
        assert_true(fabs(report.distances[other] - expected) < 1e-12);
        assert_int_equal(mirrored->content.note_count, 2);
        assert_string_equal(mirrored->content.notes[1]->cure, "pairs");
        assert_non_null(strstr(mirrored->content.notes[1]->message, d.names[role]));
    }
}

TEST(a_given_plane_overrides_the_one_that_is_found) {
    random_source random = random_salted(4);
    drawn d;
    draw(&d, &random, NODES, NULL);
    SCOPED(pm_motion_destroy) pm_motion *subject = d.motion, *mirrored = NULL;
    pm_motion_mirror_report report;
    const pm_motion_mirror_options options = {.normal = (pm_motion_axis)(1 << (d.normal + 1) % 3)};
    expect_success(pm_motion_mirror(subject, &options, &mirrored, &report, new_error()));
    assert_int_equal(report.plane, options.normal);
    assert_int_equal(report.image_count, 0);
    assert_true(report.distances[report.farthest] > 0.1);
}

static void expect_no_plane(pm_motion *subject, const char *says) {
    pm_motion *made = NULL;
    expect_error(pm_motion_mirror(subject, NULL, &made, NULL, new_error()), PM_ERROR_FILE, says);
    assert_string_equal(last_error()->cure, "plane");
    for (int axis = 0; axis < 3; axis++) {
        SCOPED(pm_motion_destroy) pm_motion *mirrored = NULL;
        const pm_motion_mirror_options options = {.normal = (pm_motion_axis)(1 << axis)};
        expect_success(pm_motion_mirror(subject, &options, &mirrored, NULL, new_error()));
    }
}

TEST(a_rest_pose_that_does_not_tell_the_plane_is_refused) {
    static const char *const names[] = {"LeftArm", "RightArm", "LeftLeg", "RightLeg"};
    SCOPED(pm_motion_destroy) pm_motion *subject = hand_named(names, 4);
    expect_no_plane(subject, "at one place");
    hand_node(subject, 0)->position[0] = 1;
    hand_node(subject, 1)->position[0] = -1;
    hand_node(subject, 2)->position[2] = 1;
    hand_node(subject, 3)->position[2] = -1;
    expect_no_plane(subject, "1 of 2 pairs across x, 0 across y, 1 across z");
    hand_node(subject, 1)->position[1] = 1;
    hand_node(subject, 3)->position[1] = 1;
    expect_no_plane(subject, "none of 2 pairs");
}
