/* SPDX-License-Identifier: MIT
 *
 * Tests that register themselves, with cmocka and the headers that it requires. The program runs the
 * tests of its file in their order, or those whose names match its argument, a glob:
 *
 *     TEST(a_clip_without_tracks_is_refused) {
 *         ...
 *     }
 */
#ifndef POSEMILL_TESTS_TEST_H
#define POSEMILL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "scoped.h"

/* Begins the function of a test, which has a parameter `void **state`. */
#define TEST(test) TEST_WITH(test, NULL, NULL, NULL)

/* With what runs before and after the test, and with the initial `*state`; NULL for none. */
#define TEST_WITH(test, setup, teardown, initial)                                                  \
    TEST_AS(test, test_add(#test, test, setup, teardown, initial))

/* With any number of registrations of the function. Not all systems run constructors in their order. */
#define TEST_AS(test, ...)                                                                         \
    static void test(void **state);                                                                \
    __attribute__((constructor(1000 + __COUNTER__))) static void add_##test(void) {                \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    static void test(__attribute__((unused)) void **state)

/* Begins a function that runs before tests or after them, and returns 0 for success. */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* What runs before all tests of the file and after them; NULL for none. */
#define TEST_GROUP(setup, teardown)                                                                \
    __attribute__((constructor)) static void register_group(void) {                                \
        test_group(setup, teardown);                                                               \
    }

/* What runs before each test of the file and after it, where the test itself says nothing else. */
#define TEST_EACH(setup, teardown)                                                                 \
    __attribute__((constructor)) static void register_each(void) {                                 \
        test_each(setup, teardown);                                                                \
    }

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The name is not copied. */
void test_add(const char *name, CMUnitTestFunction function, CMFixtureFunction setup,
              CMFixtureFunction teardown, void *initial);
void test_group(CMFixtureFunction setup, CMFixtureFunction teardown);
void test_each(CMFixtureFunction setup, CMFixtureFunction teardown);

/* As of POSIX, which not all systems have. */
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
int symlink(const char *target, const char *path);
int mkfifo(const char *path, mode_t rights);
int pipe(int ends[2]);

/* For a main() with arguments of its own: what main() does otherwise. */
int test_main(int argc, char **argv);

#endif
