/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 128 };

/* Constructors of a file run in any order. */
static struct CMUnitTest tests[MOST];
static int lines[MOST];
static size_t count;

void tests_add(struct CMUnitTest test, int line) {
    size_t at = count++;
    if (count > MOST) {
        fprintf(stderr, "a program has at most %d tests\n", MOST);
        abort();
    }
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = test;
    lines[at] = line;
}

int tests_run(void) {
    const test_fixture none = {NULL, NULL};
    const test_fixture *group = &group_fixture ? &group_fixture : &none;
    const test_fixture *each = &each_fixture ? &each_fixture : &none;
    for (size_t i = 0; i < count; i++)
        if (!tests[i].setup_func && !tests[i].teardown_func) {
            tests[i].setup_func = each->setup;
            tests[i].teardown_func = each->teardown;
        }
    return _cmocka_run_group_tests("tests", tests, count, group->setup, group->teardown);
}
