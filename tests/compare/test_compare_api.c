/* SPDX-License-Identifier: MIT
 *
 * Comparisons and pages by the public functions: what they give, and what they refuse. The numbers
 * themselves are checked by test_compare.py, against NumPy.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include "motion/base/os.h"
#include "support/check.h"
#include "support/short_take.h"
#include "support/test_folder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pm_motion *a, *b, *giant;

/* A figure of 504 units, which is as tall as people in no usual unit. */
static bool read_giant(void) {
    const pm_motion_convert_options taller = {.scale = 3};
    SCOPED(pm_motion_destroy) pm_motion *walk = NULL;
    const bool done =
        pm_motion_open(POSEMILL_SOURCE_DIR "/examples/walk.bvh", NULL, &walk, NULL) == PM_OK &&
        pm_motion_convert(walk, &taller, "giant.bvh", NULL) == PM_OK &&
        pm_motion_open("giant.bvh", NULL, &giant, NULL) == PM_OK;
    return done;
}

/* B differs from A in one angle of the second frame. */
static int read_takes(void **state) {
    static char other[1024];
    const int failed = test_folder_enter(state);
    snprintf(other, sizeof other, "%s", short_take);
    memcpy(strstr(other, "1 81 0 5 "), "1 81 0 7 ", 9);
    const bool done =
        pm_motion_parse(short_take, strlen(short_take), "a.bvh", NULL, NULL, &a, NULL) == PM_OK &&
        pm_motion_parse(other, strlen(other), "b.bvh", NULL, NULL, &b, NULL) == PM_OK;
    return failed == 0 && done && read_giant() ? 0 : -1;
}

static int destroy_takes(void **state) {
    pm_motion_destroy(&a);
    pm_motion_destroy(&b);
    pm_motion_destroy(&giant);
    return test_folder_leave(state);
}

static pm_motion_comparison *compare(const pm_motion *other,
                                     const pm_motion_compare_options *options) {
    pm_motion_comparison *found = NULL;
    expect_success(pm_motion_compare(a, other, options, &found, new_error()));
    return found;
}

TEST(contacts_are_of_the_joints_that_are_named) {
    const pm_motion_content *content = pm_motion_get_content(a);
    const pm_motion_name name = content->nodes[content->node_count - 1].name;
    char names[64];
    snprintf(names, sizeof names, "%.*s", (int)name.size, name.text);
    pm_motion_comparison *found = NULL;
    const pm_motion_compare_options unknown = {.contacts = names};
    expect_error(pm_motion_compare(a, a, &unknown, &found, new_error()), PM_ERROR_FILE,
                 "the unit of length is not known");
    found = compare(a, &(pm_motion_compare_options){.contacts = names, .unit_mm = 10});
    const pm_motion_differences *d = pm_motion_comparison_get_differences(found);
    assert_int_equal(d->contact_count, 1);
    const pm_motion_contact *foot = &d->contacts[0];
    assert_int_equal(d->joints[foot->joint].joint_a, content->node_count - 1);
    assert_int_equal(foot->frames_a, foot->frames_b);
    assert_int_equal(foot->frames_a, foot->frames_both);
    assert_true(foot->frames_a <= d->contact_frames && d->contact_frames > 0);
    assert_true(isnan(foot->slide_a) || foot->slide_a == foot->slide_b);
    pm_motion_comparison_destroy(&found);
    const pm_motion_compare_options none = {.contacts = "none", .unit_mm = 10};
    expect_error(pm_motion_compare(a, b, &none, &found, new_error()), PM_ERROR_ARGUMENT, "none");
    assert_null(found);
}

static void count_hint(void *user, pm_log_level level, const pm_error *remark) {
    char message[PM_ERROR_TEXT_SIZE];
    pm_error_text(remark, PM_SPELLING_COMMAND, message, sizeof message);
    assert_int_equal(level, PM_LOG_WARNING);
    assert_int_equal(strncmp(message, "giant.bvh: ", 11), 0);
    ++*(size_t *)user;
}

static void count_times(void *user, uint64_t done, uint64_t total) {
    assert_true(done <= total);
    *(uint64_t *)user = done;
}

TEST(hints_are_logged_and_progress_is_told) {
    size_t hints = 0;
    uint64_t done = 0;
    const pm_motion_compare_options options = {.name_a = "giant.bvh",
                                               .name_b = "giant.bvh",
                                               .log = count_hint,
                                               .log_user = &hints,
                                               .progress = count_times,
                                               .progress_user = &done};
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *found = NULL;
    expect_success(pm_motion_compare(giant, giant, &options, &found, new_error()));
    const pm_motion_differences *d = pm_motion_comparison_get_differences(found);
    assert_int_equal(d->hint_count, 1);
    assert_int_equal(hints, 1);
    assert_string_equal(d->hints[0].name, "giant.bvh");
    assert_int_equal(done, d->times);
}

static void keep(void *user, const char *text, size_t size) {
    *(char **)user = strndup(text, size);
}

TEST(pages_go_to_memory_in_the_words_of_the_caller) {
    SCOPED(free_at) char *two = NULL, *one = NULL;
    const pm_motion_compare_options options = {
        .name_a = "a.bvh", .name_b = "b.bvh", .spelling = PM_SPELLING_KEYWORD};
    pm_motion_page_options page = {.made_by = "a test", .write = keep, .write_user = &two};
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *found = NULL;
    expect_success(pm_motion_write_page(giant, giant, &options, &page, NULL, &found, new_error()));
    assert_non_null(strstr(two, "<code>a test</code>"));
    assert_non_null(strstr(two, "unit="));
    assert_non_null(strstr(two, "a.bvh – b.bvh"));
    assert_true(pm_motion_comparison_get_differences(found)->clip.angle.max == 0);
    page = (pm_motion_page_options){.write = keep, .write_user = &one};
    expect_success(pm_motion_write_page(a, NULL, &options, &page, NULL, NULL, new_error()));
    assert_non_null(strstr(one, "<code>pm_motion_write_page</code>"));
    assert_null(strstr(one, "b.bvh"));
}

TEST(each_bad_option_is_named) {
    const struct {
        const char *name;
        pm_motion_compare_options options;
    } cases[] = {{"clip_a", {.clip_a = 1}},
                 {"clip_b", {.clip_b = 7}},
                 {"rate", {.rate = {-1, 1}}},
                 {"rate", {.rate = {1, 0}}},
                 {"start and end", {.start_after_first_key = {-1, 2}}},
                 {"start and end", {.end_after_first_key = {1, 0}}},
                 {"unit_mm", {.unit_mm = -1}},
                 {"unit_mm", {.unit_mm = (double)NAN}},
                 {"up", {.up = (pm_motion_up)3}},
                 {"tolerances", {.has_tolerance = true, .tolerance_mm = -1}},
                 {"tolerances", {.has_tolerance = true, .tolerance_degrees = (double)NAN}},
                 {"--end", {.start_after_first_key = {1, 100}, .end_after_first_key = {1, 200}}},
                 {"would be compared at more than", {.rate = {1000, 1}, .max_times = 2}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_motion_comparison *found = NULL;
        expect_error(pm_motion_compare(a, b, &cases[i].options, &found, new_error()),
                     PM_ERROR_ARGUMENT, cases[i].name);
        assert_null(found);
    }
}

TEST(what_files_have_not_is_refused_with_their_name) {
    const struct {
        const char *message;
        pm_motion_compare_options options;
    } cases[] = {{"a.bvh: --trim-start", {.trim_start = 1000}},
                 {"a.bvh: --start: is after", {.start_after_first_key = {1000, 1}}},
                 {"a.bvh: --end: is after", {.end_after_first_key = {1000, 1}}},
                 {"no.txt: ", {.map = "no.txt"}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_motion_compare_options options = cases[i].options;
        pm_motion_comparison *found = NULL;
        options.name_a = "a.bvh";
        expect_error(pm_motion_compare(a, b, &options, &found, new_error()), PM_ERROR_FILE,
                     cases[i].message);
        assert_null(found);
    }
}

TEST(long_names_are_cut_and_messages_are_not) {
    char name[2000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const pm_motion_compare_options options = {.name_a = name, .trim_start = 1000};
    pm_motion_comparison *found = NULL;
    expect_error(pm_motion_compare(a, b, &options, &found, new_error()), PM_ERROR_FILE,
                 "nnn: --trim-start: 1000 removes all 3 keys");
    assert_int_equal(strlen(last_error()->message), sizeof last_error()->message - 1);
}

TEST(methods_that_cannot_be_are_refused) {
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    const pm_engine_desc reference = {.device = "none"};
    expect_success(pm_engine_create(&reference, &engine, new_error()));
    const pm_method methods[] = {PM_METHOD_CUBICSPLINE, (pm_method)-1, (pm_method)1000};
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        const pm_motion_compare_options options = {.engine = engine, .method = methods[i]};
        pm_motion_comparison *found = NULL;
        expect_error(pm_motion_compare(a, b, &options, &found, new_error()), PM_ERROR_ARGUMENT,
                     "method");
    }
}

TEST(next_and_null_are_refused) {
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *found = NULL;
    pm_motion_compare_options options = {.clip_a = 0};
    expect_next_refused(pm_motion_compare_options, options, last_error(),
                        pm_motion_compare(a, b, &options, &found, new_error()));
    pm_motion_page_options page = {.made_by = NULL};
    expect_next_refused(pm_motion_page_options, page, last_error(),
                        pm_motion_write_page(a, b, NULL, &page, "x.html", NULL, new_error()));
    pm_motion_picture_options picture = {.poses = 2};
    expect_next_refused(pm_motion_picture_options, picture, last_error(),
                        pm_motion_write_picture(a, NULL, &picture, "x.svg", new_error()));
    expect_error(pm_motion_compare(NULL, b, NULL, &found, new_error()), PM_ERROR_ARGUMENT,
                 "a is NULL");
    expect_error(pm_motion_compare(a, NULL, NULL, &found, new_error()), PM_ERROR_ARGUMENT,
                 "b is NULL");
    expect_error(pm_motion_compare(a, b, NULL, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "comparison is NULL");
    expect_error(pm_motion_write_page(NULL, b, NULL, NULL, "x", NULL, new_error()),
                 PM_ERROR_ARGUMENT, "a is NULL");
    expect_error(pm_motion_write_page(a, b, NULL, NULL, NULL, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "path is NULL");
    assert_null(pm_motion_comparison_get_differences(NULL));
    assert_null(pm_motion_comparison_json(NULL));
    pm_motion_comparison_destroy(NULL);
}

TEST_GROUP(read_takes, destroy_takes)
