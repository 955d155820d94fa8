/* SPDX-License-Identifier: MIT
 *
 * Programs set the locale of their user. Files and messages are the same with a decimal comma, and
 * with a decimal point of several bytes. The locales are made from their sources; where these are
 * not installed the tests are skipped.
 */
#define _XOPEN_SOURCE 700

#include <posemill/posemill_motion.h>

#include "support/check.h"
#include "support/motion_files.h"
#include "support/test_folder.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const outputs[] = {"half.bvh",  "half.glb",    "half.gltf", "half.npz",
                                      "fine.bvh",  "fine.glb",    "fine.gltf", "fine.npz",
                                      "page.html", "numbers.json"};
static const char walk_file[] = POSEMILL_SOURCE_DIR "/examples/walk.bvh";
enum { OUTPUTS = COUNT_OF(outputs), MOTIONS = OUTPUTS - 2, WRITTEN = MOTIONS / 2 };

/* Sets a locale, made in the working folder. */
static void enter(const char *name) {
    char command[256], full[64];
    snprintf(full, sizeof full, "%s.UTF-8", name);
    snprintf(command, sizeof command,
             "test -e /usr/share/i18n/locales/%s && { test -e ./%s || "
             "localedef -i %s -f UTF-8 ./%s >localedef.log 2>&1; }",
             name, full, name, full);
    if (system(command) != 0) {
        print_message("the sources of the locale %s are not installed\n", name);
        skip();
    }
    setenv("LOCPATH", ".", 1);
    assert_non_null(setlocale(LC_ALL, full));
    assert_string_not_equal(localeconv()->decimal_point, ".");
}

/* Writes all outputs into the working folder. */
static void write_outputs(void) {
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    SCOPED(pm_motion_destroy) pm_motion *walk = test_open(walk_file, NULL), *fine = NULL;
    const pm_clip_desc curve = {.method = PM_METHOD_SQUAD};
    const pm_motion_resample_options options = {.rate = {95, 2}, .curve = &curve};
    expect_success(pm_motion_resample_copy(walk, engine, &options, &fine, NULL, new_error()));
    for (size_t i = 0; i < MOTIONS; i++) {
        const pm_motion_convert_options half = {.scale = 0.5};
        expect_success(
            pm_motion_convert(i < WRITTEN ? walk : fine, &half, outputs[i], new_error()));
    }
    expect_success(pm_motion_resample(walk, engine, &options, "fine.bvh", NULL, new_error()));
    const pm_motion_compare_options compared = {
        .unit_mm = 12.5, .has_tolerance = true, .tolerance_degrees = 0.25, .tolerance_mm = 1.5};
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *found = NULL;
    expect_success(
        pm_motion_write_page(walk, fine, &compared, NULL, "page.html", &found, new_error()));
    test_folder_put_text("numbers.json", pm_motion_comparison_json(found));
}

static void files_are_the_same_in(const char *name) {
    char *expected[OUTPUTS];
    size_t sizes[OUTPUTS];
    setlocale(LC_ALL, "C");
    write_outputs();
    for (size_t i = 0; i < OUTPUTS; i++)
        expected[i] = test_folder_read(outputs[i], &sizes[i]);
    enter(name);
    write_outputs();
    for (size_t i = 0; i < OUTPUTS; i++) {
        size_t size;
        SCOPED(free_at) char *found = test_folder_read(outputs[i], &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(found, expected[i], size);
        if (i < MOTIONS)
            pm_motion_destroy(&(pm_motion *){test_parse(found, size, NULL)});
        free(expected[i]);
    }
    setlocale(LC_ALL, "C");
}

TEST(files_are_the_same_with_a_decimal_comma) {
    files_are_the_same_in("de_DE");
}

TEST(files_are_the_same_with_a_decimal_point_of_several_bytes) {
    files_are_the_same_in("ps_AF");
}

TEST(messages_are_the_same_and_the_locale_of_the_caller_stays) {
    const float key[4] = {0, 0, 0, 1.5f};
    const pm_timeline timeline = {.key_count = 1, .rate = {1, 1}};
    const pm_clip_desc desc = {
        .track_count = 1, .timelines = &timeline, .rotations = {.data = key}};
    pm_clip *clip = NULL;
    enter("de_DE");
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    expect_error(pm_clip_create(engine, &desc, &clip, new_error()), PM_ERROR_KEY, "1.5");
    SCOPED(pm_motion_destroy) pm_motion *walk = test_open(walk_file, NULL);
    const pm_motion_convert_options bad = {.scale = -0.5};
    expect_error(pm_motion_convert(walk, &bad, "a.bvh", new_error()), PM_ERROR_ARGUMENT, "-0.5");
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

TEST(options_have_a_decimal_point) {
    const pm_motion_option_values *values = NULL;
    pm_motion_options *options = NULL;
    enter("de_DE");
    expect_success(pm_motion_options_create("reduce", &options, new_error()));
    expect_success(pm_motion_options_set(options, "angle", "0.25", new_error()));
    expect_error(pm_motion_options_set(options, "angle", "0,25", new_error()), PM_ERROR_ARGUMENT,
                 "0,25");
    expect_error(pm_motion_options_set(options, "at", "x", new_error()), PM_ERROR_ARGUMENT, "at");
    expect_success(pm_motion_options_get(options, &values, new_error()));
    assert_true(values->reduce->angle == 0.25);
    pm_motion_options_destroy(&options);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

TEST_GROUP(test_folder_enter, test_folder_leave)
