/* SPDX-License-Identifier: MIT
 *
 * Tests of the model of a motion: the rules for channels with small files, how formats are found, and
 * refusals. test_arrays compares BVH files of the data folder with an independent reading.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/base/counts.h"
#include "motion/base/os.h"
#include "motion/open/formats.h"
#include "support/check.h"
#include "support/motion_files.h"
#include "support/motion_truth.h"
#include "support/test_folder.h"

static const pm_motion_read_options plain;

/* The text is copied to memory of its size, so that reading beyond it is found. */
static pm_status try_parse(const char *text, size_t size, const char *name,
                           const pm_motion_read_options *options, pm_motion **motion,
                           pm_error *error) {
    char *copy = test_array(size + !size, 1);
    memcpy(copy, text, size);
    *motion = NULL;
    const pm_status status = pm_motion_parse(copy, size, name, NULL, options, motion, error);
    if (status == PM_OK)
        fail_msg("%s was read", name);
    free(copy);
    return status;
}

static pm_motion *parse(const char *text, size_t size) {
    pm_motion *motion = NULL;
    expect_success(pm_motion_parse(text, size, "small.bvh", NULL, NULL, &motion, new_error()));
    return motion;
}

#define FILE_OF(name, channels, row)                                                               \
    "HIERARCHY\nROOT " name "\n{\nOFFSET 7 8 9\nCHANNELS " channels                                \
    "\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: .0083333\n" row "\n" row    \
    "\n"
#define SMALL FILE_OF("Hips", "1 Xrotation", "30")

TEST(missing_numbers_are_those_of_the_rest_pose) {
    static const char text[] = FILE_OF("Hips", "4 Zposition Yscale Xposition Xscale", "1 2 3 4");
    static const double expected[2][3] = {{3, 8, 1}, {4, 2, 1}};
    SCOPED(pm_motion_destroy) pm_motion *motion = parse(text, strlen(text));
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    assert_int_equal(clip->channel_count, 2);
    for (size_t c = 0; c < 2; c++) {
        assert_int_equal(clip->channels[c].path, c ? PM_MOTION_SCALE : PM_MOTION_POSITION);
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0; i < 3; i++)
                assert_true(truth_number(&clip->channels[c].keys, 3, k, i) == expected[c][i]);
    }
}

TEST(unknown_channels_are_plain_numbers) {
    static const char text[] =
        FILE_OF("Hips", "6 Xposition Yposition Zposition Zoom Xposition Xrotation", "1 2 3 4 5 6");
    SCOPED(pm_motion_destroy) pm_motion *motion = parse(text, strlen(text));
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    assert_int_equal(clip->channel_count, 4);
    for (size_t c = 2; c < 4; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        assert_int_equal(channel->path, PM_MOTION_SCALAR);
        assert_true(channel->always_linear && channel->components == 1 && channel->node == 0);
        assert_string_equal(channel->name.text, c == 2 ? "Zoom" : "Xposition");
        assert_true(truth_number(&channel->keys, 1, 1, 0) == (c == 2 ? 4 : 5));
    }
}

static void expect_parsed(const char *name, pm_motion_read_options options) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    expect_success(
        pm_motion_parse(SMALL, strlen(SMALL), name, NULL, &options, &motion, new_error()));
    assert_int_equal(pm_motion_get_content(motion)->format, PM_MOTION_BVH);
}

static void expect_refused(const char *text, const char *name, pm_motion_read_options options,
                           pm_status status, const char *words) {
    pm_motion *motion;
    expect_error(try_parse(text, strlen(text), name, &options, &motion, new_error()), status,
                 words);
    assert_null(motion);
}

TEST(formats_are_found_by_option_name_and_bytes) {
    expect_parsed("walk.bvh", plain);
    expect_parsed("a.b/walk.BVH", plain);
    expect_parsed("a.glb/walk", plain);
    expect_parsed("", plain);
    expect_parsed(".bvh", plain);
    expect_parsed("walk.npz", (pm_motion_read_options){.format = PM_MOTION_BVH});
    expect_refused(SMALL, "walk.fbx", plain, PM_ERROR_FILE,
                   "walk.fbx: extension 'fbx' is of no motion format");
    expect_refused("HIERARCHX", "walk", plain, PM_ERROR_FILE, "walk: is not of a known motion");
    expect_refused("", "walk", plain, PM_ERROR_FILE, "walk: ");
    expect_refused("HIERARCHY\nROOT a\n{\n", "walk.bvh", plain, PM_ERROR_FILE, "walk.bvh: line 4");
}

TEST(unknown_extensions_are_refused_before_files_are_opened) {
    pm_motion *motion = NULL;
    expect_error(pm_motion_open("no/such/walk.fbx", &plain, &motion, new_error()), PM_ERROR_FILE,
                 "no/such/walk.fbx: extension 'fbx' is of no motion format");
    expect_error(pm_motion_open("no/such/walk", &plain, &motion, new_error()), PM_ERROR_FILE,
                 "no/such/walk: cannot be opened");
    assert_null(motion);
}

TEST(options_with_a_next_are_refused) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    const pm_motion_character *character = NULL;
    pm_motion_read_options read = {.format = PM_MOTION_ANY};
    pm_motion_resample_options resample = {.rate = {30, 1}};
    pm_motion_convert_options convert = {.decimals = 3};
    pm_motion_character_options options = {.skin = 0};
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    expect_next_refused(
        pm_motion_read_options, read, last_error(),
        pm_motion_parse(SMALL, strlen(SMALL), "a.bvh", NULL, &read, &motion, new_error()));
    assert_null(motion);
    expect_success(
        pm_motion_parse(SMALL, strlen(SMALL), "a.bvh", NULL, &read, &motion, new_error()));
    expect_next_refused(
        pm_motion_resample_options, resample, last_error(),
        pm_motion_resample(motion, engine, &resample, "/dev/null", NULL, new_error()));
    expect_next_refused(pm_motion_convert_options, convert, last_error(),
                        pm_motion_convert(motion, &convert, "no-such-folder/a.bvh", new_error()));
    expect_next_refused(pm_motion_character_options, options, last_error(),
                        pm_motion_character_create(motion, &options, &character, new_error()));
    assert_null(character);
}

TEST(observers_with_a_next_are_refused) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    pm_motion_observer observer = {.see = NULL};
    const pm_motion_read_options read = {.observer = &observer};
    const pm_motion_resample_options resample = {.rate = {30, 1}, .observer = &observer};
    const pm_motion_convert_options convert = {.observer = &observer};
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    expect_success(
        pm_motion_parse(SMALL, strlen(SMALL), "a.bvh", NULL, &read, &motion, new_error()));
    pm_motion_destroy(&motion);
    expect_next_refused(
        pm_motion_observer, observer, last_error(),
        pm_motion_parse(SMALL, strlen(SMALL), "a.bvh", NULL, &read, &motion, new_error()));
    assert_null(motion);
    expect_success(
        pm_motion_parse(SMALL, strlen(SMALL), "a.bvh", NULL, &read, &motion, new_error()));
    expect_next_refused(
        pm_motion_observer, observer, last_error(),
        pm_motion_resample(motion, engine, &resample, "/dev/null", NULL, new_error()));
    expect_next_refused(pm_motion_observer, observer, last_error(),
                        pm_motion_convert(motion, &convert, "no-such-folder/a.bvh", new_error()));
}

TEST(wrong_arguments_are_refused) {
    static const pm_rational rates[] = {{1, 0}, {0, 1}, {-1, 1}, {1, -1}};
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    expect_error(pm_motion_parse(NULL, 0, "a", NULL, NULL, &motion, new_error()), PM_ERROR_ARGUMENT,
                 "data is NULL");
    expect_error(pm_motion_parse("", 0, NULL, NULL, NULL, &motion, new_error()), PM_ERROR_ARGUMENT,
                 "name is NULL");
    expect_error(pm_motion_parse("", 0, "a", NULL, NULL, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "motion is NULL");
    expect_error(pm_motion_open(NULL, NULL, &motion, new_error()), PM_ERROR_ARGUMENT,
                 "path is NULL");
    expect_error(pm_motion_open("a", NULL, NULL, new_error()), PM_ERROR_ARGUMENT, "motion is NULL");
    assert_int_equal(pm_motion_open(NULL, NULL, &motion, NULL), PM_ERROR_ARGUMENT);
    for (int i = -1; i <= PM_MOTION_FORMAT_COUNT; i += 1 + PM_MOTION_FORMAT_COUNT)
        expect_refused(SMALL, "a.bvh", (pm_motion_read_options){.format = (pm_motion_format)i},
                       PM_ERROR_ARGUMENT, "format is");
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        expect_refused(SMALL, "a.bvh", (pm_motion_read_options){.source_rate = rates[i]},
                       PM_ERROR_ARGUMENT, "source_rate");
    assert_null(pm_motion_get_content(NULL));
    pm_motion_destroy(NULL);
}

/* Names are bytes, which may be repeated, empty, or not UTF-8. */
TEST(joints_are_found_by_their_exact_names) {
    static const char *const names[] = {"Hips", "hips", "Hips2", "Spine", "", "\xff\x01", "Spine"};
    pm_motion_node nodes[8] = {{.parent = -1}};
    pm_motion motion = {.content = {.nodes = nodes, .node_count = 8}};
    uint32_t found = 99;
    for (size_t n = 0; n < COUNT_OF(names); n++)
        nodes[n].name = (pm_motion_name){names[n], strlen(names[n])};
    nodes[7].name = (pm_motion_name){"Hand\0Left", 9};
    for (uint32_t n = 0; n < COUNT_OF(names); n++) {
        assert_true(pm_motion_find_joint(&motion, names[n], &found));
        assert_int_equal(found, n == 6 ? 3 : n); /* of two, the first */
    }
    found = 99;
    assert_false(pm_motion_find_joint(&motion, "Hip", &found));
    assert_false(pm_motion_find_joint(&motion, "HIPS", &found));
    assert_false(pm_motion_find_joint(&motion, "Hand", &found));
    assert_false(pm_motion_find_joint(NULL, "Hips", &found));
    assert_false(pm_motion_find_joint(&motion, NULL, &found));
    assert_false(pm_motion_find_joint(&motion, "Hips", NULL));
    motion.content.node_count = 0;
    assert_false(pm_motion_find_joint(&motion, "Hips", &found));
    assert_int_equal(found, 99);
}

TEST(files_that_cannot_be_opened_are_named) {
    pm_motion *motion = NULL;
    expect_error(
        pm_motion_open("/nowhere/\x1bwalk.bvh", NULL, &motion, new_error()), PM_ERROR_FILE,
        "/nowhere/\\x1bwalk.bvh: cannot be opened: "); /* as missing, or a name that none has */
    expect_error(pm_motion_open("/", NULL, &motion, new_error()), PM_ERROR_FILE,
                 ": Is a directory");
    assert_null(motion);
}

/* Reads `text` from standard input. */
static pm_status open_stream(const char *text, pm_motion **motion, pm_error *error) {
    int ends[2];
    const int kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(os_write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    const pm_status status = pm_motion_open("-", NULL, motion, error);
    dup2(kept, STDIN_FILENO);
    close(kept);
    return status;
}

TEST(standard_input_is_read_and_named) {
    pm_motion *motion = NULL;
    expect_success(open_stream(SMALL, &motion, new_error()));
    assert_int_equal(pm_motion_get_content(motion)->node_count, 1);
    pm_motion_destroy(&motion);
    expect_error(open_stream("HIERARCHY\nROOT a\n{\n", &motion, new_error()), PM_ERROR_FILE,
                 "standard input: line 4");
    assert_null(motion);
}
