/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a report fails in turn. Each is a failure with a code, a row that says why, or a
 * report without it, and nothing is lost or freed twice.
 */
#define _POSIX_C_SOURCE 200809L

#include "batch_report/batch_report.h"
#include "support/failing_memory.h"
#include "support/short_take.h"
#include "support/test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int put_takes(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("a.bvh", short_take);
    test_folder_put_text("b.bvh", short_take);
    return failed;
}

static bool never(void) {
    return false;
}

/* Whether a file is there, and has a text. */
static bool has_text(const char *path, const char *text) {
    static char data[1 << 16];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    data[fread(data, 1, sizeof data - 1, file)] = '\0';
    fclose(file);
    return strstr(data, text) != NULL;
}

static cli_exit report(const report_request *request) {
    const batch_record done = {.status = RECORD_DONE, .rate = {20, 1}};
    const batch_record failed = {.status = RECORD_FAILED, .error = "nothing was read"};
    batch_report *made = NULL;
    cli_exit code = report_begin(request, &made);
    if (code == CLI_DONE) {
        report_note(made, 0, &done);
        report_note(made, 1, &failed);
        code = report_write(made, UINT64_C(1) << 30);
    }
    report_end(&made);
    return code;
}

/* A report without a name or a page lacks something too. */
static bool is_whole(void) {
    return has_text("report/index.json", "\"compared\": 1") &&
           has_text("report/index.json", "\"joint_of_max\": \"Hips\"") &&
           has_text("report/index.json", "\"joint_of_max_distance\": \"") &&
           has_text("report/index.json", "\"joint_of_max_degrees_per_s\": \"Hips\"") &&
           has_text("report/index.json", "\"joint_of_jump\": \"Hips\"") &&
           has_text("report/index.json", "\"page\": \"pages/0001-b.bvh.html\"") &&
           has_text("report/index.json", "nothing was read") &&
           access("report/pages/0001-b.bvh.html", F_OK) == 0;
}

static bool write_report(void) {
    batch_item items[] = {{.path = "a.bvh", .name = "b.bvh"}, {.path = "c.bvh", .name = "c.bvh"}};
    batch_items all = {.items = items, .count = 2};
    batch_file files[] = {{.item = &items[0], .name = "b.bvh", .out = "b.bvh"},
                          {.item = &items[1], .name = "c.bvh", .out = "d.bvh"}};
    char out[2][8] = {"b.bvh", "d.bvh"}, *outs[] = {out[0], out[1]};
    batch_plan plan = {.files = files, .count = 2, .outs = outs, .item_count = 2};
    const resample_options options = {.out_dir = "out", .max_frames = 1000};
    const report_request request = {.folder = "report",
                                    .pages = 1,
                                    .command = "posemill resample",
                                    .options = &options,
                                    .items = &all,
                                    .plan = &plan,
                                    .threads = 1,
                                    .is_stopped = never};
    unlink("report/index.html");
    unlink("report/index.json");
    unlink("report/pages/0001-b.bvh.html");
    const cli_exit code = report(&request);
    assert_int_equal(access("report/index.html", F_OK) == 0, code == CLI_DONE);
    assert_true(code == CLI_DONE || code == CLI_BAD_INPUT || code == CLI_CANNOT_WRITE);
    for (size_t i = 0; i < 2; i++) {
        free(files[i].data);
        free(files[i].fault);
    }
    return code == CLI_DONE && is_whole();
}

static void reports_fail_cleanly(void **state) {
    (void)state;
    cli_quiet = true;
    /* What can do without memory: each of the four readers of BVH without two blocks, and locations of
     * the three outputs and of the two checks of the folder, which are names then. */
    fail_each_allocation(write_report, 200, 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports_fail_cleanly)};
    return cmocka_run_group_tests(tests, put_takes, test_folder_leave);
}
