/* SPDX-License-Identifier: MIT
 *
 * Runs the example that the README shows and holds its output against the text beside
 * it, which comes from another squad, written in double from the published formula.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#ifndef POSEMILL_SOURCE_DIR
#error "POSEMILL_SOURCE_DIR must name the root of the sources"
#endif
#ifndef POSEMILL_FIRST_CLIP
#error "POSEMILL_FIRST_CLIP must name the built example"
#endif

enum { MOST = 4096 };

static void read_all(FILE *file, char text[MOST]) {
    assert_non_null(file);
    const size_t size = fread(text, 1, MOST - 1, file);
    assert_false(ferror(file));
    text[size] = '\0';
    assert_true(size > 0);
}

static void the_example_prints_what_the_readme_says(void **state) {
    (void)state;
    char expected[MOST], actual[MOST];
    FILE *file = fopen(POSEMILL_SOURCE_DIR "/examples/first_clip.txt", "r");
    read_all(file, expected);
    fclose(file);
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    FILE *pipe = popen("'" POSEMILL_FIRST_CLIP "'", "r");
    read_all(pipe, actual);
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_string_equal(actual, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_prints_what_the_readme_says),
    };
    return cmocka_run_group_tests_name("example", tests, NULL, NULL);
}
