/* SPDX-License-Identifier: MIT
 *
 * Runs the program of docs/tutorial-crowd.md. The C blocks of the tutorial, joined by empty
 * lines, are that program from its first include on, and the text block is its output.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#ifndef POSEMILL_SOURCE_DIR
#error "POSEMILL_SOURCE_DIR must name the root of the sources"
#endif
#ifndef POSEMILL_TUTORIAL_CROWD
#error "POSEMILL_TUTORIAL_CROWD must name the built example"
#endif

enum { MAX = 1 << 17 };

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

/* Joins the blocks of a language; the number of blocks. */
static size_t join_blocks(const char *language, char blocks[MAX]) {
    static char tutorial[MAX];
    char fence[16];
    size_t count = 0, used = 0;
    read_source(POSEMILL_SOURCE_DIR "/docs/tutorial-crowd.md", tutorial);
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
    static char program[MAX], blocks[MAX];
    read_source(POSEMILL_SOURCE_DIR "/examples/tutorial_crowd.c", program);
    const char *begin = strstr(program, "#include");
    assert_non_null(begin);
    assert_true(join_blocks("c", blocks) > 5);
    assert_string_equal(blocks, begin);
}

/* The first line, and the second up to its number, which is 0 where the device has the bits of plain
 * C; the program exits with 1 where float32 does not explain the difference. */
TEST_ON_DEVICE(the_program_prints_what_the_tutorial_says) {
    static char expected[MAX], actual[MAX];
    engine_for(state);
    if (is_on_oclgrind(state)) {
        print_message("# not tested: 600,000 poses take Oclgrind hours\n");
        skip();
    }
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    FILE *pipe = popen("'" POSEMILL_TUTORIAL_CROWD "'", "r");
    read_all(pipe, actual);
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(join_blocks("text", expected), 1);
    for (char *text = expected; text; text = text == expected ? actual : NULL) {
        char *number = strrchr(text, ':');
        assert_non_null(number);
        *number = '\0';
    }
    assert_string_equal(actual, expected);
}

const test_fixture group_fixture = {NULL, engines_close};
