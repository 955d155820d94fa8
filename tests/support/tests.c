/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 128 };

/* Constructors of a file run in any order. */
static struct CMUnitTest tests[MOST];
static int lines[MOST];
static size_t count;

void tests_add(const char *name, CMUnitTestFunction test, void *state, int line) {
    const test_fixture each = &each_fixture ? each_fixture : (test_fixture){NULL, NULL};
    size_t at = count++;
    if (count > MOST) {
        fprintf(stderr, "a program has at most %d tests\n", MOST);
        abort();
    }
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = (struct CMUnitTest){name, test, each.setup, each.teardown, state};
    lines[at] = line;
}

int tests_run(void) {
    const test_fixture group = &group_fixture ? group_fixture : (test_fixture){NULL, NULL};
    return _cmocka_run_group_tests("tests", tests, count, group.setup, group.teardown);
}
