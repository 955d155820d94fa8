/* SPDX-License-Identifier: MIT
 *
 * Tests of converting: BVH files to BVH with other units, axes, orders and rates, and motions with
 * scales to formats without them. Positions in the world are those of an independent evaluation.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_kinematics.h"
#include "support/test_folder.h"

/* ---- reading and writing --------------------------------------------------------------------- */

static char left_out[LEFT_OUT_SIZE];

static void convert(const pm_motion *motion, pm_motion_convert_options options, const char *path) {
    left_out[0] = '\0';
    options.left_out = test_left_out;
    options.left_out_user = left_out;
    expect_success(pm_motion_convert(motion, &options, path, new_error()));
}

/* All but the digits of the frame time. */
static void expect_text(const char *path, const char *expected) {
    static const char key[] = "Frame Time: ";
    SCOPED(free_at) char *text = test_folder_read(path, NULL);
    const char *time = strstr(text, key), *wanted = strstr(expected, key);
    assert_non_null(time);
    assert_int_equal(time - text, wanted - expected);
    assert_memory_equal(text, expected, (size_t)(time - text));
    assert_string_equal(strchr(time, '\r'), strchr(wanted, '\r'));
}

static void expect_in_file(const char *path, const char *part) {
    SCOPED(free_at) char *text = test_folder_read(path, NULL);
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

/* ---- from BVH to BVH -------------------------------------------------------------------------- */

/* Every joint has other channels, and every number its own form. */
#define HEAD(root, spine, tip)                                                                     \
    "HIERARCHY\r\nROOT H{i}ps  two\r\n{\r\n  OFFSET " root "\r\n"                                  \
    "  CHANNELS 6 Xposition Yposition Zposition zROTATION Yrotation Xrotation\r\n"                 \
    "  JOINT Spine {\r\n\tOFFSET " spine                                                           \
    "\r\n\tCHANNELS 4 Xrotation finger Yrotation Zrotation\r\n"                                    \
    "  JOINT Elbow {\r\n CHANNELS 1 Yrotation\r\n End Site named\r\n{\r\nOFFSET " tip "\r\n}\r\n"  \
    "}\r\n}\r\n}\r\nMOTION\r\nFrames: 3\r\nFrame Time: 0.1\r\n"
#define SOURCE                                                                                     \
    HEAD("1 2 3", "0.0 10.50 0", "0 +4e0 0")                                                       \
    "1.0 2 3 10. 20.00 370 5 .7 5 5 99\r\n1.5 2 3 11 20.00 371 6 .8 5 5 99\r\n"                    \
    "2 2 -3 12 20.00 372 7 0.9 5 5 -99.126\r\n"

TEST(what_is_not_asked_for_keeps_its_text) {
    test_folder_put_text("a.bvh", SOURCE);
    SCOPED(pm_motion_destroy) pm_motion *motion = test_open("a.bvh", NULL);
    convert(motion, (pm_motion_convert_options){.scale = 0}, "b.bvh");
    expect_text("b.bvh", SOURCE);
    convert(motion, (pm_motion_convert_options){.scale = 0.5, .decimals = 0}, "b.bvh");
    expect_text("b.bvh", HEAD("0.5 1 1.5", "0 5.25 0", "0 2 0") //
                "0.500000 1.000000 1.500000 10. 20.00 370 5 .7 5 5 99\r\n"
                "0.750000 1.000000 1.500000 11 20.00 371 6 .8 5 5 99\r\n"
                "1.000000 1.000000 -1.500000 12 20.00 372 7 0.9 5 5 -99.126\r\n");
    assert_string_equal(left_out, "");
}

TEST(decimals_are_those_that_are_given) {
    test_folder_put_text("a.bvh", SOURCE);
    SCOPED(pm_motion_destroy) pm_motion *motion = test_open("a.bvh", NULL);
    convert(motion, (pm_motion_convert_options){.decimals = 2}, "b.bvh");
    expect_in_file("b.bvh", "\r\n1.00 2.00 3.00 10.00 20.00 370.00 5.00 0.70 5.00 5.00 99.00\r\n");
    expect_in_file("b.bvh", " -99.13\r\n");
}

/* The channel is an own one of the second joint, the third frame. */
TEST(a_number_that_no_row_can_hold_is_named) {
    test_folder_put_text("a.bvh", HEAD("1 2 3", "0 1 0", "0 4 0") //
                         "1 2 3 10 20 30 5 7 5 5 9\r\n1 2 3 10 20 30 5 7 5 5 9\r\n"
                         "1 2 3 10 20 30 5 -2e305 5 5 9\r\n");
    SCOPED(pm_motion_destroy) pm_motion *motion = test_open("a.bvh", NULL);
    assert_int_equal(pm_motion_convert(motion, &(pm_motion_convert_options){.decimals = 3},
                                       "refused.bvh", new_error()),
                     PM_ERROR_FILE);
    assert_string_equal(last_error()->message,
                        "joint 1 (Spine), frame 2: finger becomes -2e+305; expected "
                        "a number below 1e300");
    assert_null(fopen("refused.bvh", "rb"));
}

/* The largest differences of positions in the world and of rotations between two motions with nodes of
 * the same names, at all frames of the first. */
static void expect_same_world(const pm_motion *a, const pm_motion *b, double place, double turn) {
    const pm_motion_content *x = pm_motion_get_content(a), *y = pm_motion_get_content(b);
    assert_int_equal(x->node_count, y->node_count);
    for (size_t f = 0; f < x->clips[0].timelines[0].key_count; f++) {
        const double time = (double)f * (double)x->clips[0].rate.den / (double)x->clips[0].rate.num;
        for (size_t n = 0; n < x->node_count; n++) {
            const pm_motion_name name = x->nodes[n].name;
            size_t other = 0;
            while (other < y->node_count &&
                   (name.size != y->nodes[other].name.size ||
                    memcmp(name.text, y->nodes[other].name.text, name.size) != 0))
                other++;
            assert_true(other < y->node_count);
            const kinematics_matrix p = kinematics_model(x, &x->clips[0], (int32_t)n, time);
            const kinematics_matrix q = kinematics_model(y, &y->clips[0], (int32_t)other, time);
            for (size_t i = 0; i < 12; i++)
                if (!(fabs(p.m[i / 4][i % 4] - q.m[i / 4][i % 4]) < (i % 4 == 3 ? place : turn)))
                    fail_msg("frame %zu: %s differs by %g", f, name.text,
                             fabs(p.m[i / 4][i % 4] - q.m[i / 4][i % 4]));
        }
    }
}

TEST(an_order_that_is_given_is_that_of_all_joints_that_have_one) {
    test_folder_put_text("a.bvh", SOURCE);
    SCOPED(pm_motion_destroy) pm_motion *motion = test_open("a.bvh", NULL);
    convert(motion,
            (pm_motion_convert_options){.euler_given = true, .euler = PM_EULER_YXZ, .decimals = 9},
            "b.bvh");
    expect_in_file("b.bvh",
                   "CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation\r\n");
    expect_in_file("b.bvh", "CHANNELS 4 Yrotation finger Xrotation Zrotation\r\n");
    expect_in_file("b.bvh", "CHANNELS 1 Yrotation\r\n");
    SCOPED(pm_motion_destroy) pm_motion *other = test_open("b.bvh", NULL);
    expect_same_world(motion, other, 1e-7, 1e-8);
}

/* x y z of a file whose z was up become x z -y. */
TEST(a_turn_gives_roots_the_channels_that_it_needs) {
    static const char *const roots[] = {
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n",
        "CHANNELS 2 Zrotation Xrotation\n",
        "CHANNELS 2 Xposition Zrotation\n",
        "CHANNELS 0\n",
        "",
    };
    static const char *const rows[] = {"1 2 3 10 20 30 5\n4 5 6 11 30 35 7\n", "10 20 5\n-8 3 4\n",
                                       "3 20 5\n6 40 8\n", "5\n6\n", "5\n8\n"};
    for (size_t i = 0; i < COUNT_OF(roots); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 2\n%sJOINT Arm\n{\nOFFSET 3 2 1\nCHANNELS 1 "
                 "Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
                 "0.1\n%s",
                 roots[i], rows[i]);
        test_folder_put_text("a.bvh", text);
        SCOPED(pm_motion_destroy) pm_motion *motion = test_open("a.bvh", NULL);
        convert(motion,
                (pm_motion_convert_options){
                    .up = PM_MOTION_UP_Z, .to_up = PM_MOTION_UP_Y, .decimals = 9},
                "b.bvh");
        SCOPED(pm_motion_destroy) pm_motion *other = test_open("b.bvh", NULL);
        const pm_motion_content *x = pm_motion_get_content(motion);
        const pm_motion_content *y = pm_motion_get_content(other);
        assert_int_equal(y->node_count, 2);
        for (int32_t n = 0; n < 2; n++)
            for (size_t f = 0; f < 2; f++) {
                const double time = 0.1 * (double)f;
                const kinematics_matrix p = kinematics_model(x, &x->clips[0], n, time);
                const kinematics_matrix q = kinematics_model(y, &y->clips[0], n, time);
                for (size_t c = 0; c < 4; c++) {
                    assert_true(fabs(q.m[0][c] - p.m[0][c]) < 1e-7);
                    assert_true(fabs(q.m[1][c] - p.m[2][c]) < 1e-7);
                    assert_true(fabs(q.m[2][c] + p.m[1][c]) < 1e-7);
                }
            }
    }
}

/* `a` and `b` do the same to a motion. */
static void expect_same_result(const pm_motion *motion, pm_motion_convert_options a,
                               pm_motion_convert_options b) {
    convert(motion, a, "a-out.bvh");
    convert(motion, b, "b-out.bvh");
    test_folder_expect_same("a-out.bvh", "b-out.bvh");
}

TEST(units_and_axes_are_of_the_source_and_of_the_result) {
    static const struct {
        pm_motion_convert_options options, same;
    } cases[] = {{{.unit_mm = 10, .to_unit_mm = 1000}, {.scale = 0.01}},
                 {{.unit_mm = 25.4, .to_unit_mm = 254, .scale = 30}, {.scale = 3}},
                 {{.unit_mm = 25.4, .to_unit_mm = 25.4}, {.scale = 1}},
                 {{.unit_mm = 25.4}, {.scale = 1}},
                 {{.up = PM_MOTION_UP_Z}, {.scale = 1}},
                 {{.up = PM_MOTION_UP_Y, .to_up = PM_MOTION_UP_Y}, {.scale = 1}}};
    test_folder_put_text("a.bvh", SOURCE);
    SCOPED(pm_motion_destroy) pm_motion *bvh = test_open("a.bvh", NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_same_result(bvh, cases[i].options, cases[i].same);
    /* glTF says both itself; what is given is stronger */
    convert(bvh, (pm_motion_convert_options){.format = PM_MOTION_GLB}, "a.glb");
    SCOPED(pm_motion_destroy) pm_motion *gltf = test_open("a.glb", NULL);
    expect_same_result(gltf, (pm_motion_convert_options){.to_up = PM_MOTION_UP_Z},
                       (pm_motion_convert_options){.up = PM_MOTION_UP_Y, .to_up = PM_MOTION_UP_Z});
    expect_same_result(gltf, (pm_motion_convert_options){.to_unit_mm = 10},
                       (pm_motion_convert_options){.scale = 100});
    expect_same_result(gltf, (pm_motion_convert_options){.unit_mm = 10, .to_unit_mm = 1000},
                       (pm_motion_convert_options){.scale = 0.01});
}

TEST(units_and_axes_that_nobody_says_are_refused) {
    static const struct {
        pm_motion_convert_options options;
        const char *says;
    } cases[] = {{{.to_up = PM_MOTION_UP_Z}, "which axis points up"},
                 {{.to_unit_mm = 1000}, "its unit of length"},
                 {{.unit_mm = -1}, "unit_mm"},
                 {{.to_unit_mm = (double)NAN}, "to_unit_mm"},
                 {{.up = (pm_motion_up)3}, "up is 3"},
                 {{.to_up = (pm_motion_up)-1}, "to_up is -1"}};
    test_folder_put_text("a.bvh", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
                                  "End Site\n{\nOFFSET 0 0 0\n}\n}\nMOTION\nFrames: 1\n"
                                  "Frame Time: 0.1\n7\n");
    SCOPED(pm_motion_destroy) pm_motion *motion = test_open("a.bvh", NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_error error = {.status = PM_OK};
        assert_int_equal(pm_motion_convert(motion, &cases[i].options, "no.bvh", &error),
                         PM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, cases[i].says));
    }
}

TEST(formats_that_have_a_unit_are_written_in_no_other) {
    static const char pose[] =
        "#timestamp [ns],p_x [m],p_y [m],p_z [m],q_w [],q_x [],q_y [],q_z []\n0,1,2,3,1,0,0,0\n";
    const struct {
        const char *source, *text;
        pm_motion_convert_options options;
        const char *says;
    } cases[] = {{"a.bvh", SOURCE, {.format = PM_MOTION_GLB, .unit_mm = 10}, "glTF are in m"},
                 {"a.bvh", SOURCE, {.format = PM_MOTION_TUM, .unit_mm = 10}, "TUM are in m"},
                 {"a.csv", pose, {.format = PM_MOTION_CSV}, "euroc are in m"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_motion_convert_options options = cases[i].options;
        pm_error error = {.status = PM_OK};
        test_folder_put_text(cases[i].source, cases[i].text);
        SCOPED(pm_motion_destroy) pm_motion *motion = test_open(cases[i].source, NULL);
        options.to_unit_mm = 25.4;
        assert_int_equal(pm_motion_convert(motion, &options, "no", &error), PM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, cases[i].says));
    }
}

TEST(a_resampled_copy_keeps_the_channels) {
    const pm_motion_resample_options options = {.rate = {20, 1}};
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    SCOPED(pm_motion_destroy) pm_motion *copy = NULL;
    test_folder_put_text("a.bvh", SOURCE);
    pm_motion *motion = test_open("a.bvh", NULL);
    expect_success(pm_motion_resample_copy(motion, engine, &options, &copy, NULL, new_error()));
    pm_motion_destroy(&motion); /* the copy stands alone */
    convert(copy, (pm_motion_convert_options){.scale = 2, .decimals = 3}, "b.bvh");
    expect_in_file("b.bvh", "ROOT H{i}ps  two\r\n{\r\n  OFFSET 2 4 6\r\n  CHANNELS 6 Xposition "
                            "Yposition Zposition zROTATION Yrotation Xrotation\r\n");
    expect_in_file("b.bvh", "CHANNELS 4 Xrotation finger Yrotation Zrotation\r\n");
    expect_in_file("b.bvh", "Frames: 5\r\n");
    expect_in_file("b.bvh", "\r\n2.000 4.000 6.000 10.000 20.000 370.000 5.000 0.700 5.000 5.000 "
                            "99.000\r\n");
}

/* Binary formats and back: NPZ has the bits, glTF float32. */
TEST(bvh_files_remain_the_same_through_other_formats) {
    static const struct {
        const char *path;
        double most, digits;
    } formats[] = {{"a.npz", 0, 0}, {"a.glb", 1e-6, 0x1p-24}};
    for (size_t i = 0; i < 2 * TEST_BVH_FILES; i++) {
        char name[64];
        snprintf(name, sizeof name, "bvh/%s", test_bvh_files[i / 2]);
        print_message("%s through %s\n", name, formats[i % 2].path);
        SCOPED(pm_motion_destroy) pm_motion *first = test_open(test_data(name), NULL);
        const pm_motion_convert_options strict = {.strict = true,
                                                  .decimals = 9,
                                                  .to_up = PM_MOTION_UP_KEEP,
                                                  .to_unit_mm = PM_MOTION_UNIT_KEEP};
        convert(first, strict, formats[i % 2].path);
        SCOPED(pm_motion_destroy) pm_motion *other = test_open(formats[i % 2].path, NULL);
        assert_string_equal(left_out, "");
        expect_same_nodes(first, other, 0);
        expect_same_frames(first, other, formats[i % 2].most, formats[i % 2].digits);
        if (i % 2 == 0 || test_frames(first) > 1) {
            convert(other, strict, "b.bvh");
            SCOPED(pm_motion_destroy) pm_motion *last = test_open("b.bvh", NULL);
            assert_string_equal(left_out, "");
            expect_same_nodes(first, last, 1e-9);
            expect_same_frames(first, last, 1e-6, formats[i % 2].digits);
        }
    }
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Rotations of the first of some nodes, with two keys. */
static pm_motion *turning_motion(size_t nodes, size_t channels) {
    pm_motion *motion = hand_motion(nodes, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, channels);
    random_source source = random_start();
    clip->rate = (pm_rational){30, 1};
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = 2, .rate = clip->rate};
    hand_random(motion, clip, 0, PM_MOTION_ROTATION, 0, PM_FLOAT64, &source, 1);
    return motion;
}

/* Of any bytes, but for what would open a joint. */
TEST(names_come_back_from_bvh) {
    static const struct {
        const char *name, *back;
    } cases[] = {{"\x83{\x81[\x83\x93", NULL},
                 {"a{", NULL},
                 {"{", NULL},
                 {"}", NULL},
                 {"{}", NULL},
                 {"a{b}c", NULL},
                 {"x } y", NULL},
                 {"{a} {b}", NULL},
                 {"\xe9\xaa\xa8", NULL},
                 {"Bip01 L Thigh", NULL},
                 {"a { b{OFFSET c", "a _ b_OFFSET c"}};
    SCOPED(pm_motion_destroy) pm_motion *motion = turning_motion(COUNT_OF(cases), 1);
    for (size_t n = 0; n < COUNT_OF(cases); n++)
        hand_node(motion, n)->name = (pm_motion_name){cases[n].name, strlen(cases[n].name)};
    convert(motion, (pm_motion_convert_options){.scale = 0}, "a.bvh");
    SCOPED(pm_motion_destroy) pm_motion *other = test_open("a.bvh", NULL);
    const pm_motion_content *y = pm_motion_get_content(other);
    assert_int_equal(y->node_count, COUNT_OF(cases));
    for (size_t n = 0; n < COUNT_OF(cases); n++)
        assert_string_equal(y->nodes[n].name.text, cases[n].back ? cases[n].back : cases[n].name);
}

/* ---- scales ----------------------------------------------------------------------------------- */

enum { NODES = 9, FRAMES = 5 };

static double drawn_scale(random_source *source) {
    return random_unit(source) < 0.3 ? 1 : exp(random_between(source, -4, 2));
}

/* A channel of scales that do not change but for the last digits of float32. */
static void add_constant_scale(pm_motion *motion, pm_motion_channel *channel, int32_t node,
                               random_source *source) {
    const double value = drawn_scale(source);
    float *keys = motion_allocate(&motion->arena, FRAMES, 3 * sizeof *keys);
    for (size_t i = 0; i < 3 * FRAMES; i++)
        keys[i] = (float)(value * (1 + 5e-7 * (random_unit(source) - 0.5)));
    *channel = (pm_motion_channel){.node = node,
                                   .name = {"", 0},
                                   .path = PM_MOTION_SCALE,
                                   .components = 3,
                                   .keys = {.data = keys, .type = PM_FLOAT32}};
}

/* A tree whose parents may come after their children, with uniform scales everywhere. */
static pm_motion *scaled_motion(random_source *source) {
    static const char *const names[NODES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    pm_motion *motion = hand_motion(NODES, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 2 * NODES);
    size_t order[NODES];
    clip->rate = (pm_rational){30, 1};
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = FRAMES, .rate = clip->rate};
    for (size_t n = 0; n < NODES; n++)
        order[n] = n;
    for (size_t n = NODES; n-- > 1;) {
        const size_t other = random_size(source, 0, n), kept = order[n];
        order[n] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < NODES; i++) {
        pm_motion_node *node = hand_node(motion, order[i]);
        const double scale = drawn_scale(source);
        node->parent = i == 0 ? -1 : (int32_t)order[random_size(source, 0, i - 1)];
        node->name = (pm_motion_name){names[order[i]], 1};
        for (size_t k = 0; k < 3; k++) {
            node->position[k] = random_between(source, -2, 2);
            node->scale[k] = scale;
        }
        random_quaternion(source, node->rotation);
    }
    for (size_t c = 0; c < 2 * NODES; c++) {
        pm_motion_channel *channel = hand_channel(clip, c);
        const int32_t node = (int32_t)(c / 2);
        if (c % 2 == 1 && c % 3 == 0) {
            add_constant_scale(motion, channel, node, source);
            continue;
        }
        *channel = (pm_motion_channel){.node = node,
                                       .name = {"", 0},
                                       .path = c % 2 ? PM_MOTION_POSITION : PM_MOTION_ROTATION,
                                       .components = c % 2 ? 3 : 4};
        hand_keys(motion, clip, channel, source, PM_FLOAT64, 0, 1);
    }
    return motion;
}

TEST(uniform_scales_move_no_joint) {
    static const char *const paths[] = {"a.bvh", "a.npz", "a.glb"};
    random_source source = random_start();
    for (int round = 0; round < 40; round++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = scaled_motion(&source);
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
            convert(motion, (pm_motion_convert_options){.decimals = 9}, paths[i]);
            SCOPED(pm_motion_destroy) pm_motion *other = test_open(paths[i], NULL);
            print_message("%s\n", paths[i]);
            expect_same_world(motion, other, 2e-3, HUGE_VAL);
            assert_null(strstr(left_out, "scale"));
        }
    }
}

/* A joint with a tail below a scaled root. Channel 1 and later ones are for the test to fill. */
static pm_motion *small_arm(const double scale[3], size_t channels) {
    pm_motion *motion = turning_motion(2, channels);
    memcpy(hand_node(motion, 0)->scale, scale, 3 * sizeof *scale);
    hand_node(motion, 0)->name = (pm_motion_name){"a", 1};
    hand_node(motion, 1)->name = (pm_motion_name){"b", 1};
    for (size_t i = 0; i < 3; i++)
        hand_node(motion, 1)->scale[i] = 2;
    hand_node(motion, 0)->position[1] = hand_node(motion, 1)->position[1] = 100;
    hand_node(motion, 1)->has_tail = true;
    hand_node(motion, 1)->tail[1] = 50;
    return motion;
}

/* A file without scales is compared at points as far from its joints as those of the source. */
TEST(comparing_knows_scales_that_a_format_has_lost) {
    static const double hundredth[] = {0.01, 0.01, 0.01};
    SCOPED(pm_motion_destroy) pm_motion *motion = small_arm(hundredth, 1);
    convert(motion, (pm_motion_convert_options){.decimals = 9}, "a.bvh");
    SCOPED(pm_motion_destroy) pm_motion *other = test_open("a.bvh", NULL);
    const pm_motion *const ways[][2] = {{motion, other}, {other, motion}};
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        pm_motion_comparison *comparison = NULL;
        const pm_motion_compare_options options = {.at = 10, .certify = true};
        expect_success(
            pm_motion_compare(ways[i][0], ways[i][1], &options, &comparison, new_error()));
        const pm_motion_differences *d = pm_motion_comparison_get_differences(comparison);
        assert_true(d->at == 10 && d->clip.distance.max < 1e-5 && d->certified_distance < 1e-4);
        pm_motion_comparison_destroy(&comparison);
    }
}

TEST(tails_are_scaled_with_their_joints) {
    static const double hundredth[] = {0.01, 0.01, 0.01};
    SCOPED(pm_motion_destroy) pm_motion *motion = small_arm(hundredth, 1);
    convert(motion, (pm_motion_convert_options){.scale = 0}, "a.bvh");
    expect_in_file("a.bvh", "ROOT a\n{\n\tOFFSET 0 100 0\n");
    expect_in_file("a.bvh", "OFFSET 0 1 0\n");
    expect_in_file("a.bvh", "End Site\n\t\t{\n\t\t\tOFFSET 0 1 0\n"); /* 50 * 0.01 * 2 */
    assert_string_equal(left_out, "");
}

TEST(other_scales_are_left_out_and_said) {
    static const double uneven[] = {0.01, 0.02, 0.01}, hundredth[] = {0.01, 0.01, 0.01};
    static const double growing[] = {0.01, 0.01, 0.01, 0.02, 0.02, 0.02};
    SCOPED(pm_motion_destroy) pm_motion *motion = small_arm(uneven, 1);
    convert(motion, (pm_motion_convert_options){.scale = 0}, "a.bvh");
    assert_string_equal(left_out, "1 scale of a rest pose");
    expect_in_file("a.bvh", "OFFSET 0 100 0\n\t\tCHANNELS");
    pm_motion_destroy(&motion);
    motion = small_arm(hundredth, 2);
    pm_motion_channel *channel =
        (pm_motion_channel *)(uintptr_t)&pm_motion_get_content(motion)->clips[0].channels[1];
    *channel = (pm_motion_channel){.node = 0,
                                   .name = {"", 0},
                                   .path = PM_MOTION_SCALE,
                                   .components = 3,
                                   .keys = {.data = growing, .type = PM_FLOAT64}};
    convert(motion, (pm_motion_convert_options){.scale = 0}, "a.bvh");
    assert_string_equal(left_out, "1 channel of scales");
    expect_in_file("a.bvh",
                   "OFFSET 0 1 0\n"); /* as in the first frame, and not 100 times as long */
}

TEST_GROUP(test_folder_enter, test_folder_leave)
