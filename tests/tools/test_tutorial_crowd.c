/* SPDX-License-Identifier: MIT
 *
 * Runs the program of docs/tutorial-crowd.md. The C blocks of the tutorial, joined by empty
 * lines, are that program from its first include on, and the text block is its output.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 1 << 17 };

/* Joins the blocks of a language; the number of blocks. */
static size_t join_blocks(const char *language, char blocks[MAX]) {
    SCOPED(free_at)
    char *tutorial = test_folder_read(POSEMILL_SOURCE_DIR "/docs/tutorial-crowd.md", NULL);
    char fence[16];
    size_t count = 0, used = 0;
    const int length = snprintf(fence, sizeof fence, "\n```%s\n", language);
    for (const char *at = tutorial; (at = strstr(at, fence)); count++) {
        at += length;
        const char *end = strstr(at, "\n```\n");
        assert_non_null(end);
        const size_t size = (size_t)(end + 1 - at);
        assert_true(used + size + 2 < MAX);
        if (count > 0)
            blocks[used++] = '\n';
        memcpy(blocks + used, at, size);
        used += size;
        at = end;
    }
    blocks[used] = '\0';
    return count;
}

TEST(the_blocks_of_the_tutorial_are_the_program) {
    static char blocks[MAX];
    SCOPED(free_at)
    char *program = test_folder_read(POSEMILL_SOURCE_DIR "/examples/tutorial_crowd.c", NULL);
    const char *begin = strstr(program, "#include");
    assert_non_null(begin);
    assert_true(join_blocks("c", blocks) > 5);
    assert_string_equal(blocks, begin);
}

/* Up to the last number, which is 0 where the device has the bits of plain
 * C; the program exits with 1 where float32 does not explain the difference. */
TEST_ON_DEVICE(the_program_prints_what_the_tutorial_says) {
    static char expected[MAX];
    engine_for(state);
    if (is_on_oclgrind(state)) {
        print_message("# not tested: 600,000 poses take Oclgrind hours\n");
        skip();
    }
    SCOPED(free_at)
    char *actual = test_folder_output(
        "'" POSEMILL_COMMAND "' convert '" POSEMILL_SOURCE_DIR "/examples/walk.bvh' walk.glb "
        "--extract-root Hips -q && '" POSEMILL_TUTORIAL_CROWD "' walk.glb");
    assert_int_equal(join_blocks("text", expected), 1);
    for (char *text = expected; text; text = text == expected ? actual : NULL) {
        char *number = strrchr(text, ':');
        assert_non_null(number);
        *number = '\0';
    }
    assert_string_equal(actual, expected);
}

static int leave(void **state) {
    return test_folder_leave(state) == 0 ? engines_close(state) : -1;
}

TEST_GROUP(test_folder_enter, leave)
