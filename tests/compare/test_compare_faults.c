/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a comparison, of its map and of its page fails in turn. Each is a failure with a
 * status, and nothing is lost or freed twice.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include "support/failing_memory.h"
#include "support/short_take.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static int put_takes(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("a.bvh", short_take);
    test_folder_put_text("b.bvh", short_take);
    test_folder_put_text("map.txt", "Hips\tKnee\nKnee\tHips\n");
    return failed;
}

static pm_status compare_files(const char *map, pm_motion **a, pm_motion **b,
                               pm_motion_comparison **found) {
    const pm_motion_compare_options options = {.name_a = "a.bvh",
                                               .name_b = "b.bvh",
                                               .map = map,
                                               .contacts = map ? NULL : "Hips,Knee",
                                               .max_times = 1000,
                                               .unit_mm = 10};
    pm_status status = pm_motion_open("a.bvh", NULL, a, NULL);
    if (status == PM_OK)
        status = pm_motion_open("b.bvh", NULL, b, NULL);
    return status == PM_OK ? pm_motion_write_page(*a, *b, &options, NULL, "page.html", found, NULL)
                           : status;
}

static bool compare_with(const char *map) {
    SCOPED(pm_motion_destroy) pm_motion *a = NULL, *b = NULL;
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *found = NULL;
    unlink("page.html");
    const pm_status status = compare_files(map, &a, &b, &found);
    assert_int_equal(found != NULL, status == PM_OK);
    assert_int_equal(access("page.html", F_OK) == 0, status == PM_OK);
    assert_true(status == PM_OK || status == PM_ERROR_MEMORY || status == PM_ERROR_FILE ||
                status == PM_ERROR_OUTPUT);
    return status == PM_OK;
}

static bool compare_by_name(void) {
    return compare_with(NULL);
}

static bool compare_by_map(void) {
    return compare_with("map.txt");
}

TEST(comparisons_and_pages_fail_cleanly) {
    /* Each of the two readers of BVH can do without two blocks, that of a map without one. An output whose location cannot be
     * resolved for want of memory is written by its name. */
    fail_each_allocation(compare_by_name, 60, 6);
    fail_each_allocation(compare_by_map, 60, 7);
}

TEST_GROUP(put_takes, test_folder_leave)
