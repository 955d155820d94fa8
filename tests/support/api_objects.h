/* SPDX-License-Identifier: MIT
 *
 * One of each object of the public headers, the smallest there is, for tests that walk through all
 * their functions.
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

/* On the reference path, made by make_all and destroyed by free_all: a group's setup and teardown. */
extern pm_engine *engine;
extern pm_clip *clip;
extern pm_skeleton *skeleton;
extern pm_crowd *crowd;

int make_all(void **state);
int free_all(void **state);

bool is_filled(const void *memory, size_t size, unsigned char byte);

/* Of a function that returns a bool, and fills no part of `out`, an array. */
#define expect_false(out, function, ...)                                                           \
    do {                                                                                           \
        memset(out, 0x5A, sizeof(out));                                                            \
        assert_false(function(__VA_ARGS__));                                                       \
        assert_true(is_filled(out, sizeof(out), 0x5A));                                            \
    } while (0)

#endif
