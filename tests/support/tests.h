/* SPDX-License-Identifier: MIT
 *
 * Tests that register themselves, so that none is written and not run. The support library has the
 * main of a program that does not define its own.
 */
#ifndef POSEMILL_TESTS_TESTS_H
#define POSEMILL_TESTS_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* TEST(name) { ... }: a test of this program. Tests run in the order of their lines. */
#define TEST(name)                                                                                 \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void register_##name(void) {                               \
        tests_add(#name, name, NULL, __LINE__);                                                    \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct test_fixture {
    CMFixtureFunction setup, teardown;
} test_fixture;

/* A program may define these: what stands around all its tests, and around each of them. */
extern const test_fixture group_fixture __attribute__((weak));
extern const test_fixture each_fixture __attribute__((weak));

/* `state` is what the test gets. */
void tests_add(const char *name, CMUnitTestFunction test, void *state, int line);

/* Runs the tests of the program. Returns its exit status. */
int tests_run(void);

#endif
