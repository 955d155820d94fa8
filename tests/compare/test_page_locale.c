/* SPDX-License-Identifier: MIT
 *
 * Pages and JSON are the same in a locale with decimal commas. The locale is the system's, or is made in
 * the folder of the test from Debian's package `locales`; else the test is skipped.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include "support/short_take.h"
#include "support/test_folder.h"
#include "support/tests.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool use_commas(void) {
    char folder[512], decimal[16];
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && getcwd(folder, sizeof folder) &&
        system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.txt 2>&1") == 0) {
        setenv("LOCPATH", folder, 1);
        setlocale(LC_ALL, "de_DE.UTF-8");
    }
    snprintf(decimal, sizeof decimal, "%.1f", 0.5);
    return strcmp(decimal, "0,5") == 0;
}

typedef struct texts {
    char *page, *numbers;
} texts;

static void keep_page(void *user, const char *text, size_t size) {
    texts *t = user;
    t->page = strndup(text, size);
}

static texts make_texts(void) {
    const pm_motion_compare_options options = {
        .unit_mm = 12.5, .has_tolerance = true, .tolerance_degrees = 0.25, .tolerance_mm = 1.5};
    pm_motion *a = NULL, *b = NULL;
    pm_motion_comparison *found = NULL;
    texts t = {NULL, NULL};
    const pm_motion_page_options page = {.write = keep_page, .write_user = &t};
    assert_int_equal(pm_motion_open("a.bvh", NULL, &a, NULL), PM_OK);
    assert_int_equal(pm_motion_open("b.bvh", NULL, &b, NULL), PM_OK);
    assert_int_equal(pm_motion_write_page(a, b, &options, &page, NULL, &found, NULL), PM_OK);
    t.numbers = strdup(pm_motion_comparison_json(found));
    pm_motion_destroy_comparison(&found);
    pm_motion_destroy(&a);
    pm_motion_destroy(&b);
    return t;
}

TEST(pages_and_numbers_have_decimal_points_in_every_locale) {
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
    assert_string_equal(german.page, plain.page);
    assert_string_equal(german.numbers, plain.numbers);
    /* The thread has its locale again. */
    assert_true(use_commas());
    setlocale(LC_ALL, "C");
    free(plain.page);
    free(plain.numbers);
    free(german.page);
    free(german.numbers);
}

const test_fixture group_fixture = {test_folder_enter, test_folder_leave};
