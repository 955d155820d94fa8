/* SPDX-License-Identifier: MIT
 *
 * Tests of the progress line and the exit code of a batch: the line fits in terminals of every width,
 * and says the same as the counts.
 */
#include "batch/status.h"
#include "oracle/random_tracks.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static batch_record record_of(record_status status, cli_exit code) {
    return (batch_record){.name = "walks/a.bvh",
                          .status = status,
                          .code = code,
                          .error = status == RECORD_FAILED ? "is broken" : NULL,
                          .frames = 1000,
                          .joints = 20,
                          .bytes_read = 400000,
                          .bytes_written = 1600000};
}

static void count(batch_status *status, record_status what, cli_exit code) {
    const batch_record record = record_of(what, code);
    status_count(status, &record, 400000);
}

static batch_status half_done(void) {
    batch_status status = {.files = 10, .bytes = 4000000};
    for (int i = 0; i < 3; i++) {
        count(&status, RECORD_DONE, CLI_DONE);
    }
    count(&status, RECORD_KEPT, CLI_DONE);
    count(&status, RECORD_FAILED, CLI_BAD_INPUT);
    return status;
}

static void the_line_is_right_at_80_and_200_columns(void **state) {
    (void)state;
    batch_status status = half_done();
    char line[STATUS_WIDTH];
    status_line(&status, 2.0, 80, line);
    assert_string_equal(line, "5/10 files, 3.0 MB/s, 30.0 k joint samples/s, 1 failed, 0:02 left");
    status_line(&status, 2.0, 200, line);
    assert_string_equal(line, "[##############################..............................] "
                              "5/10 files, 3.0 MB/s, 30.0 k joint samples/s, 1 failed, 0:02 left");
    status_release(&status);
}

/* A line that is as wide as the terminal would wrap, and could not be cleared. */
static void the_line_is_narrower_than_every_terminal(void **state) {
    (void)state;
    random_source random = random_start();
    for (int i = 0; i < 2000; i++) {
        batch_status status = half_done();
        const size_t scale = random_size(&random, 0, 60);
        status.files = (UINT64_C(1) << scale) + 10;
        status.bytes = random_bits(&random) >> random_size(&random, 0, 40);
        status.done = status.files - 7;
        status.joint_samples = random_bits(&random);
        status.bytes_written = random_bits(&random) / 2;
        const int columns = (int)random_size(&random, 0, 300);
        char line[STATUS_WIDTH];
        memset(line, 'x', sizeof line);
        status_line(&status, random_between(&random, 0.0, 1e6), columns, line);
        assert_non_null(memchr(line, '\0', sizeof line));
        assert_true(line[0] == '\0' || strlen(line) < (size_t)columns);
        status_release(&status);
    }
}

static void the_number_of_files_is_dropped_last(void **state) {
    (void)state;
    batch_status status = half_done();
    char line[STATUS_WIDTH];
    status_line(&status, 2.0, 12, line);
    assert_string_equal(line, "5/10 files");
    status_line(&status, 2.0, 22, line);
    assert_string_equal(line, "5/10 files, 1 failed");
    status_line(&status, 2.0, 8, line);
    assert_string_equal(line, "");
    status_release(&status);
}

static void the_time_left_is_that_of_the_bytes_left(void **state) {
    (void)state;
    batch_status status = {.files = 100, .bytes = UINT64_C(400000) * 7201};
    char line[STATUS_WIDTH];
    status_line(&status, 1.0, 80, line);
    assert_null(strstr(line, "left"));
    count(&status, RECORD_DONE, CLI_DONE);
    status_line(&status, 1.0, 80, line);
    assert_non_null(strstr(line, ", 2:00:00 left"));
    status_line(&status, 0.5, 80, line);
    assert_non_null(strstr(line, ", 1:00:00 left"));
    status_line(&status, 0.499, 80, line);
    assert_non_null(strstr(line, ", 59:53 left"));
    status_release(&status);
}

static void the_exit_code_says_what_failed(void **state) {
    (void)state;
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        batch_status status = {.files = cases[i].files};
        for (int f = 0; f < 3; f++) {
            count(&status, cases[i].codes[f] == CLI_DONE ? RECORD_DONE : RECORD_FAILED,
                  cases[i].codes[f]);
        }
        assert_int_equal(status_code(&status), cases[i].expected);
        status_release(&status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_right_at_80_and_200_columns),
        cmocka_unit_test(the_line_is_narrower_than_every_terminal),
        cmocka_unit_test(the_number_of_files_is_dropped_last),
        cmocka_unit_test(the_time_left_is_that_of_the_bytes_left),
        cmocka_unit_test(the_exit_code_says_what_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
