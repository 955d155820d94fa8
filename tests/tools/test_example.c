/* SPDX-License-Identifier: MIT
 *
 * Runs the example in the README and compares its output with the text there. The expected values
 * were computed by an independent squad in double from the published formula. The README must
 * contain the program and its output verbatim.
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

enum { MAX = 1 << 16 };

static void read_all(FILE *file, char text[MAX]) {
    assert_non_null(file);
    const size_t size = fread(text, 1, MAX - 1, file);
    assert_false(ferror(file));
    text[size] = '\0';
    assert_true(size > 0);
}

static void read_source(const char *path, char text[MAX]) {
    FILE *file = fopen(path, "r");
    read_all(file, text);
    fclose(file);
}

TEST(the_example_prints_what_the_readme_says) {
    static char expected[MAX], actual[MAX];
    read_source(POSEMILL_SOURCE_DIR "/examples/first_clip.txt", expected);
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    FILE *pipe = popen("'" POSEMILL_FIRST_CLIP "'", "r");
    read_all(pipe, actual);
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_string_equal(actual, expected);
}

/* Whether the README contains exactly this text as a separate block. */
static bool readme_shows(const char *language, const char *text) {
    static char readme[MAX], block[MAX];
    read_source(POSEMILL_SOURCE_DIR "/README.md", readme);
    const int size = snprintf(block, sizeof block, "\n```%s\n%s```\n", language, text);
    assert_true(size > 0 && (size_t)size < sizeof block);
    return strstr(readme, block) != NULL;
}

/* Starts at the first include: the README omits the header comment. */
TEST(the_readme_shows_the_program_and_its_output) {
    static char program[MAX], output[MAX];
    read_source(POSEMILL_SOURCE_DIR "/examples/first_clip.c", program);
    read_source(POSEMILL_SOURCE_DIR "/examples/first_clip.txt", output);
    const char *begin = strstr(program, "#include");
    assert_non_null(begin);
    assert_true(readme_shows("c", begin));
    assert_true(readme_shows("text", output));
    assert_false(readme_shows("c", output));
}
