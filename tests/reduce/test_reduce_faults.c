/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a reduction fails in turn. Each is a failure with a status, and nothing is freed
 * twice.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include "support/failing_memory.h"
#include "support/short_take.h"
#include "support/test.h"

#include <string.h>

static pm_motion *take;

FIXTURE(read_take) {
    return pm_motion_parse(short_take, strlen(short_take), "take.bvh", NULL, NULL, &take, NULL) !=
           PM_OK;
}

FIXTURE(release_take) {
    pm_motion_destroy(&take);
    return 0;
}

TEST_GROUP(read_take, release_take)

static bool reduce_with(const pm_motion_reduce_options *options) {
    SCOPED(pm_motion_destroy) pm_motion *reduced = NULL;
    SCOPED(pm_motion_reduction_destroy) pm_motion_reduction *reduction = NULL;
    const pm_status status = pm_motion_reduce(take, options, &reduced, &reduction, NULL);
    assert_int_equal(reduced != NULL, status == PM_OK);
    assert_int_equal(reduction != NULL, status == PM_OK);
    assert_true(status == PM_OK || status == PM_ERROR_MEMORY);
    return status == PM_OK;
}

static bool reduce_each(void) {
    const pm_motion_reduce_options options = {.threads = 1, .position = 1e-3};
    return reduce_with(&options);
}

static bool reduce_common(void) {
    const pm_motion_reduce_options options = {.threads = 1, .common = true, .has_position = true};
    return reduce_with(&options);
}

static bool reduce_to_cubics(void) {
    const pm_motion_reduce_options options = {
        .threads = 1, .curve = PM_METHOD_CUBICSPLINE, .has_position = true};
    return reduce_with(&options);
}

static bool reduce_to_squad(void) {
    const pm_motion_reduce_options options = {.threads = 1,
                                              .has_angle = true,
                                              .angle = 60,
                                              .curve = PM_METHOD_SQUAD,
                                              .has_position = true};
    return reduce_with(&options);
}

static bool reduce_within_a_distance(void) {
    const pm_motion_reduce_options options = {.threads = 1,
                                              .distance = 100,
                                              .at = 1,
                                              .curve = PM_METHOD_SPLINE,
                                              .has_position = true,
                                              .has_scale_error = true};
    return reduce_with(&options);
}

TEST(a_failed_allocation_of_curves_is_a_status) {
    fail_each_allocation(reduce_to_squad, 10, 0);
    fail_each_allocation(reduce_within_a_distance, 10, 0);
}

TEST(a_failed_allocation_is_a_status) {
    fail_each_allocation(reduce_each, 10, 0);
    fail_each_allocation(reduce_to_cubics, 10, 0);
}

static bool reduce_by_size(void) {
    const pm_motion_reduce_options options = {.threads = 1};
    return reduce_with(&options);
}

/* Without memory the figure has no size: positions have a smaller bound. */
TEST(without_the_size_of_the_figure_a_default_is_smaller) {
    enum { ALLOCATIONS_OF_SIZE = 8 };
    fail_each_allocation(reduce_by_size, 10, ALLOCATIONS_OF_SIZE);
}

static bool reduce_packed(void) {
    const pm_motion_reduce_options options = {.threads = 1, .compress = true, .has_position = true};
    return reduce_with(&options);
}

static bool reduce_packed_within_a_distance(void) {
    const pm_motion_reduce_options options = {.threads = 1,
                                              .distance = 10,
                                              .at = 1,
                                              .quantize = true,
                                              .has_position = true,
                                              .has_scale_error = true};
    return reduce_with(&options);
}

TEST(a_failed_allocation_of_packed_keys_is_a_status) {
    fail_each_allocation(reduce_packed, 10, 0);
    fail_each_allocation(reduce_packed_within_a_distance, 10, 0);
}

TEST(a_failed_allocation_of_common_keys_is_a_status) {
    fail_each_allocation(reduce_common, 10, 0);
}
