/* SPDX-License-Identifier: MIT
 *
 * Records are appended whole and read back exactly: odd names, torn lines, full disks, several
 * processes and threads; and what is no file to write records to. Tables of records: which record
 * of a name counts, lines that are no records, folders, and the lookup of many names.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/record.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/records.h"
#include "support/test.h"
#include "support/test_folder.h"

static const char path[] = "a.jsonl";

FIXTURE(remove_file) {
    unlink(path);
    return 0;
}

static void append_to(const char *file_path, const batch_record *record) {
    record_file *file = NULL;
    assert_int_equal(record_file_open(file_path, &file, NULL), PM_OK);
    assert_int_equal(records_append(file, record), PM_OK);
    assert_int_equal(record_file_close(&file, NULL), PM_OK);
    assert_null(file);
}

static void append(const batch_record *record) {
    append_to(path, record);
}

static record_table *read_table(size_t expected_dropped) {
    size_t dropped = 0;
    record_table *table = record_table_create();
    assert_non_null(table);
    assert_int_equal(record_table_add(table, path, false, &dropped, NULL), PM_OK);
    assert_int_equal(dropped, expected_dropped);
    assert_int_equal(record_table_dropped(table), expected_dropped);
    return table;
}

/* The one record of a name. */
static const batch_record *only(const record_table *table, const char *name) {
    size_t count = 0;
    const batch_record *const *records = record_table_find(table, name, &count);
    assert_non_null(records);
    assert_int_equal(count, 1);
    return records[0];
}

static size_t name_count(record_table *table) {
    size_t count = 0;
    assert_non_null(record_table_names(table, &count));
    return count;
}

static char text[4096];

static size_t read_bytes(void) {
    size_t size;
    SCOPED(free_at) char *data = test_folder_read(path, &size);
    assert_true(size < sizeof text);
    memcpy(text, data, size + 1);
    return size;
}

/* ---- round trips ----------------------------------------------------------------------------- */

TEST(every_member_is_read_back) {
    const batch_record done = records_full(RECORD_DONE), kept = records_full(RECORD_KEPT),
                       failed = records_full(RECORD_FAILED);
    const batch_record *const all[] = {&done, &kept, &failed};
    for (size_t i = 0; i < 3; i++) {
        append(all[i]);
        record_table *table = read_table(0);
        records_expect_equal(only(table, all[i]->name), all[i]);
        record_table_destroy(&table);
        assert_null(table);
    }
}

TEST(odd_names_are_read_back) {
    static const char *const names[] = {
        "\"quotes\" and \\ backslash",
        "tab\tnewline\nescape\x1b[31m",
        "\x7f\xc2\x9b",
        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
        "\xff",
        "latin \xe4",
        "cut \xe2\x82",
        "surrogate \xed\xa0\x80",
        "over\xc0\xaflong",
        "\xef\xbf\xbd",
        "a\xff"
        "b",
        "a\xfe"
        "b",
        "\xef\xbf\xbe",
        "\\ufffd",
    };
    enum { COUNT = COUNT_OF(names) };
    for (size_t i = 0; i < COUNT; i++) {
        batch_record record = records_full(RECORD_DONE);
        record.name = record.in = record.out = names[i];
        append(&record);
    }
    SCOPED(record_table_destroy) record_table *table = read_table(0);
    assert_int_equal(name_count(table), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const batch_record *record = only(table, names[i]);
        assert_string_equal(record->name, names[i]);
        assert_string_equal(record->in, names[i]);
        assert_string_equal(record->out, names[i]);
    }
}

TEST(lines_have_no_control_characters) {
    batch_record record = records_full(RECORD_FAILED);
    record.name = record.in = record.out = record.error = record.method = "\x1b\n\xff\xc2\x85";
    append(&record);
    const size_t size = read_bytes();
    for (size_t i = 0; i + 1 < size; i++) {
        assert_true((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
        assert_false(text[i] == '\xc2' && (unsigned char)text[i + 1] < 0xa0);
    }
    assert_int_equal(text[size - 1], '\n');
}

TEST(warnings_never_make_a_line_too_long) {
    enum { COUNT = 3000, SIZE = 1000 };
    static char long_text[SIZE + 1];
    static const char *warnings[COUNT];
    batch_record record = records_full(RECORD_FAILED);
    memset(long_text, 1, SIZE); /* each byte is written as six */
    for (size_t i = 0; i < COUNT; i++)
        warnings[i] = long_text;
    record.warnings = warnings;
    record.warning_count = COUNT;
    record.error = long_text;
    append(&record);
    SCOPED(record_table_destroy) record_table *table = read_table(0);
    const batch_record *found = only(table, record.name);
    assert_in_range(found->warning_count, 2, COUNT - 1);
    char more[64];
    snprintf(more, sizeof more, "%zu more warnings", COUNT - (found->warning_count - 1));
    assert_string_equal(found->warnings[found->warning_count - 1], more);
    assert_string_equal(found->warnings[found->warning_count - 2], long_text);
}

TEST(a_record_that_readers_would_drop_is_refused) {
    batch_record record = records_full(RECORD_DONE);
    record_file *file = NULL;
    SCOPED(free_at) char *name = malloc(RECORD_LINE_MAX + 1);
    assert_non_null(name);
    memset(name, 'a', RECORD_LINE_MAX);
    name[RECORD_LINE_MAX] = '\0';
    record.name = name;
    assert_int_equal(record_file_open(path, &file, NULL), PM_OK);
    assert_int_equal(records_append(file, &record), PM_ERROR_OUTPUT);
    record.name = "short";
    assert_int_equal(records_append(file, &record), PM_OK);
    assert_int_equal(record_file_close(&file, NULL), PM_OK);
    SCOPED(record_table_destroy) record_table *table = read_table(0);
    assert_int_equal(name_count(table), 1);
}

/* ---- torn lines ------------------------------------------------------------------------------ */

TEST(a_line_torn_at_any_byte_is_dropped_and_ended) {
    static char both[sizeof text];
    batch_record first = records_full(RECORD_DONE), second = first, third = first;
    first.name = "first";
    second.name = "second";
    third.name = "third";
    append(&first);
    const size_t begin = read_bytes();
    append(&second);
    const size_t end = read_bytes();
    memcpy(both, text, end);
    for (size_t size = begin; size <= end; size++) {
        test_folder_put(path, both, size);
        /* Only the newline is missing where size is end - 1. */
        const bool whole = size + 1 >= end, torn = size > begin && !whole;
        SCOPED(record_table_destroy) record_table *table = read_table(torn);
        assert_int_equal(name_count(table), whole ? 2 : 1);
        record_table_destroy(&table);
        append(&third);
        table = read_table(torn);
        assert_int_equal(name_count(table), whole ? 3 : 2);
        records_expect_equal(only(table, "first"), &first);
        records_expect_equal(only(table, "third"), &third);
    }
}

TEST(a_full_disk_is_told_and_the_rest_is_kept) {
    batch_record record = records_full(RECORD_DONE);
    struct rlimit before, limit;
    record_file *file = NULL;
    append(&record);
    const size_t size = read_bytes();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t part = 0; part + 1 < size; part += size / 7) {
        unlink(path);
        append(&record);
        record.name = "walks/b.bvh"; /* of the same length */
        assert_int_equal(record_file_open(path, &file, NULL), PM_OK);
        limit = before;
        limit.rlim_cur = size + part;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const pm_status full = records_append(file, &record);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(full, PM_ERROR_OUTPUT);
        record_table *table = read_table(part > 0);
        assert_int_equal(name_count(table), 1);
        record_table_destroy(&table);
        /* There is room again. */
        assert_int_equal(records_append(file, &record), PM_OK);
        assert_int_equal(record_file_close(&file, NULL), PM_OK);
        table = read_table(part > 0);
        assert_int_equal(name_count(table), 2);
        record_table_destroy(&table);
        record.name = records_full(RECORD_DONE).name;
    }
}

/* ---- several writers ------------------------------------------------------------------------- */

enum { WRITERS = 4, EACH = 300 };

typedef struct writer {
    record_file *file;
    int number;
    pthread_t thread;
} writer;

/* Names of different lengths, so that lines would mix visibly. */
static void write_many(record_file *file, int number) {
    char name[2048];
    batch_record record = records_full(RECORD_DONE);
    for (int i = 0; i < EACH; i++) {
        snprintf(name, sizeof name, "%d-%d-%0*d", number, i, 1 + i * 7 % 1500, 0);
        record.name = name;
        if (records_append(file, &record) != PM_OK)
            exit(1);
    }
}

static void expect_all(void) {
    SCOPED(record_table_destroy) record_table *table = read_table(0);
    assert_int_equal(name_count(table), WRITERS * EACH);
}

TEST(lines_of_processes_do_not_mix) {
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            record_file *file = NULL;
            const bool opened = record_file_open(path, &file, NULL) == PM_OK;
            if (opened)
                write_many(file, i);
            _exit(opened && record_file_close(&file, NULL) == PM_OK ? 0 : 1);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    expect_all();
}

/* ---- files ----------------------------------------------------------------------------------- */

TEST(what_is_no_regular_file_is_refused) {
    static const char *const names[] = {"fifo",      "subfolder", "/dev/null",
                                        "/dev/full", "link",      "file/records.jsonl"};
    record_file *file = NULL;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("subfolder", 0700), 0);
    assert_int_equal(symlink("fifo", "link"), 0);
    fclose(fopen("file", "w"));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(record_file_open(names[i], &file, NULL), PM_ERROR_OUTPUT);
        assert_null(file);
        SCOPED(record_table_destroy) record_table *table = record_table_create();
        assert_int_equal(record_table_add(table, names[i], true, NULL, NULL), PM_ERROR_FILE);
    }
}

TEST(long_lines_are_dropped_alone) {
    const size_t size = RECORD_LINE_MAX + 100;
    SCOPED(free_at) char *line = malloc(size);
    const batch_record record = records_full(RECORD_DONE);
    assert_non_null(line);
    /* A record, made too long or just not by blanks. */
    append(&record);
    const size_t length = read_bytes() - 1;
    for (size_t extra = 0; extra < 2; extra++) {
        memset(line, ' ', size);
        memcpy(line, text, length);
        line[RECORD_LINE_MAX + extra] = '\n';
        test_folder_put(path, line, RECORD_LINE_MAX + extra + 1);
        SCOPED(record_table_destroy) record_table *table = read_table(extra);
        assert_int_equal(name_count(table), 1 - extra);
        record_table_destroy(&table);
        append(&record);
        table = read_table(extra);
        assert_int_equal(name_count(table), 1);
    }
}

/* ---- tables -------------------------------------------------------------------------------- */

static void append_named(const char *file_path, const char *name, record_status status,
                         int64_t time) {
    batch_record record = records_full(status);
    record.name = name;
    record.time = time;
    append_to(file_path, &record);
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
    append_named("last", "a", RECORD_DONE, 9);
    append_named("last", "b", RECORD_DONE, 9);
    append_named("last", "a", RECORD_FAILED, 3); /* a clock that was set back */
    SCOPED(record_table_destroy) record_table *table = table_of(paths, 1);
    const batch_record *const *found = record_table_find(table, "a", &count);
    assert_int_equal(count, 1);
    assert_int_equal(found[0]->status, RECORD_FAILED);
    assert_string_equal(found[0]->from, "last");
    assert_null(record_table_find(table, "c", &count));
    assert_int_equal(count, 0);
}

/* Three files in each order: the first record is always the same. */
static void expect_first(const char *const paths[3], const char *first, record_status status) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        size_t count = 0;
        const char *const order[] = {paths[orders[i][0]], paths[orders[i][1]], paths[orders[i][2]]};
        SCOPED(record_table_destroy) record_table *table = table_of(order, 3);
        const batch_record *const *found = record_table_find(table, "a", &count);
        assert_int_equal(count, 3);
        assert_string_equal(found[0]->from, first);
        assert_int_equal(found[0]->status, status);
        for (size_t k = 0; k + 1 < count; k++) { /* sorted */
            const bool failed = found[k]->status == RECORD_FAILED,
                       next_failed = found[k + 1]->status == RECORD_FAILED;
            assert_true(failed == next_failed ? found[k]->time >= found[k + 1]->time : next_failed);
        }
    }
}

TEST(the_latest_that_is_no_failure_comes_first) {
    static const char *const mixed[] = {"m1", "m2", "m3"}, *const failed[] = {"f1", "f2", "f3"};
    append_named("m1", "a", RECORD_DONE, 1);
    append_named("m2", "a", RECORD_KEPT, 2);
    append_named("m3", "a", RECORD_FAILED, 3);
    expect_first(mixed, "m2", RECORD_KEPT);
    append_named("f1", "a", RECORD_FAILED, 5);
    append_named("f2", "a", RECORD_FAILED, INT64_MAX);
    append_named("f3", "a", RECORD_FAILED, INT64_MIN);
    expect_first(failed, "f2", RECORD_FAILED);
}

#define DIGEST "\"0123456789abcdef0123456789abcdef\""
#define RECORD                                                                                     \
    "\"name\": \"a\", \"in\": \"i\", \"out\": \"o\", \"status\": \"done\", \"output_digest\": " DIGEST

static size_t names_of_line(const char *line, size_t size, size_t *dropped) {
    size_t count = 0;
    test_folder_put("line", line, size);
    SCOPED(record_table_destroy) record_table *table = record_table_create();
    assert_int_equal(record_table_add(table, "line", false, dropped, NULL), PM_OK);
    assert_non_null(record_table_names(table, &count));
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
    SCOPED(record_table_destroy) record_table *table = record_table_create();
    append_named("sub/records-1.jsonl", "b", RECORD_DONE, 1);
    append_named("sub/records-0.jsonl", "a", RECORD_DONE, 1);
    append_named("sub/other-0.jsonl", "c", RECORD_DONE, 1);
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
}

TEST(a_missing_file_is_empty_only_where_it_may_be) {
    size_t dropped = 7;
    SCOPED(record_table_destroy) record_table *table = record_table_create();
    assert_int_equal(record_table_add(table, "none", false, &dropped, NULL), PM_ERROR_FILE);
    assert_int_equal(record_table_add(table, "none", true, &dropped, NULL), PM_OK);
    assert_int_equal(dropped, 0);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
TEST_EACH(NULL, remove_file)
