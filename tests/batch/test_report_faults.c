/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a report fails in turn. Each is a failure with a code, a row that says why, or a
 * report without it, and nothing is lost or freed twice.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/batch_report.h"
#include "support/failing_memory.h"
#include "support/short_take.h"
#include "support/test_folder.h"
#include "support/tests.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put_takes(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("a.bvh", short_take);
    test_folder_put_text("b.bvh", short_take);
    return failed;
}

/* Whether a file is there, and has a text. */
static bool has_text(const char *path, const char *text) {
    static char data[1 << 16];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    data[fread(data, 1, sizeof data - 1, file)] = '\0';
    fclose(file);
    return strstr(data, text) != NULL;
}

static pm_status report(const report_request *request) {
    const batch_record done = {.status = RECORD_DONE, .rate = {20, 1}};
    const batch_record failed = {.status = RECORD_FAILED, .error = "nothing was read"};
    batch_report *made = NULL;
    bool stopped = false;
    pm_status status = report_begin(request, &made, NULL);
    if (status == PM_OK) {
        report_note(made, 0, &done);
        report_note(made, 1, &failed);
        status = report_write(made, UINT64_C(1) << 30, &stopped, NULL);
    }
    report_end(&made);
    assert_false(stopped);
    return status;
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
    const pm_motion_batch_options options = {
        .out_dir = "out", .task = {.max_samples = 1000}, .report = "report", .report_pages = 1};
    const report_request request = {
        .options = &options, .items = &all, .plan = &plan, .threads = 1};
    unlink("report/index.html");
    unlink("report/index.json");
    unlink("report/pages/0001-b.bvh.html");
    const pm_status status = report(&request);
    assert_int_equal(access("report/index.html", F_OK) == 0, status == PM_OK);
    assert_true(status == PM_OK || status == PM_ERROR_MEMORY || status == PM_ERROR_OUTPUT);
    for (size_t i = 0; i < 2; i++) {
        free(files[i].data);
        free(files[i].fault);
    }
    return status == PM_OK && is_whole();
}

TEST(reports_fail_cleanly) {
    /* What can do without memory: each of the four readers of BVH without two blocks, and locations of
     * the three outputs and of the two checks of the folder, which are names then. */
    fail_each_allocation(write_report, 200, 30);
}

const test_fixture group_fixture = {put_takes, test_folder_leave};
