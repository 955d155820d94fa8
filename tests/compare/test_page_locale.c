/* SPDX-License-Identifier: MIT
 *
 * Pages and JSON are the same in a locale with decimal commas. The locale is the system's, or is made in
 * the folder of the test from Debian's package `locales`; else the test is skipped.
 */
#define _POSIX_C_SOURCE 200809L

#include "compare/open.h"
#include "report/page.h"
#include "support/short_take.h"
#include "support/test_folder.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool use_commas(void) {
    char folder[512], decimal[16];
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && getcwd(folder, sizeof folder) != NULL &&
        system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.txt 2>&1") == 0) {
        setenv("LOCPATH", folder, 1);
        setlocale(LC_ALL, "de_DE.UTF-8");
    }
    snprintf(decimal, sizeof decimal, "%.1f", 0.5);
    return strcmp(decimal, "0,5") == 0;
}

typedef struct texts {
    char *page, *numbers;
    size_t page_size, numbers_size;
} texts;

static texts make_texts(void) {
    const motion_options reading = {.read = {.format = PM_MOTION_ANY}};
    static const scene_options options = {.unit_mm = 12.5};
    open_clip a, b;
    joint_pairs pairs;
    page_frames frames;
    scene_hints hints = {.count = 0};
    texts t;
    assert_int_equal(open_clip_of(&reading, "a.bvh", NULL, &a), CLI_DONE);
    assert_int_equal(open_clip_of(&reading, "b.bvh", NULL, &b), CLI_DONE);
    assert_int_equal(joints_match(&a.subject, &b.subject, NULL, &pairs), CLI_DONE);
    comparison c = {.a = &a.subject, .b = &b.subject, .pairs = &pairs};
    assert_int_equal(scene_apply(&options, &c, "a.bvh", "b.bvh", &hints), CLI_DONE);
    assert_int_equal(page_compute(&c, &frames, 1000, "a.bvh"), CLI_DONE);
    const outcome out = {.comparison = &c,
                         .a = {"a.bvh", NULL},
                         .b = {"b.bvh", NULL},
                         .method = "authored",
                         .hints = &hints,
                         .has_tolerance = true,
                         .tolerance_degrees = 0.25,
                         .tolerance_mm = 1.5,
                         .unit_mm = 12.5};
    const page p = {.outcome = &out, .frames = &frames, .command = "posemill compare"};
    t.page = page_text(&p, &t.page_size);
    t.numbers = page_numbers(&out, &t.numbers_size);
    assert_non_null(t.page);
    assert_non_null(t.numbers);
    page_frames_release(&frames);
    compare_release(&c);
    joints_release(&pairs);
    close_clip(&a);
    close_clip(&b);
    return t;
}

static void pages_and_numbers_have_decimal_points_in_every_locale(void **state) {
    (void)state;
    test_folder_put_text("a.bvh", short_take);
    char *other = strdup(short_take);
    memcpy(strstr(other, "1 81 0 5 "), "1 81 0 7 ", 9);
    test_folder_put_text("b.bvh", other);
    free(other);
    const texts plain = make_texts();
    if (!use_commas()) {
        print_message("not tested: no locale de_DE.UTF-8, and none can be made\n");
        skip();
    }
    const texts german = make_texts();
    assert_int_equal(german.page_size, plain.page_size);
    assert_memory_equal(german.page, plain.page, plain.page_size);
    assert_int_equal(german.numbers_size, plain.numbers_size);
    assert_memory_equal(german.numbers, plain.numbers, plain.numbers_size);
    /* The thread has its locale again. */
    assert_true(use_commas());
    setlocale(LC_ALL, "C");
    free(plain.page);
    free(plain.numbers);
    free(german.page);
    free(german.numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_and_numbers_have_decimal_points_in_every_locale)};
    return cmocka_run_group_tests(tests, test_folder_enter, test_folder_leave);
}
