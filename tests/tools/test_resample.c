/* SPDX-License-Identifier: MIT
 *
 * Tests of resampling motion files: sample positions, the meaning of channels, and complete files
 * on the reference path. The curves are tested elsewhere.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands/commands.h"
#include "commands/resample_run.h"
#include "motion/bvh/bvh_pose.h"
#include "support/motion_files.h"
#include "support/test_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- channels -------------------------------------------------------------------------- */

static const char head[] = "\nMOTION\nFrames: 3\nFrame Time: 0.02\n";

static bvh *model_of(const char *channels, const char *rows) {
    static const pm_motion_read_options options;
    static char text[4096];
    bvh *model = NULL;
    snprintf(text, sizeof text,
             "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS %s\nJOINT b\n{\nOFFSET 0 0 3\n}\n}%s%s",
             channels, head, rows);
    cli_quiet = true;
    const motion_input input = {.data = text, .size = strlen(text), .options = &options};
    assert_int_equal(bvh_parse(&input, &model, NULL), PM_OK);
    return model;
}

/* Converts the keys of all frames, rounded to float32 like a sample at a key, back to rows. */
static void check_there_and_back(const char *channels, const char *rows, double tolerance) {
    SCOPED(bvh_free) bvh *model = model_of(channels, rows);
    SCOPED(pose_plan_release) pose_plan plan;
    double keys[64], row[16];
    const bool none[1] = {false};
    double samples[64];
    size_t frame, i;
    assert_int_equal(pose_plan_make(&plan, model, NULL), PM_OK);
    assert_int_equal(plan.rotation_count, 1);
    pose_rotation_keys(&plan, keys);
    memcpy(row, model->values, model->channel_count * sizeof *row);
    for (frame = 0; frame < model->frame_count; frame++) {
        for (i = 0; i < 4; i++)
            samples[i] = (double)(float)keys[4 * frame + i];
        const pose_sample sample = {.rotations = samples};
        assert_int_equal(pose_to_row(&plan, &sample, none, 0, row, NULL), PM_OK);
        for (i = 0; i < model->channel_count; i++)
            assert_true(fabs(row[i] - model->values[frame * model->channel_count + i]) < tolerance);
    }
}

TEST(every_number_of_rotation_channels_comes_back) {
    static const char three[] = "3 Zrotation Yrotation Xrotation";
    check_there_and_back(three, "10 20 30\n100 -60 65\n190 -70 99\n", 1e-4);
    check_there_and_back("3 Yrotation Xrotation Yrotation", "10 20 30\n70 60 95\n190 70 99\n",
                         1e-4);
    check_there_and_back("2 Xrotation Zrotation", "10 20\n-100 40\n-200 50\n", 1e-4);
    check_there_and_back("1 Yrotation", "10\n170\n340\n", 1e-4);
    check_there_and_back("1 Xrotation", "350\n500\n670\n", 1e-3); /* beyond a turn */
    check_there_and_back("3 Xrotation Yrotation Zrotation", "350 0 720\n500 10 720\n670 20 730\n",
                         1e-3);
}

TEST(vectors_and_plain_channels_are_mapped) {
    SCOPED(bvh_free)
    bvh *model = model_of("7 Zposition grip Xscale Xposition fist Yposition Xposition",
                          "1 2 3 4 5 6 7\n2 4 6 8 10 12 14\n");
    SCOPED(pose_plan_release) pose_plan plan;
    double row[7] = {0};
    const double vectors[6] = {4.5, 6, 1, 3, 0, 0}, plains[3] = {3, 7, 10};
    const pose_sample sample = {.vectors = vectors, .plains = plains};
    const bool none[1] = {false};
    assert_int_equal(pose_plan_make(&plan, model, NULL), PM_OK);
    assert_int_equal(plan.rotation_count, 0);
    assert_int_equal(plan.vector_count, 2);
    assert_int_equal(plan.plain_count, 3); /* grip, fist, and the second Xposition */
    assert_true(plan.plains[0] == 1 && plan.plains[1] == 4 && plan.plains[2] == 6);
    assert_true(plan.vectors[0].channel[0] == 3 && plan.vectors[0].channel[1] == 5 &&
                plan.vectors[0].channel[2] == 0);
    assert_true(plan.vectors[1].is_scale && plan.vectors[1].channel[0] == 2 &&
                plan.vectors[1].channel[1] == POSE_NO_CHANNEL);
    assert_int_equal(pose_to_row(&plan, &sample, none, 0, row, NULL), PM_OK);
    assert_true(row[0] == 1 && row[2] == 3 && row[3] == 4.5 && row[5] == 6);
    assert_true(row[1] == 3 && row[4] == 7 && row[6] == 10);
}

TEST(rotations_that_are_no_euler_order_are_refused) {
    static const char *const channels[] = {"2 Xrotation Xrotation",
                                           "3 Xrotation Yrotation Yrotation",
                                           "4 Xrotation Yrotation Zrotation Xrotation"};
    for (size_t i = 0; i < 3; i++) {
        SCOPED(bvh_free)
        bvh *model = model_of(channels[i], i == 0 ? "1 2\n" : i == 1 ? "1 2 3\n" : "1 2 3 4\n");
        SCOPED(pose_plan_release) pose_plan plan;
        assert_int_equal(pose_plan_make(&plan, model, NULL), PM_ERROR_FILE);
    }
}

#define SMALL                                                                                      \
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation " \
    "Yrotation Xrotation\n JOINT Arm\n {\n  OFFSET 1 0 0\n  CHANNELS 3 Zrotation Xrotation "       \
    "Yrotation\n  End Site\n  {\n   OFFSET 1 0 0\n  }\n }\n}\nMOTION\n"
#define SMALL_ROWS                                                                                 \
    "Frames: 4\nFrame Time: .033333\n"                                                             \
    "0 1 0 0 0 0 5.5 0 0\n100 1.0 0 40 0 0 5.5 0 0\n200 1 1e-3 80 0 0 5.5 90 0\n"                  \
    "300 1 0 120 0 0 5.5 180 0\n"

/* ---- whole files on the reference path --------------------------------------------------- */

static int enter(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("in.bvh", SMALL SMALL_ROWS);
    test_folder_put_text("one.bvh", SMALL "Frames: 1\nFrame Time: 0.04\n1 2 3 4 5 6 7 8 9\n");
    return failed;
}

/* Runs the command with its arguments in one string. */
static int run(const char *format, ...) {
    char line[2048];
    char *argv[40];
    int argc = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return command_main(&command_resample, argc, argv);
}

static bvh *load(const char *path, char **data) {
    static const pm_motion_read_options options;
    size_t size = 0;
    bvh *model = NULL;
    *data = test_folder_read(path, &size);
    const motion_input input = {.data = *data, .size = size, .options = &options};
    assert_int_equal(bvh_parse(&input, &model, NULL), PM_OK);
    return model;
}

/* Values of nine columns, and what the text has. */
TEST(samples_are_the_rows_and_lie_between_them) {
    static const struct {
        const char *words;
        size_t frames;
        struct {
            size_t at;
            double value;
        } values[4];
        const char *texts[3];
    } cases[] = {
        {"in.bvh --rate 60",
         7,
         {{9, 50}, {9 + 3, 20}, {5 * 9 + 3, 100}, {3 * 9 + 7, 45}},
         /* A value that is equal in both rows keeps its digits. */
         {"\n200 1 1e-3 80 0 0 5.5 90 0\n", "\n50.000000 1.000000 0.000000 20.000",
          " 5.500000 0.000000 0.000000\n"}},
        {"in.bvh --rate /2 --trim-start 1", 2, {{0, 100}, {9, 300}}, {NULL}},
        {"one.bvh --rate 100", 1, {{8, 9}}, {NULL}},
        {"in.bvh --rate 60 --loop 2/15", 8, {{7 * 9, 150}}, {NULL}}, /* from 300 back to 0 */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(free_at) char *data;
        print_message("%s\n", cases[i].words);
        assert_int_equal(
            run("resample --quiet --device none --overwrite -o out.bvh %s", cases[i].words),
            CLI_DONE);
        SCOPED(bvh_free) bvh *model = load("out.bvh", &data);
        assert_int_equal(model->frame_count, cases[i].frames);
        for (size_t k = 0; k < 4; k++)
            if (cases[i].values[k].value != 0)
                assert_true(fabs(model->values[cases[i].values[k].at] - cases[i].values[k].value) <
                            1e-4);
        for (size_t k = 0; k < 3 && cases[i].texts[k]; k++)
            assert_non_null(strstr(data, cases[i].texts[k]));
    }
}

TEST(what_cannot_be_done_leaves_no_file) {
    static const struct {
        const char *words;
        int code;
    } cases[] = {
        {"in.bvh -o none.bvh --rate /2 --trim-start 4", CLI_BAD_INPUT},
        {"in.bvh -o none.bvh --rate 60 --loop 1/10", CLI_BAD_INPUT}, /* neither closed nor open */
        {"walk.glb -o none.bvh --rate 60", CLI_BAD_INPUT},
        {"walk -o none.bvh --rate 60", CLI_BAD_INPUT},
        {"no-such-file.bvh -o none.bvh --rate 60", CLI_BAD_INPUT},
        {"-o none.bvh --rate 60", CLI_USAGE},
        {"in.bvh -o none.bvh", CLI_USAGE},
        {"in.bvh --rate 60", CLI_USAGE},
        {"in.bvh -o none.bvh --out-dir b --rate 60", CLI_USAGE},
        {"in.bvh two.bvh -o none.bvh --rate 60", CLI_USAGE},
        {"in.bvh -o none.bvh --rate 0", CLI_USAGE},
        {"in.bvh -o - --rate 60 --json", CLI_USAGE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("%s\n", cases[i].words);
        assert_int_equal(run("resample --device none %s", cases[i].words), cases[i].code);
        assert_int_equal(access("none.bvh", F_OK), -1);
    }
}

TEST_GROUP(enter, test_folder_leave)
