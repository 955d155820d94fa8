/* SPDX-License-Identifier: MIT
 *
 * Every allocation of digests, records and their tables fails in turn. Each is a failure with a code,
 * what is there can still be used and freed, and the next try succeeds.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/record.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"
#include "support/records.h"
#include "support/test_folder.h"
#include "support/tests.h"

/* ---- the work -------------------------------------------------------------------------------- */

static bool append_records(void) {
    record_file *file = NULL;
    batch_record record = records_full(RECORD_FAILED);
    record.name = "odd \xff";
    pm_status code = record_file_open("out/.posemill/records-0.jsonl", &file, NULL);
    if (code == PM_OK)
        code = records_append(file, &record);
    const pm_status closed = record_file_close(&file, NULL);
    assert_true(code == PM_OK || code == PM_ERROR_OUTPUT);
    assert_int_equal(closed, PM_OK);
    return code == PM_OK;
}

static bool read_records(void) {
    size_t count = 0;
    record_table *table = record_table_create();
    if (!table)
        return false;
    /* Twice: the second time, the records of names have company. */
    pm_status code = record_table_add_folder(table, "out/.posemill", NULL);
    if (code == PM_OK)
        code = record_table_add(table, "out/.posemill/records-0.jsonl", false, NULL, NULL);
    assert_true(code == PM_OK || code == PM_ERROR_FILE);
    const char *const *names = record_table_names(table, &count);
    for (size_t i = 0; names && i < count; i++) {
        size_t records = 0;
        assert_non_null(record_table_find(table, names[i], &records));
        assert_in_range(records, 1, 2);
    }
    record_table_destroy(&table);
    return code == PM_OK && names != NULL && count == 201;
}

static bool digest_file(void) {
    digest found;
    errno = 0;
    const bool good = digest_of_file("out/.posemill/records-0.jsonl", &found);
    assert_int_equal(errno, good ? 0 : ENOMEM);
    assert_int_equal(found.text[0] == '\0', !good);
    return good;
}

TEST(each_allocation_can_fail) {
    record_file *file = NULL;
    char name[32];
    fail_each_allocation(append_records, 2, 0);
    assert_int_equal(record_file_open("out/.posemill/records-0.jsonl", &file, NULL), PM_OK);
    for (int i = 0; i < 200; i++) { /* so that tables grow */
        batch_record record = records_full(RECORD_DONE);
        snprintf(name, sizeof name, "name-%d", i);
        record.name = name;
        assert_int_equal(records_append(file, &record), PM_OK);
    }
    assert_int_equal(record_file_close(&file, NULL), PM_OK);
    fail_each_allocation(read_records, 800, 0);
    fail_each_allocation(digest_file, 1, 0);
}

const test_fixture group_fixture = {test_folder_enter, test_folder_leave};
