/* SPDX-License-Identifier: MIT
 *
 * One object of each type in the public headers, as small as possible, for tests that call all
 * functions.
 */
#ifndef POSEMILL_TESTS_API_OBJECTS_H
#define POSEMILL_TESTS_API_OBJECTS_H

#include "check.h"

#include <string.h>

#include <posemill/posemill_crowd.h>

enum { KEYS = 2 };

extern const double keys[KEYS][4];
extern const pm_timeline timeline;
extern const int32_t parents[1];
extern const pm_skeleton_desc skeleton_desc;
extern const pm_crowd_instance instance;
extern const pm_clip_desc clip_desc;

/* On the reference path. make_all and free_all are the setup and teardown of a test group. */
extern pm_engine *engine;
extern pm_clip *clip;
extern pm_skeleton *skeleton;
extern pm_crowd *crowd;

int make_all(void **state);
int free_all(void **state);

bool is_filled(const void *memory, size_t size, unsigned char byte);

/* For a function that returns a bool: it returns false and leaves the array `out` unchanged. */
#define expect_false(out, function, ...)                                                           \
    do {                                                                                           \
        memset(out, 0x5A, sizeof(out));                                                            \
        assert_false(function(__VA_ARGS__));                                                       \
        assert_true(is_filled(out, sizeof(out), 0x5A));                                            \
    } while (0)

#endif
