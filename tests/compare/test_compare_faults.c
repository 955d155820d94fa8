/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a comparison, of its map and of its page fails in turn. Each is a failure with a
 * code, and nothing is lost or freed twice.
 */
#define _POSIX_C_SOURCE 200809L

#include "compare/open.h"
#include "report/page.h"
#include "support/failing_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char take[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT Knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.05\n"
    "0 80 0 0 0 0 0 0 0\n1 81 0 5 0 0 9 0 0\n2 80 0 9 1 0 20 0 0\n";

static char folder[] = "/tmp/posemill-compare-XXXXXX";

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int enter_folder(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return -1;
    }
    put("a.bvh", take);
    put("b.bvh", take);
    put("map.txt", "Hips\tKnee\nKnee\tHips\n");
    return 0;
}

static int leave_folder(void **state) {
    char line[64];
    (void)state;
    snprintf(line, sizeof line, "rm -r %s", folder);
    return chdir("/") != 0 || system(line) != 0;
}

static cli_exit write_page_of(comparison *c, page_frames *frames) {
    const outcome out = {.comparison = c,
                         .a = {"a.bvh", NULL},
                         .b = {"b.bvh", NULL},
                         .method = "authored",
                         .unit_mm = c->a->unit_mm};
    const page p = {.outcome = &out, .frames = frames, .command = "posemill compare"};
    const cli_exit code = page_compute(c, frames, 1000, "a.bvh");
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
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
