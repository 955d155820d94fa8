/* SPDX-License-Identifier: MIT
 *
 * Runs the example in the README and compares its output with the text there. The expected values
 * were computed by an independent squad in double from the published formula. The README must
 * contain the program and its output verbatim.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/check.h"
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 1 << 16 };

TEST(the_example_prints_what_the_readme_says) {
    SCOPED(free_at)
    char *expected = test_folder_read(POSEMILL_SOURCE_DIR "/examples/first_clip.txt", NULL);
    SCOPED(free_at) char *actual = test_folder_output("'" POSEMILL_FIRST_CLIP "'");
    assert_string_equal(actual, expected);
}

/* Whether the README contains exactly this text as a separate block. */
static bool readme_shows(const char *language, const char *text) {
    static char block[MAX];
    SCOPED(free_at) char *readme = test_folder_read(POSEMILL_SOURCE_DIR "/README.md", NULL);
    const int size = snprintf(block, sizeof block, "\n```%s\n%s```\n", language, text);
    assert_true(size > 0 && (size_t)size < sizeof block);
    const bool shown = strstr(readme, block) != NULL;
    return shown;
}

/* Starts at the first include: the README omits the header comment. */
TEST(the_readme_shows_the_program_and_its_output) {
    SCOPED(free_at)
    char *program = test_folder_read(POSEMILL_SOURCE_DIR "/examples/first_clip.c", NULL);
    SCOPED(free_at)
    char *output = test_folder_read(POSEMILL_SOURCE_DIR "/examples/first_clip.txt", NULL);
    const char *begin = strstr(program, "#include");
    assert_non_null(begin);
    assert_true(readme_shows("c", begin));
    assert_true(readme_shows("text", output));
    assert_false(readme_shows("c", output));
}
