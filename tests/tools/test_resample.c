/* SPDX-License-Identifier: MIT
 *
 * Tests of resampling motion files: sample positions, the meaning of channels, and complete files
 * on the reference path. The curves are tested elsewhere.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "commands/resample_run.h"
#include "motion/bvh/bvh_pose.h"
#include "motion/time/resample_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the grid ------------------------------------------------------------------------ */

static resample_grid grid_of(pm_rational source, pm_rational rate, uint64_t frames) {
    resample_span span;
    resample_grid grid;

    memset(&span, 0, sizeof span);
    memset(&grid, 0xff, sizeof grid);
    span.source_rate = source;
    span.rate = rate;
    span.frame_count = frames;
    assert_null(resample_grid_make(&span, &grid));
    return grid;
}

static void the_last_sample_is_the_last_multiple_that_fits(void **state) {
    (void)state;
    assert_int_equal(grid_of((pm_rational){120, 1}, (pm_rational){240, 1}, 4511).count, 9021);
    assert_int_equal(grid_of((pm_rational){120, 1}, (pm_rational){30, 1}, 4511).count, 1128);
    assert_int_equal(grid_of((pm_rational){120, 1}, (pm_rational){120, 1}, 4511).count, 4511);
    assert_int_equal(grid_of((pm_rational){30, 1}, (pm_rational){25, 1}, 4).count, 3);
    assert_int_equal(grid_of((pm_rational){30, 1}, (pm_rational){60, 1}, 1).count, 1);
}

static void include_adds_the_end_where_no_multiple_falls_on_it(void **state) {
    resample_span span = {{30, 1}, {25, 1}, 4, {0, 0}, {0, 0}, RESAMPLE_END_INCLUDE, 0};
    resample_grid grid;
    resample_position end;

    (void)state;
    assert_null(resample_grid_make(&span, &grid));
    assert_int_equal(grid.count, 3);
    assert_true(grid.extra);
    end = resample_position_end(&grid, span.source_rate);
    assert_int_equal(end.frame, 3);
    assert_int_equal(end.remainder, 0);
    span.rate.num = 60;
    assert_null(resample_grid_make(&span, &grid));
    assert_int_equal(grid.count, 7);
    assert_false(grid.extra);
}

static void samples_on_source_frames_are_found_exactly(void **state) {
    enum { FRAMES = 1296000 }; /* 3 hours at 120 Hz, by 1001/1000 */
    resample_grid grid = grid_of((pm_rational){120, 1}, (pm_rational){120120, 1000}, FRAMES);
    resample_position cursor = resample_position_at(&grid, 0);
    uint64_t k, hits = 0;

    (void)state;
    for (k = 0; k < grid.count; k++) {
        if (cursor.remainder == 0) {
            assert_int_equal(k % 1001, 0);
            assert_int_equal(cursor.frame, k / 1001 * 1000);
            hits++;
        }
        resample_position_step(&grid, &cursor);
    }
    assert_int_equal(hits, (FRAMES - 1) / 1000 + 1);
}

static void positions_are_those_of_the_steps_to_them(void **state) {
    const resample_grid grids[] = {
        grid_of((pm_rational){120, 1}, (pm_rational){30, 1}, 4001),
        grid_of((pm_rational){30, 1}, (pm_rational){47, 1}, 4001),
        grid_of((pm_rational){30000, 1001}, (pm_rational){120, 1}, 4001)};

    (void)state;
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
        resample_position cursor = resample_position_at(&grids[g], 0);
        for (uint64_t k = 0; k < grids[g].count; k++) {
            const resample_position at = resample_position_at(&grids[g], k);
            assert_int_equal(at.frame, cursor.frame);
            assert_int_equal(at.remainder, cursor.remainder);
            resample_position_step(&grids[g], &cursor);
        }
    }
}

static void start_and_end_cut(void **state) {
    resample_span span = {{30, 1}, {60, 1}, 31, {1, 10}, {1, 2}, RESAMPLE_END_FIT, 0};
    resample_grid grid;
    resample_position cursor;

    (void)state;
    assert_null(resample_grid_make(&span, &grid));
    assert_int_equal(grid.count, 25);
    cursor = resample_position_at(&grid, 0);
    assert_int_equal(cursor.frame, 3);
    assert_int_equal(cursor.remainder, 0);
    span.end = (pm_rational){2, 1};
    assert_string_equal(resample_grid_make(&span, &grid), "--end is after the last frame");
    span.end = (pm_rational){1, 20};
    assert_string_equal(resample_grid_make(&span, &grid), "--start is after --end");
    span.start = (pm_rational){2, 1};
    span.end = (pm_rational){0, 0};
    assert_string_equal(resample_grid_make(&span, &grid), "--start is after the last frame");
}

static void an_open_loop_ends_before_its_first_frame_comes_again(void **state) {
    resample_span span = {{30, 1}, {60, 1}, 30, {0, 0}, {0, 0}, RESAMPLE_END_FIT, 1.0};
    resample_grid grid;

    (void)state;
    assert_null(resample_grid_make(&span, &grid));
    assert_int_equal(grid.count, 60);
    span.frame_count = 31; /* the last frame closes the loop */
    assert_null(resample_grid_make(&span, &grid));
    assert_int_equal(grid.count, 61);
}

static void rates_with_too_many_digits_are_refused(void **state) {
    resample_span span = {{1000000007, 1000000009},
                          {1000000021, 1000000033},
                          10,
                          {0, 0},
                          {0, 0},
                          RESAMPLE_END_FIT,
                          0};
    resample_grid grid;

    (void)state;
    assert_null(resample_grid_make(&span, &grid));
    span.start = (pm_rational){1, 1000000087};
    assert_non_null(strstr(resample_grid_make(&span, &grid), "too many digits"));
}

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
    bvh *model = model_of(channels, rows);
    pose_plan plan;
    double keys[64], row[16];
    const double *none[2] = {NULL, NULL};
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
    pose_plan_release(&plan);
    bvh_free(&model);
}

static void every_number_of_rotation_channels_comes_back(void **state) {
    (void)state;
    check_there_and_back("3 Zrotation Yrotation Xrotation", "10 20 30\n100 -60 65\n190 -70 99\n",
                         1e-4);
    check_there_and_back("3 Yrotation Xrotation Yrotation", "10 20 30\n70 60 95\n190 70 99\n",
                         1e-4);
    check_there_and_back("2 Xrotation Zrotation", "10 20\n-100 40\n-200 50\n", 1e-4);
    check_there_and_back("1 Yrotation", "10\n170\n340\n", 1e-4);
}

static void values_beyond_a_turn_are_followed(void **state) {
    (void)state;
    check_there_and_back("1 Xrotation", "350\n500\n670\n", 1e-3);
    check_there_and_back("3 Xrotation Yrotation Zrotation", "350 0 720\n500 10 720\n670 20 730\n",
                         1e-3);
}

static void rotation_order_is_that_of_the_channels(void **state) {
    bvh *model = model_of("3 Zrotation Xrotation Yrotation", "90 90 0\n");
    pose_plan plan;
    double key[4];

    (void)state;
    assert_int_equal(pose_plan_make(&plan, model, NULL), PM_OK);
    pose_rotation_keys(&plan, key);
    /* qz * qx of quarter turns, computed by hand. */
    assert_true(fabs(key[0] - 0.5) < 1e-15 && fabs(key[1] - 0.5) < 1e-15 &&
                fabs(key[2] - 0.5) < 1e-15 && fabs(key[3] - 0.5) < 1e-15);
    pose_plan_release(&plan);
    bvh_free(&model);
}

static void vectors_and_plain_channels_are_mapped(void **state) {
    bvh *model = model_of("7 Zposition grip Xscale Xposition fist Yposition Xposition",
                          "1 2 3 4 5 6 7\n2 4 6 8 10 12 14\n");
    pose_plan plan;
    double row[7] = {0};
    const double vectors[6] = {4.5, 6, 1, 3, 0, 0}, plains[3] = {3, 7, 10};
    const pose_sample sample = {.vectors = vectors, .plains = plains};
    const double *none[2] = {NULL, NULL};

    (void)state;
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
    pose_plan_release(&plan);
    bvh_free(&model);
}

static void rotations_that_are_no_euler_order_are_refused(void **state) {
    static const char *const channels[] = {"2 Xrotation Xrotation",
                                           "3 Xrotation Yrotation Yrotation",
                                           "4 Xrotation Yrotation Zrotation Xrotation"};
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        bvh *model = model_of(channels[i], i == 0 ? "1 2\n" : i == 1 ? "1 2 3\n" : "1 2 3 4\n");
        pose_plan plan;
        assert_int_equal(pose_plan_make(&plan, model, NULL), PM_ERROR_FILE);
        pose_plan_release(&plan);
        bvh_free(&model);
    }
}

/* ---- whole files on the reference path --------------------------------------------------- */

static char folder[] = "/tmp/posemill-test-resample-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    static const char *const names[] = {
        "in.bvh",        "out.bvh", "other.bvh", "out/in.bvh", "out/.posemill/records-0.jsonl",
        "out/.posemill", "out"};
    char path[128];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char paths[4][128];
    static int turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Runs the command with its arguments in one string. */
static int run(const char *format, ...) {
    char line[2048];
    char *argv[40];
    int argc = 0;
    va_list arguments;
    char *word;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return cmd_resample(argc, argv);
}

static bvh *load(const char *path, char **data) {
    static const pm_motion_read_options options;
    size_t size = 0;
    bvh *model = NULL;

    assert_int_equal(cli_read_file(path, &bvh_kind, data, &size), CLI_DONE);
    const motion_input input = {.data = *data, .size = size, .options = &options};
    assert_int_equal(bvh_parse(&input, &model, NULL), PM_OK);
    return model;
}

#define SMALL                                                                                      \
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation " \
    "Yrotation Xrotation\n JOINT Arm\n {\n  OFFSET 1 0 0\n  CHANNELS 3 Zrotation Xrotation "       \
    "Yrotation\n  End Site\n  {\n   OFFSET 1 0 0\n  }\n }\n}\nMOTION\n"
#define SMALL_ROWS                                                                                 \
    "Frames: 4\nFrame Time: .033333\n"                                                             \
    "0 1 0 0 0 0 5.5 0 0\n100 1.0 0 40 0 0 5.5 0 0\n200 1 1e-3 80 0 0 5.5 90 0\n"                  \
    "300 1 0 120 0 0 5.5 180 0\n"

static void the_same_rate_gives_the_same_digits(void **state) {
    char *data;
    size_t size;

    (void)state;
    put_file(in_folder("in.bvh"), SMALL SMALL_ROWS);
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate x1", in_folder("in.bvh"),
                         in_folder("out.bvh")),
                     CLI_DONE);
    assert_int_equal(cli_read_file(in_folder("out.bvh"), &bvh_kind, &data, &size), CLI_DONE);
    assert_string_equal(data, SMALL "Frames: 4\nFrame Time: 0.0333333333\n"
                                    "0 1 0 0 0 0 5.5 0 0\n100 1.0 0 40 0 0 5.5 0 0\n"
                                    "200 1 1e-3 80 0 0 5.5 90 0\n300 1 0 120 0 0 5.5 180 0\n");
    free(data);
}

static void twice_the_rate_keeps_every_row_and_goes_half_way_between(void **state) {
    char *data;
    bvh *model;

    (void)state;
    put_file(in_folder("in.bvh"), SMALL SMALL_ROWS);
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate 60", in_folder("in.bvh"),
                         in_folder("out.bvh")),
                     CLI_DONE);
    model = load(in_folder("out.bvh"), &data);
    assert_int_equal(model->frame_count, 7);
    assert_int_equal(model->rate.num, 60);
    assert_non_null(strstr(data, "\n200 1 1e-3 80 0 0 5.5 90 0\n"));
    assert_true(fabs(model->values[9 + 0] - 50) < 1e-4);
    assert_true(fabs(model->values[9 + 3] - 20) < 1e-4);
    assert_true(fabs(model->values[5 * 9 + 3] - 100) < 1e-4);
    assert_true(fabs(model->values[3 * 9 + 7] - 45) < 1e-4);
    /* A value that is equal in both rows keeps its digits. */
    assert_non_null(strstr(data, "\n50.000000 1.000000 0.000000 20.000"));
    assert_non_null(strstr(data, " 5.500000 0.000000 0.000000\n"));
    bvh_free(&model);
    free(data);
}

static void trimming_drops_frames_before_anything_else(void **state) {
    char *data;
    bvh *model;

    (void)state;
    put_file(in_folder("in.bvh"), SMALL SMALL_ROWS);
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate /2 --trim-start 1",
                         in_folder("in.bvh"), in_folder("out.bvh")),
                     CLI_DONE);
    model = load(in_folder("out.bvh"), &data);
    assert_int_equal(model->frame_count, 2);
    assert_true(model->values[0] == 100 && model->values[9] == 300);
    bvh_free(&model);
    free(data);
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate /2 --trim-start 4",
                         in_folder("in.bvh"), in_folder("other.bvh")),
                     CLI_BAD_INPUT);
    assert_int_equal(access(in_folder("other.bvh"), F_OK), -1);
}

static void one_frame_is_a_constant_motion(void **state) {
    char *data;
    bvh *model;

    (void)state;
    put_file(in_folder("in.bvh"), SMALL "Frames: 1\nFrame Time: 0.04\n1 2 3 4 5 6 7 8 9\n");
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate 100", in_folder("in.bvh"),
                         in_folder("out.bvh")),
                     CLI_DONE);
    model = load(in_folder("out.bvh"), &data);
    assert_int_equal(model->frame_count, 1);
    assert_true(model->values[8] == 9);
    bvh_free(&model);
    free(data);
}

static void a_loop_must_close_or_have_time_to_close(void **state) {
    char *data;
    bvh *model;

    (void)state;
    put_file(in_folder("in.bvh"), SMALL SMALL_ROWS);
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate 60 --loop 1/10",
                         in_folder("in.bvh"), in_folder("other.bvh")),
                     CLI_BAD_INPUT);
    assert_int_equal(access(in_folder("other.bvh"), F_OK), -1);
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate 60 --loop 2/15",
                         in_folder("in.bvh"), in_folder("out.bvh")),
                     CLI_DONE);
    model = load(in_folder("out.bvh"), &data);
    assert_int_equal(model->frame_count, 8);
    assert_true(fabs(model->values[(size_t)7 * 9] - 150) < 1e-3); /* midway from 300 back to 0 */
    bvh_free(&model);
    free(data);
}

static void a_batch_with_one_bad_file_does_the_rest(void **state) {
    (void)state;
    put_file(in_folder("in.bvh"), SMALL SMALL_ROWS);
    put_file(in_folder("other.bvh"), "HIERARCHY\n");
    assert_int_equal(run("resample --quiet --device none %s %s --out-dir %s --rate 60",
                         in_folder("other.bvh"), in_folder("in.bvh"), in_folder("out")),
                     CLI_PARTIAL);
    assert_int_equal(access(in_folder("out/in.bvh"), R_OK), 0);
    assert_int_equal(access(in_folder("out/other.bvh"), F_OK), -1);
}

static void a_batch_never_overwrites_its_sources_or_itself(void **state) {
    char *data;
    size_t size;

    (void)state;
    put_file(in_folder("in.bvh"), SMALL SMALL_ROWS);
    assert_int_equal(run("resample --quiet --device none %s --out-dir %s --rate 60",
                         in_folder("in.bvh"), folder),
                     CLI_CANNOT_WRITE);
    assert_int_equal(cli_read_file(in_folder("in.bvh"), &bvh_kind, &data, &size), CLI_DONE);
    assert_string_equal(data, SMALL SMALL_ROWS);
    free(data);
    assert_int_equal(run("resample --quiet --device none %s %s --out-dir %s --rate 60",
                         in_folder("in.bvh"), in_folder("in.bvh"), in_folder("out")),
                     CLI_USAGE);
}

static void usage_is_checked_before_any_file(void **state) {
    static const char *const lines[] = {
        "resample --device none -o /dev/null --rate 60",
        "resample --device none in.bvh -o /dev/null",
        "resample --device none in.bvh --rate 60",
        "resample --device none in.bvh -o a --out-dir b --rate 60",
        "resample --device none in.bvh two.bvh -o a --rate 60",
        "resample --device none in.bvh -o a --rate 0",
        "resample --device none in.bvh -o a --rate 60 --end-rule loose",
        "resample --device none in.bvh -o a --rate 60 --nan zero",
        "resample --device none in.bvh -o a --rate 60 --start -1",
        "resample --device none in.bvh -o a --rate 60 --decimals 40",
        "resample --device none in.bvh -o a --rate 60 --bvh-position up",
        "resample --device none in.bvh -o - --rate 60 --json",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        print_message("%s\n", lines[i]);
        assert_int_equal(run("%s", lines[i]), CLI_USAGE);
    }
}

static void other_formats_are_refused(void **state) {
    (void)state;
    assert_int_equal(run("resample --device none walk.glb -o a.glb --rate 60"), CLI_BAD_INPUT);
    assert_int_equal(run("resample --device none walk -o a --rate 60"), CLI_BAD_INPUT);
    assert_int_equal(run("resample --device none no-such-file.bvh -o a --rate 60"), CLI_BAD_INPUT);
}

/* ---- the data folder --------------------------------------------------------------------- */

static const char *data_path(const char *name) {
    static char path[1024];
    const char *root = getenv("POSEMILL_DATA");

    snprintf(path, sizeof path, "%s/bvh/%s", root ? root : POSEMILL_SOURCE_DIR "/../shared/data",
             name);
    if (access(path, R_OK) != 0) {
        print_message("%s is not there\n", path);
        skip();
    }
    return path;
}

static const char *const real_files[] = {"cmu_01_01.bvh",
                                         "cmu_01_03.bvh",
                                         "cmu_12_01_walk_mixed_eol.bvh",
                                         "cmu_jumping_jacks_3dsmax.bvh",
                                         "freebvh_mixamorig.bvh",
                                         "makehuman_benchmark_mixed_6_3ch.bvh",
                                         "makehuman_face_poseunits.bvh",
                                         "makehuman_walk1.bvh",
                                         "max_walk01_exp3digits.bvh",
                                         "mocapbank.bvh",
                                         "pybvh_test1_mixed_orders.bvh",
                                         "pybvh_test3_hands_crlf.bvh",
                                         "rokoko_jesse_dance.bvh"};

static void check_multiple(const char *name, size_t factor) {
    char *source_data, *data;
    bvh *source, *model;
    size_t frame, channels;

    assert_int_equal(run("resample --quiet --device none %s -o %s --rate x%zu", data_path(name),
                         in_folder("out.bvh"), factor),
                     CLI_DONE);
    source = load(data_path(name), &source_data);
    model = load(in_folder("out.bvh"), &data);
    channels = source->channel_count;
    assert_int_equal(model->channel_count, channels);
    assert_int_equal(model->frame_count, (source->frame_count - 1) * factor + 1);
    for (frame = 0; frame < source->frame_count; frame++)
        assert_memory_equal(model->values + frame * factor * channels,
                            source->values + frame * channels, channels * sizeof(double));
    bvh_free(&source);
    bvh_free(&model);
    free(source_data);
    free(data);
}

static void real_files_at_their_own_rate_keep_their_values(void **state) {
    size_t i;

    (void)state;
    for (i = 0; i < sizeof real_files / sizeof real_files[0]; i++)
        check_multiple(real_files[i], 1);
}

static void real_files_at_twice_their_rate_keep_every_source_row(void **state) {
    size_t i;

    (void)state;
    for (i = 0; i < sizeof real_files / sizeof real_files[0]; i++)
        check_multiple(real_files[i], 2);
}

/* Between two rows a rotation stays on the arc that joins them: its halves add up. */
static void samples_between_rows_lie_half_way_as_rotations(void **state) {
    char *data;
    bvh *model;
    pose_plan plan;
    double *keys;
    size_t frame, i;

    (void)state;
    assert_int_equal(run("resample --quiet --device none %s -o %s --rate x2",
                         data_path("cmu_12_01_walk_mixed_eol.bvh"), in_folder("out.bvh")),
                     CLI_DONE);
    model = load(in_folder("out.bvh"), &data);
    assert_int_equal(pose_plan_make(&plan, model, NULL), PM_OK);
    keys = malloc(model->frame_count * plan.rotation_count * 4 * sizeof *keys);
    assert_non_null(keys);
    pose_rotation_keys(&plan, keys);
    for (frame = 0; frame + 2 < model->frame_count; frame += 2) {
        for (i = 0; i < plan.rotation_count; i++) {
            const double *a = keys + 4 * (frame * plan.rotation_count + i);
            const double *m = a + 4 * plan.rotation_count, *b = m + 4 * plan.rotation_count;
            double ab = 0, am = 0, mb = 0, norm = 0;
            int n;
            for (n = 0; n < 4; n++) {
                ab += a[n] * b[n];
                am += a[n] * m[n];
                mb += m[n] * b[n];
                norm += a[n] * a[n];
            }
            assert_true(fabs(norm - 1) < 1e-12);
            assert_true(fabs(fabs(am) - fabs(mb)) < 2e-6);
            /* cosine of half the arc, from that of the whole arc */
            assert_true(fabs(fabs(am) - sqrt(0.5 * (1 + fabs(ab)))) < 2e-6);
        }
    }
    pose_plan_release(&plan);
    bvh_free(&model);
    free(keys);
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_sample_is_the_last_multiple_that_fits),
        cmocka_unit_test(include_adds_the_end_where_no_multiple_falls_on_it),
        cmocka_unit_test(samples_on_source_frames_are_found_exactly),
        cmocka_unit_test(positions_are_those_of_the_steps_to_them),
        cmocka_unit_test(start_and_end_cut),
        cmocka_unit_test(an_open_loop_ends_before_its_first_frame_comes_again),
        cmocka_unit_test(rates_with_too_many_digits_are_refused),
        cmocka_unit_test(every_number_of_rotation_channels_comes_back),
        cmocka_unit_test(values_beyond_a_turn_are_followed),
        cmocka_unit_test(rotation_order_is_that_of_the_channels),
        cmocka_unit_test(vectors_and_plain_channels_are_mapped),
        cmocka_unit_test(rotations_that_are_no_euler_order_are_refused),
        cmocka_unit_test(the_same_rate_gives_the_same_digits),
        cmocka_unit_test(twice_the_rate_keeps_every_row_and_goes_half_way_between),
        cmocka_unit_test(trimming_drops_frames_before_anything_else),
        cmocka_unit_test(one_frame_is_a_constant_motion),
        cmocka_unit_test(a_loop_must_close_or_have_time_to_close),
        cmocka_unit_test(a_batch_with_one_bad_file_does_the_rest),
        cmocka_unit_test(a_batch_never_overwrites_its_sources_or_itself),
        cmocka_unit_test(usage_is_checked_before_any_file),
        cmocka_unit_test(other_formats_are_refused),
        cmocka_unit_test(real_files_at_their_own_rate_keep_their_values),
        cmocka_unit_test(real_files_at_twice_their_rate_keep_every_source_row),
        cmocka_unit_test(samples_between_rows_lie_half_way_as_rotations),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
