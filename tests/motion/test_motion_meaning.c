/* SPDX-License-Identifier: MIT
 *
 * What the numbers of a motion mean: the size of its figure.
 */
#include "support/engines.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"

#include <math.h>
#include <string.h>

#include "motion/model/figure.h"

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

TEST_GROUP(NULL, engines_close)
