/* SPDX-License-Identifier: MIT
 *
 * Tables of records: which record of a name counts, lines that are no records, folders, and the lookup
 * of many names.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/record.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/records.h"
#include "support/test_folder.h"
#include "support/tests.h"

static void append(const char *path, const char *name, record_status status, int64_t time) {
    record_file *file = NULL;
    batch_record record = records_full(status);
    record.name = name;
    record.time = time;
    assert_int_equal(record_file_open(path, &file, NULL), PM_OK);
    assert_int_equal(records_append(file, &record), PM_OK);
    assert_int_equal(record_file_close(&file, NULL), PM_OK);
}

static record_table *table_of(const char *const *paths, size_t count) {
    record_table *table = record_table_create();
    assert_non_null(table);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(record_table_add(table, paths[i], false, NULL, NULL), PM_OK);
    return table;
}

TEST(the_last_record_of_a_file_counts) {
    static const char *const paths[] = {"last"};
    size_t count = 0;
    append("last", "a", RECORD_DONE, 9);
    append("last", "b", RECORD_DONE, 9);
    append("last", "a", RECORD_FAILED, 3); /* a clock that was set back */
    record_table *table = table_of(paths, 1);
    const batch_record *const *found = record_table_find(table, "a", &count);
    assert_int_equal(count, 1);
    assert_int_equal(found[0]->status, RECORD_FAILED);
    assert_string_equal(found[0]->from, "last");
    assert_null(record_table_find(table, "c", &count));
    assert_int_equal(count, 0);
    record_table_destroy(&table);
}

/* Three files in each order: the first record is always the same. */
static void expect_first(const char *const paths[3], const char *first, record_status status) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        size_t count = 0;
        const char *const order[] = {paths[orders[i][0]], paths[orders[i][1]], paths[orders[i][2]]};
        record_table *table = table_of(order, 3);
        const batch_record *const *found = record_table_find(table, "a", &count);
        assert_int_equal(count, 3);
        assert_string_equal(found[0]->from, first);
        assert_int_equal(found[0]->status, status);
        for (size_t k = 0; k + 1 < count; k++) { /* sorted */
            const bool failed = found[k]->status == RECORD_FAILED,
                       next_failed = found[k + 1]->status == RECORD_FAILED;
            assert_true(failed == next_failed ? found[k]->time >= found[k + 1]->time : next_failed);
        }
        record_table_destroy(&table);
    }
}

TEST(the_latest_that_is_no_failure_comes_first) {
    static const char *const mixed[] = {"m1", "m2", "m3"}, *const failed[] = {"f1", "f2", "f3"};
    append("m1", "a", RECORD_DONE, 1);
    append("m2", "a", RECORD_KEPT, 2);
    append("m3", "a", RECORD_FAILED, 3);
    expect_first(mixed, "m2", RECORD_KEPT);
    append("f1", "a", RECORD_FAILED, 5);
    append("f2", "a", RECORD_FAILED, INT64_MAX);
    append("f3", "a", RECORD_FAILED, INT64_MIN);
    expect_first(failed, "f2", RECORD_FAILED);
}

#define DIGEST "\"0123456789abcdef0123456789abcdef\""
#define RECORD                                                                                     \
    "\"name\": \"a\", \"in\": \"i\", \"out\": \"o\", \"status\": \"done\", \"output_digest\": " DIGEST

static size_t names_of_line(const char *line, size_t size, size_t *dropped) {
    size_t count = 0;
    test_folder_put("line", line, size);
    record_table *table = record_table_create();
    assert_int_equal(record_table_add(table, "line", false, dropped, NULL), PM_OK);
    assert_non_null(record_table_names(table, &count));
    record_table_destroy(&table);
    return count;
}

TEST(records_of_other_writers_are_read) {
    static const char *const lines[] = {
        "{" RECORD "}",
        "{" RECORD "}\r\n",
        "\n\n \t\r\n{" RECORD "}\n\n",
        "{" RECORD ", \"later\": {\"x\": [1, null]}, \"frames\": null, \"warnings\": null}",
        "{" RECORD ", \"seconds\": 3, \"rate\": \"30/1\", \"warnings\": []}",
        "{" RECORD ", \"warnings\": [\"a\", \"\"], \"error\": 7, \"code\": \"none\"}",
        "{" RECORD ", \"name_bytes\": \"ff2f61\"}",
        "{\"name\": \"a\", \"in\": \"i\", \"status\": \"failed\", \"code\": 4}",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        size_t dropped = 0;
        if (names_of_line(lines[i], strlen(lines[i]), &dropped) != 1 || dropped != 0)
            fail_msg("%s: %zu lines were dropped", lines[i], dropped);
    }
}

TEST(lines_that_are_no_records_are_dropped) {
    static const char *const lines[] = {
        "x",
        "{}",
        "[" DIGEST "]",
        "null",
        "7",
        "{" RECORD "",
        "{" RECORD "} {" RECORD "}",
        "{" RECORD ", \"frames\": -1}",
        "{" RECORD ", \"frames\": 1.0}",
        "{" RECORD ", \"frames\": 99999999999999999999}",
        "{" RECORD ", \"frames\": \"1\"}",
        "{" RECORD ", \"seconds\": \"1\"}",
        "{" RECORD ", \"seconds\": -1}",
        "{" RECORD ", \"seconds\": 1e999}",
        "{" RECORD ", \"seconds\": NaN}",
        "{" RECORD ", \"rate\": 30}",
        "{" RECORD ", \"rate\": \"30\"}",
        "{" RECORD ", \"rate\": \"30/0\"}",
        "{" RECORD ", \"rate\": \"-30/1\"}",
        "{" RECORD ", \"rate\": \"30/1 \"}",
        "{" RECORD ", \"rate\": \"9223372036854775808/1\"}",
        "{" RECORD ", \"warnings\": \"w\"}",
        "{" RECORD ", \"warnings\": [1]}",
        "{" RECORD ", \"method\": 1}",
        "{" RECORD ", \"name\": \"\"}",
        "{" RECORD ", \"name\": 1}",
        "{" RECORD ", \"name\": null}",
        "{" RECORD ", \"in\": null}",
        "{" RECORD ", \"in\": \"\"}",
        "{" RECORD ", \"out\": null}",
        "{" RECORD ", \"out\": \"\"}",
        "{" RECORD ", \"name\": \"a\\u0000b\"}",
        "{" RECORD ", \"name\": \"\xff\"}",
        "{" RECORD ", \"name_bytes\": \"f\"}",
        "{" RECORD ", \"name_bytes\": \"\"}",
        "{" RECORD ", \"name_bytes\": \"00\"}",
        "{" RECORD ", \"name_bytes\": \"FF\"}",
        "{" RECORD ", \"name_bytes\": 7}",
        "{" RECORD ", \"status\": \"Done\"}",
        "{" RECORD ", \"status\": 1}",
        "{" RECORD ", \"status\": null}",
        "{" RECORD ", \"status\": \"failed\"}",
        "{" RECORD ", \"status\": \"failed\", \"code\": 0}",
        "{" RECORD ", \"status\": \"failed\", \"code\": 7}",
        "{" RECORD ", \"status\": \"failed\", \"code\": 4, \"error\": 1}",
        "{" RECORD ", \"output_digest\": null}",
        "{" RECORD ", \"output_digest\": \"\"}",
        "{" RECORD ", \"output_digest\": \"0123456789ABCDEF0123456789abcdef\"}",
        "{" RECORD ", \"input_digest\": \"0123456789abcdef0123456789abcdeg\"}",
        "{" RECORD ", \"options_digest\": \"0123456789abcdef0123456789abcdef0\"}",
        "{" RECORD ", \"options_digest\": 5}",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        size_t dropped = 0;
        if (names_of_line(lines[i], strlen(lines[i]), &dropped) != 0 || dropped != 1)
            fail_msg("%s: is a record", lines[i]);
    }
    size_t dropped = 0;
    assert_int_equal(names_of_line("{" RECORD "\0}", sizeof "{" RECORD "\0}" - 1, &dropped), 0);
    assert_int_equal(dropped, 1);
}

TEST(the_files_of_a_folder_are_added) {
    size_t count = 0;
    record_table *table = record_table_create();
    append("sub/records-1.jsonl", "b", RECORD_DONE, 1);
    append("sub/records-0.jsonl", "a", RECORD_DONE, 1);
    append("sub/other-0.jsonl", "c", RECORD_DONE, 1);
    assert_int_equal(record_table_add_folder(table, "no-folder", NULL), PM_OK);
    assert_null(record_table_find(table, "a", &count));
    assert_non_null(record_table_names(table, &count));
    assert_int_equal(count, 0);
    assert_int_equal(record_table_add_folder(table, "sub", NULL), PM_OK);
    const char *const *names = record_table_names(table, &count);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    const char *const *files = record_table_files(table, &count);
    assert_int_equal(count, 2);
    assert_string_equal(files[0], "sub/records-0.jsonl");
    assert_string_equal(files[1], "sub/records-1.jsonl");
    assert_int_equal(mkfifo("sub/records-2.jsonl", 0600), 0);
    assert_int_equal(record_table_add_folder(table, "sub", NULL), PM_ERROR_FILE);
    assert_int_equal(record_table_add_folder(table, "sub/records-0.jsonl", NULL), PM_ERROR_FILE);
    record_table_destroy(&table);
}

TEST(a_missing_file_is_empty_only_where_it_may_be) {
    size_t dropped = 7;
    record_table *table = record_table_create();
    assert_int_equal(record_table_add(table, "none", false, &dropped, NULL), PM_ERROR_FILE);
    assert_int_equal(record_table_add(table, "none", true, &dropped, NULL), PM_OK);
    assert_int_equal(dropped, 0);
    record_table_destroy(&table);
}

TEST(many_names_are_found) {
    enum { COUNT = 5000 };
    static const char *const paths[] = {"many"};
    char name[32];
    size_t count = 0;
    FILE *file = fopen("many", "w");
    assert_non_null(file);
    for (int i = COUNT; i-- > 0;)
        fprintf(file, "{" RECORD ", \"name\": \"n%d\", \"frames\": %d}\n", i, i);
    fclose(file);
    record_table *table = table_of(paths, 1);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "n%d", i);
        const batch_record *const *found = record_table_find(table, name, &count);
        assert_non_null(found);
        assert_int_equal(found[0]->frames, i);
        snprintf(name, sizeof name, "m%d", i);
        assert_null(record_table_find(table, name, &count));
    }
    const char *const *names = record_table_names(table, &count);
    assert_int_equal(count, COUNT);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(names[i - 1], names[i]) < 0);
    record_table_destroy(&table);
}

const test_fixture group_fixture = {test_folder_enter, test_folder_leave};
