/* SPDX-License-Identifier: MIT
 *
 * The engines that tests of the public interface run on: the reference path, and the device that
 * POSEMILL_TEST_DEVICE names (unset: "auto"). Without a device its tests are skipped, unless
 * POSEMILL_REQUIRE_DEVICE makes that a failure.
 */
#ifndef POSEMILL_TESTS_ENGINES_H
#define POSEMILL_TESTS_ENGINES_H

#include "check.h"

typedef enum engine_kind { ON_REFERENCE, ON_DEVICE } engine_kind;

extern engine_kind on_reference;
extern engine_kind on_device;

/* Opens the device of a program that has one of its own (kernels_device.c); NULL: OpenCL's. */
extern pm_status (*open_own_device)(const pm_engine_desc *options, pm_engine **engine,
                                    pm_error *error);

/* Tests on the reference, on the device, or one body on both, whose engine is made first: without a device
 * the test is skipped, or fails. Without _WITH nothing runs before or after them. */
#define TEST_WITH_ENGINE(test, ...)                                                                \
    static void test##_with_engine(void **state);                                                  \
    TEST_AS(test, __VA_ARGS__) {                                                                   \
        engine_for(state);                                                                         \
        test##_with_engine(state);                                                                 \
    }                                                                                              \
    static void test##_with_engine(__attribute__((unused)) void **state)
#define TEST_ON_BOTH_WITH(test, setup, teardown)                                                   \
    TEST_WITH_ENGINE(test,                                                                         \
                     test_add(#test " on the reference", test, setup, teardown, &on_reference);    \
                     test_add(#test " on the device", test, setup, teardown, &on_device))
#define TEST_ON_BOTH(test) TEST_ON_BOTH_WITH(test, NULL, NULL)
#define TEST_ON_REFERENCE(test) TEST_WITH(test, NULL, NULL, &on_reference)
#define TEST_ON_DEVICE(test)                                                                       \
    TEST_WITH_ENGINE(test, test_add(#test " on the device", test, NULL, NULL, &on_device))

/* TEST_GROUP for files all of whose tests require a device: without one the program exits with 77, or
 * with 1 where a device is required. */
#define TEST_GROUP_ON_DEVICE(setup, teardown)                                                      \
    TEST_GROUP(setup, teardown)                                                                    \
    int main(int argc, char **argv) {                                                              \
        const int code = exit_code_without_device();                                               \
        return code ? code : test_main(argc, argv);                                                \
    }

/* The engine for a test's state, made on first use and kept. Skips or fails the test without a device. */
pm_engine *engine_for(void **state);

/* Likewise for a kind, in functions without a state. */
pm_engine *engine_of_kind(engine_kind which);

/* Whether this entry of the table runs on the device. */
bool is_for_device(void **state);

/* The device name as in pm_engine_desc; "none" for the reference. */
const char *device_for(void **state);

/* A separate engine on the same device; the caller destroys it. On PoCL, whose programs have a cache
 * of its own, an engine without a named cache folder has none. */
pm_engine *engine_with(void **state, const pm_engine_desc *options);

/* Likewise with the default folder, for tests of it. */
pm_engine *engine_exactly_with(void **state, const pm_engine_desc *options);

/* Whether a test that compiles many programs takes a few of them: on a device that compiles them, unless long sweeps
 * are requested. */
bool has_few_programs(void **state);

/* Whether the device is Oclgrind, an interpreter that checks every access. It runs kernels of one
 * thread at a time, and its clFlush waits until the queue is empty. */
bool is_on_oclgrind(void **state);

/* For tests whose threads run kernels concurrently: skips them on Oclgrind and prints the
 * reason. */
void skip_without_concurrent_kernels(void **state);

/* Skips tests of builds that fail on purpose on Oclgrind, which reports them, and whose reports are
 * searched. */
void skip_where_failed_builds_count(void **state);

/* Whether the device is Mesa's, whose early version 22.3 compiles many kernels in minutes. */
bool is_rusticl(const pm_engine *engine);

/* Whether kernels of a method's derivatives can be tested; prints the reason if not. For methods
 * that are slerps of moving operands, or products, rusticl needs the same minutes for each. */
bool can_compile_motion(const pm_engine *engine, pm_method method);

/* For files that pose crowds of many kinds: skips the tests on the device whose names match, where the
 * device is rusticl of Mesa 22.3, which needs minutes to compile some of their programs. */
void leave_out_crowds_on_rusticl(const char *names);
#define TEST_GROUP_OF_CROWDS(setup, teardown)                                                      \
    TEST_GROUP(setup, teardown)                                                                    \
    int main(int argc, char **argv) {                                                              \
        leave_out_crowds_on_rusticl("*on the device");                                             \
        return test_main(argc, argv);                                                              \
    }

/* For main() of executables that require a device for all tests: 0 when there is one, otherwise the
 * exit code: 77 for a skip, 1 where a device is required. */
int exit_code_without_device(void);

/* cmocka's group teardown: destroys the kept engines. */
int engines_close(void **unused);

#endif
