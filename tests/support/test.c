/* SPDX-License-Identifier: MIT
 *
 * The list of a program's tests.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/base/wildcard.h"

enum { TESTS_MAX = 512 };

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;
static CMFixtureFunction before_all, after_all, before_each, after_each;

void test_add(const char *name, CMUnitTestFunction function, CMFixtureFunction setup,
              CMFixtureFunction teardown, void *initial) {
    if (count == TESTS_MAX)
        abort();
    tests[count++] = (struct CMUnitTest){name, function, setup, teardown, initial};
}

void test_group(CMFixtureFunction setup, CMFixtureFunction teardown) {
    before_all = setup;
    after_all = teardown;
}

void test_each(CMFixtureFunction setup, CMFixtureFunction teardown) {
    before_each = setup;
    after_each = teardown;
}

static void fill_in(struct CMUnitTest *test) {
    if (test->setup_func || test->teardown_func)
        return;
    test->setup_func = before_each;
    test->teardown_func = after_each;
}

static size_t count_matches(const char *pattern) {
    size_t matches = 0;
    for (size_t i = 0; i < count; i++)
        matches += wildcard_matches(pattern, tests[i].name, false);
    return matches;
}

/* The tests of a list of names, between blanks. */
static void leave_out(const char *names) {
    static const char blanks[] = " \n";
    for (names += strspn(names, blanks); *names; names += strspn(names, blanks)) {
        const size_t size = strcspn(names, blanks);
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (strncmp(names, tests[i].name, size) != 0 || tests[i].name[size] != '\0')
                tests[kept++] = tests[i];
        count = kept;
        names += size;
    }
}

int test_main(int argc, char **argv) {
    const char *left_out = getenv("POSEMILL_TEST_LEAVE_OUT");
    if (left_out)
        leave_out(left_out);
    setenv("POSEMILL_PROGRAMS_ON_CPU", "1", 0); /* kernels compute the jobs of tests */
    if (argc > 1 && count_matches(argv[1]) == 0) {
        print_error("%s: no test has a name like %s\n", argv[0], argv[1]);
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        fill_in(&tests[i]);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests(os_last_part(argv[0]), tests, count, before_all, after_all);
}
