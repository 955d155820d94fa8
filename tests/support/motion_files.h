/* SPDX-License-Identifier: MIT
 *
 * Motions from files and from memory, for tests that require them to be read, and what two motions have
 * in common.
 */
#ifndef POSEMILL_TESTS_MOTION_FILES_H
#define POSEMILL_TESTS_MOTION_FILES_H

#include <posemill/posemill_motion.h>

#include "check.h"
#include "file_bytes.h"
#include "motion/model/model.h"

/* The path of a file in the folder of test data, valid until the fourth call after it. Skips the test
 * where the file is missing. */
#define test_data(name) test_data_in(POSEMILL_SOURCE_DIR, name)
const char *test_data_in(const char *sources, const char *name);

/* Opens or parses with these options, NULL for none. A refusal fails the test. The bytes must stay until
 * the motion is destroyed. */
pm_motion *test_open(const char *path, const pm_motion_read_options *options);
pm_motion *test_parse(const void *data, size_t size, const pm_motion_read_options *options);

/* The warnings of a read, a line each: for options with `.log = test_log_add, .log_user = &log`. */
typedef struct test_log {
    size_t count;
    char text[8192];
} test_log;
void test_log_add(void *log, pm_log_level level, const pm_error *remark);

/* An engine of the reference path, which the caller destroys. */
pm_engine *test_reference(void);

/* Samples of the first clip in which each number is 0.5. */
motion_samples test_halves(const pm_motion *motion, uint64_t count, pm_rational rate);

/* Writes as the format does, NULL for the motion's own: these samples, or NULL for what was read. */
pm_status test_write(const pm_motion *motion, const motion_format *format,
                     const motion_samples *samples, file_bytes *out, pm_error *error);

/* For options with a left_out function: appends to a text of LEFT_OUT_SIZE bytes, after "; ". */
enum { LEFT_OUT_SIZE = 512 };
void test_left_out(void *text, const char *what);

/* What a format composes of a motion, or of one of its clips, and what it leaves out. */
typedef struct test_composed {
    file_bytes file;
    char left_out[LEFT_OUT_SIZE];
    size_t clip;
} test_composed;
pm_status test_compose(const pm_motion *motion, const motion_format *format, test_composed *to,
                       pm_error *error);
void test_composed_free(test_composed *composed);

/* Names of the BVH files in bvh/ of the test data. */
enum { TEST_BVH_FILES = 13 };
extern const char *const test_bvh_files[TEST_BVH_FILES];

/* The most keys of a timeline of the first clip. */
size_t test_frames(const pm_motion *motion);

/* Compares names, parents, rest poses and tails; lengths to `most`. */
void expect_same_nodes(const pm_motion *a, const pm_motion *b, double most);

/* Compares the rate of the first clip, and the pose of each node at each frame: rotations to `most`
 * radians, or bit by bit where that is 0, and positions to `most` and `digits` of their size. */
void expect_same_frames(const pm_motion *a, const pm_motion *b, double most, double digits);

#endif
