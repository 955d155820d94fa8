/* SPDX-License-Identifier: MIT
 *
 * Every allocation of digests, records and their tables fails in turn. Each is a failure with a code,
 * what is there can still be used and freed, and the next try succeeds.
 */
#define _POSIX_C_SOURCE 200809L

#include "batch/record.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_memory.h"
#include "support/records.h"
#include "support/test_folder.h"

/* ---- the work -------------------------------------------------------------------------------- */

static bool append_records(void) {
    record_file *file = NULL;
    batch_record record = records_full(RECORD_FAILED);
    record.name = "odd \xff";
    cli_exit code = record_file_open("out/.posemill/records-0.jsonl", &file);
    if (code == CLI_DONE) {
        code = record_file_append(file, &record, false);
    }
    const cli_exit closed = record_file_close(&file);
    assert_true(code == CLI_DONE || code == CLI_CANNOT_WRITE);
    assert_int_equal(closed, CLI_DONE);
    return code == CLI_DONE;
}

static bool read_records(void) {
    size_t count = 0;
    record_table *table = record_table_create();
    if (table == NULL) {
        return false;
    }
    /* Twice: the second time, the records of names have company. */
    cli_exit code = record_table_add_folder(table, "out/.posemill");
    if (code == CLI_DONE) {
        code = record_table_add(table, "out/.posemill/records-0.jsonl", false, NULL);
    }
    assert_true(code == CLI_DONE || code == CLI_BAD_INPUT);
    const char *const *names = record_table_names(table, &count);
    for (size_t i = 0; names != NULL && i < count; i++) {
        size_t records = 0;
        assert_non_null(record_table_find(table, names[i], &records));
        assert_in_range(records, 1, 2);
    }
    record_table_destroy(&table);
    return code == CLI_DONE && names != NULL && count == 201;
}

static bool digest_file(void) {
    digest found;
    errno = 0;
    const bool good = digest_of_file("out/.posemill/records-0.jsonl", &found);
    assert_int_equal(errno, good ? 0 : ENOMEM);
    assert_int_equal(found.text[0] == '\0', !good);
    return good;
}

static void each_allocation_can_fail(void **state) {
    record_file *file = NULL;
    char name[32];
    (void)state;
    fail_each_allocation(append_records, 2, 0);
    assert_int_equal(record_file_open("out/.posemill/records-0.jsonl", &file), CLI_DONE);
    for (int i = 0; i < 200; i++) { /* so that tables grow */
        batch_record record = records_full(RECORD_DONE);
        snprintf(name, sizeof name, "name-%d", i);
        record.name = name;
        assert_int_equal(record_file_append(file, &record, false), CLI_DONE);
    }
    assert_int_equal(record_file_close(&file), CLI_DONE);
    fail_each_allocation(read_records, 800, 0);
    fail_each_allocation(digest_file, 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_can_fail)};
    return cmocka_run_group_tests(tests, test_folder_enter, test_folder_leave);
}
