/* SPDX-License-Identifier: MIT
 *
 * Tests of the progress line and the exit code of a batch: the line fits in terminals of every width,
 * and says the same as the counts.
 */
#include "oracle/random_tracks.h"
#include "print/print.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static void count(pm_motion_batch_result *status, pm_motion_batch_state what) {
    status->bytes_ended += 400000;
    status->kept += what == PM_MOTION_BATCH_KEPT;
    status->failed += what == PM_MOTION_BATCH_FAILED;
    if (what == PM_MOTION_BATCH_DONE) {
        status->done++;
        status->frames += 1000;
        status->joint_samples += 1000 * 20;
        status->bytes_read += 400000;
        status->bytes_written += 1600000;
    }
}

static pm_motion_batch_result half_done(void) {
    pm_motion_batch_result status = {.files = 10, .bytes = 4000000, .seconds = 2.0};
    for (int i = 0; i < 3; i++)
        count(&status, PM_MOTION_BATCH_DONE);
    count(&status, PM_MOTION_BATCH_KEPT);
    count(&status, PM_MOTION_BATCH_FAILED);
    return status;
}

/* The number of files is dropped last. */
TEST(the_line_fits_its_columns) {
    static const struct {
        int columns;
        const char *line;
    } cases[] = {{200, "[##############################..............................] "
                       "5/10 files, 3.0 MB/s, 30.0 k joint samples/s, 1 failed, 0:02 left"},
                 {80, "5/10 files, 3.0 MB/s, 30.0 k joint samples/s, 1 failed, 0:02 left"},
                 {22, "5/10 files, 1 failed"},
                 {12, "5/10 files"},
                 {8, ""}};
    const pm_motion_batch_result status = half_done();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char line[STATUS_WIDTH];
        status_line(&status, cases[i].columns, line);
        assert_string_equal(line, cases[i].line);
    }
}

TEST(the_time_left_is_that_of_the_bytes_left) {
    static const struct {
        double seconds;
        const char *left;
    } cases[] = {{1, ", 2:00:00 left"}, {0.5, ", 1:00:00 left"}, {0.499, ", 59:53 left"}};
    pm_motion_batch_result status = {.files = 100, .bytes = UINT64_C(400000) * 7201, .seconds = 1};
    char line[STATUS_WIDTH];
    status_line(&status, 80, line);
    assert_null(strstr(line, "left"));
    count(&status, PM_MOTION_BATCH_DONE);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        status.seconds = cases[i].seconds;
        status_line(&status, 80, line);
        assert_non_null(strstr(line, cases[i].left));
    }
}

TEST(the_exit_code_says_what_failed) {
    static const struct {
        uint64_t files;
        cli_exit codes[3];
        cli_exit expected;
    } cases[] = {
        {3, {CLI_DONE, CLI_DONE, CLI_DONE}, CLI_DONE},
        {3, {CLI_DONE, CLI_BAD_INPUT, CLI_DONE}, CLI_PARTIAL},
        {3, {CLI_BAD_INPUT, CLI_BAD_INPUT, CLI_BAD_INPUT}, CLI_BAD_INPUT},
        {3, {CLI_BAD_INPUT, CLI_CANNOT_WRITE, CLI_BAD_INPUT}, CLI_PARTIAL},
        {3, {CLI_CANNOT_WRITE, CLI_CANNOT_WRITE, CLI_BAD_INPUT}, CLI_PARTIAL},
        {4, {CLI_BAD_INPUT, CLI_BAD_INPUT, CLI_BAD_INPUT}, CLI_PARTIAL}, /* one is left */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_motion_batch_result status = {.files = cases[i].files};
        SCOPED(failures_release) batch_failures failures = {.count = 0};
        for (int f = 0; f < 3; f++) {
            const cli_exit code = cases[i].codes[f];
            count(&status, code == CLI_DONE ? PM_MOTION_BATCH_DONE : PM_MOTION_BATCH_FAILED);
            if (code != CLI_DONE)
                failures_add(&failures, "a.bvh", "is broken", code);
        }
        assert_int_equal(status_code(&status, &failures), cases[i].expected);
    }
}
