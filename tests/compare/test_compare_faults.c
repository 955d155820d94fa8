/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a comparison, of its map and of its page fails in turn. Each is a failure with a
 * code, and nothing is lost or freed twice.
 */
#define _POSIX_C_SOURCE 200809L

#include "compare/open.h"
#include "report/page.h"
#include "support/failing_memory.h"
#include "support/short_take.h"
#include "support/test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int put_takes(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("a.bvh", short_take);
    test_folder_put_text("b.bvh", short_take);
    test_folder_put_text("map.txt", "Hips\tKnee\nKnee\tHips\n");
    return failed;
}

static cli_exit write_page_of(comparison *c, page_frames *frames) {
    static const scene_options options = {.up = 0};
    scene_hints hints = {.count = 0};
    cli_exit code = scene_apply(&options, c, "a.bvh", "b.bvh", &hints);
    const outcome out = {.comparison = c,
                         .a = {"a.bvh", NULL},
                         .b = {"b.bvh", NULL},
                         .method = "authored",
                         .hints = &hints,
                         .unit_mm = c->a->unit_mm};
    const page p = {.outcome = &out, .frames = frames, .command = "posemill compare"};
    if (code == CLI_DONE) {
        code = page_compute(c, frames, 1000, "a.bvh");
    }
    return code == CLI_DONE ? page_write("page.html", &p) : code;
}

static cli_exit compare_files(open_clip *a, open_clip *b, joint_pairs *pairs, const char *map) {
    const motion_options options = {.read = {.format = PM_MOTION_ANY}};
    comparison c = {.a = &a->subject, .b = &b->subject, .pairs = pairs};
    page_frames frames = {.count = 0};
    cli_exit code = open_clip_of(&options, "a.bvh", NULL, a);
    if (code == CLI_DONE) {
        code = open_clip_of(&options, "b.bvh", NULL, b);
    }
    if (code == CLI_DONE) {
        code = joints_match(&a->subject, &b->subject, map, pairs);
    }
    if (code == CLI_DONE) {
        code = write_page_of(&c, &frames);
    }
    page_frames_release(&frames);
    compare_release(&c);
    return code;
}

static bool compare_with(const char *map) {
    open_clip a = {.path = NULL}, b = {.path = NULL};
    joint_pairs pairs = {.count = 0};
    unlink("page.html");
    const cli_exit code = compare_files(&a, &b, &pairs, map);
    joints_release(&pairs);
    close_clip(&a);
    close_clip(&b);
    assert_int_equal(access("page.html", F_OK) == 0, code == CLI_DONE);
    assert_true(code == CLI_DONE || code == CLI_BAD_INPUT || code == CLI_CANNOT_WRITE);
    return code == CLI_DONE;
}

static bool compare_by_name(void) {
    return compare_with(NULL);
}

static bool compare_by_map(void) {
    return compare_with("map.txt");
}

static void comparisons_and_pages_fail_cleanly(void **state) {
    (void)state;
    /* Each of the two readers of BVH can do without two blocks, that of a map without one. An output whose location cannot be
     * resolved for want of memory is written by its name. */
    fail_each_allocation(compare_by_name, 60, 6);
    fail_each_allocation(compare_by_map, 60, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(comparisons_and_pages_fail_cleanly)};
    return cmocka_run_group_tests(tests, put_takes, test_folder_leave);
}
