/* SPDX-License-Identifier: MIT
 *
 * Members of tar archives: which become items, what hostile headers do, and reading. Without
 * libarchive the tests see that archives are refused.
 */
#define _XOPEN_SOURCE 700

#include "motion/items/archive.h"
#include "motion/items/list_write.h"
#include "support/batch_files.h"
#include "support/tar_files.h"
#include "support/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static batch_items found;
static file_bytes tar;

static int leave(void **state) {
    batch_items_release(&found);
    free(tar.data);
    tar = (file_bytes){.size = 0};
    return test_folder_leave(state);
}

TEST(names_of_archives_are_known) {
    static const char *const good[] = {"a.tar",    "x/A.TAR.GZ", "a.tgz",
                                       "a.tar.xz", "a.tar.bz2",  "a.b.tar.zst"};
    static const char *const bad[] = {"a.bvh", "tar", ".tar", "a.tar.lz4", "a.gz", "a.tar/b", ""};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(archive_is_named(good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(archive_is_named(bad[i]));
}

#ifdef POSEMILL_LIBARCHIVE

static void find_match(const char *operand, const char *match) {
    batch_items_release(&found);
    batch_find_operand(operand, match, &found);
}

static void find(const char *operand) {
    find_match(operand, NULL);
}

static void has_fault(const char *path, const char *word) {
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.files_from = path}, PM_OK, "", &found);
    assert_non_null(strstr(batch_item_named(&found, path)->fault, word));
}

/* ---- listing ------------------------------------------------------------------------------- */

TEST(members_are_items_with_their_names_in_the_archive) {
    tar_add(&tar, &(tar_entry){.name = "./walks/", .type = TAR_FOLDER});
    tar_add_text(&tar, "./walks/b.bvh", "12345");
    tar_add_text(&tar, "notes.txt", "none");
    tar_add_text(&tar, "\xe6\xad\xa9 a.npz", "1");
    tar_add_text(&tar, "caf\xe9.bvh", "22");
    tar_put(&tar, "takes.tar");
    find("takes.tar");
    BATCH_EXPECT(&found, "caf\xe9.bvh", "walks/b.bvh", "\xe6\xad\xa9 a.npz");
    const batch_item *item = batch_item_named(&found, "walks/b.bvh");
    assert_string_equal(item->path, "takes.tar:./walks/b.bvh");
    assert_string_equal(item->archive, "takes.tar");
    assert_int_equal(item->bytes, 5);
    assert_int_equal(item->member, 1);
    find_match("takes.tar", "*.txt");
    BATCH_EXPECT(&found, "notes.txt");
    find_match("takes.tar", "walks/*");
    BATCH_EXPECT(&found, "walks/b.bvh");
}

TEST(hostile_names_stay_below_the_folder_of_outputs) {
    tar_add_text(&tar, "/etc/a.bvh", "");
    tar_add_text(&tar, "../../b.bvh", "");
    tar_add_text(&tar, "x/../../c.bvh", "");
    tar_add_text(&tar, "..", "");
    tar_add_text(&tar, "/", "");
    tar_add_text(&tar, ".posemill/records.bvh", "");
    tar_add_text(&tar, "x/._d.bvh", "");
    tar_add_text(&tar, "e\x1b[2J.bvh", "");
    tar_put(&tar, "t.tar");
    find("t.tar");
    BATCH_EXPECT(&found, "b.bvh", "e\x1b[2J.bvh", "etc/a.bvh", "x/c.bvh");
    find_match("t.tar", "*");
    assert_int_equal(found.count, 4);
}

TEST(links_are_faults_and_devices_are_skipped) {
    tar_add_text(&tar, "a.bvh", "1");
    tar_add(&tar, &(tar_entry){.name = "b.bvh", .type = TAR_LINK, .target = "/etc/passwd"});
    tar_add(&tar, &(tar_entry){.name = "c.bvh", .type = TAR_HARD_LINK, .target = "a.bvh"});
    tar_add(&tar, &(tar_entry){.name = "d.bvh", .type = TAR_DEVICE});
    tar_add(&tar, &(tar_entry){.name = "e.bvh", .type = TAR_FIFO});
    tar_add(&tar, &(tar_entry){.name = "f", .type = TAR_LINK, .target = "a.bvh"});
    tar_put(&tar, "t.tar");
    find("t.tar");
    BATCH_EXPECT(&found, "a.bvh", "!b.bvh", "!c.bvh");
    assert_non_null(strstr(batch_item_named(&found, "c.bvh")->fault, "link"));
}

TEST(the_last_member_of_a_name_counts) {
    tar_add_text(&tar, "a.bvh", "1");
    tar_add_text(&tar, "b.bvh", "1");
    tar_add_text(&tar, "a.bvh", "333");
    tar_add_text(&tar, "a.bvh", "22");
    tar_put(&tar, "t.tar");
    find("t.tar");
    BATCH_EXPECT(&found, "a.bvh", "b.bvh");
    assert_int_equal(found.items[0].bytes, 2);
    assert_int_equal(found.items[0].member, 3);
    tar_add_text(&tar, "a.bvh", "1");
    tar_add_text(&tar, "../a.bvh", "4444"); /* tar unpacks it to the same place */
    tar_put(&tar, "t.tar");
    batch_items_release(&found);
    find("t.tar");
    BATCH_EXPECT(&found, "a.bvh");
    assert_int_equal(found.items[0].bytes, 4);
}

TEST(what_an_archive_cannot_give_is_one_fault) {
    static char data[20000];
    tar_add_text(&tar, "a.bvh", "1");
    tar_add(&tar, &(tar_entry){.name = "b.bvh", .data = data, .size = sizeof data});
    test_folder_put("cut.tar", tar.data, tar.size - 15000);
    find("cut.tar");
    BATCH_EXPECT(&found, "a.bvh", "b.bvh", "!cut.tar");
    assert_non_null(strstr(batch_item_named(&found, "cut.tar")->fault, "Truncated"));
    test_folder_put("header.tar", tar.data, 1024 + 100);
    find("header.tar");
    BATCH_EXPECT(&found, "a.bvh", "!header.tar");
    test_folder_put_text("text.tar", "HIERARCHY\n");
    has_fault("text.tar", "archive format");
    test_folder_put_text("empty.tar.gz", "");
    has_fault("empty.tar.gz", "archive format");
    has_fault("none.tar", "No such file");
    assert_int_equal(mkfifo("pipe.tar", 0600), 0);
    has_fault("pipe.tar", "no regular file");
}

/* ---- reading ------------------------------------------------------------------------------- */

static void expect_read(archive_reader *reader, const char *name, const char *text) {
    char reason[ARCHIVE_REASON_SIZE] = "", *data = NULL;
    size_t size = 0;
    if (!archive_read(reader, batch_item_named(&found, name), NULL, &data, &size, reason))
        fail_msg("%s: %s", name, reason);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(data, text, size + 1);
    free(data);
}

static void expect_no_read(archive_reader *reader, const batch_item *item, const char *word) {
    char reason[ARCHIVE_REASON_SIZE] = "", *data = reason;
    size_t size = 1;
    assert_false(archive_read(reader, item, NULL, &data, &size, reason));
    if (!strstr(reason, word))
        fail_msg("'%s' instead of '%s'", reason, word);
    assert_null(data);
    assert_int_equal(size, 0);
}

static archive_reader *open_archive(const char *path) {
    char reason[ARCHIVE_REASON_SIZE];
    archive_reader *reader = NULL;
    assert_true(archive_open(path, &reader, reason));
    return reader;
}

TEST(members_are_read_in_order_from_every_compression) {
    static const char *const ends[] = {"tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"};
    static const char *const packers[] = {"cat", "gzip -c", "bzip2 -c", "xz -c", "zstd -qc"};
    char line[128], path[32];
    tar_add_text(&tar, "a.bvh", "first");
    tar_add_text(&tar, "b.bvh", "");
    tar_add_text(&tar, "c.bvh", "third\nline");
    tar_put(&tar, "plain");
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "t.%s", ends[i]);
        snprintf(line, sizeof line, "%s plain >%s", packers[i], path);
        if (system(line) != 0) {
            print_message("%s is missing\n", packers[i]);
            continue;
        }
        find(path);
        BATCH_EXPECT(&found, "a.bvh", "b.bvh", "c.bvh");
        archive_reader *reader = open_archive(path);
        expect_read(reader, "a.bvh", "first");
        expect_read(reader, "b.bvh", "");
        expect_read(reader, "c.bvh", "third\nline");
        expect_no_read(reader, batch_item_named(&found, "c.bvh"), "before the last");
        archive_close(&reader);
        reader = open_archive(path);
        expect_read(reader, "c.bvh", "third\nline");
        archive_close(&reader);
    }
}

TEST(a_large_member_is_read_whole) {
    enum { SIZE = 5000001 };
    char *data = malloc(SIZE + 1);
    assert_non_null(data);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (char)('a' + i % 23);
    data[SIZE] = '\0';
    tar_add(&tar, &(tar_entry){.name = "a.bvh", .data = data, .size = SIZE});
    tar_add_text(&tar, "b.bvh", "behind");
    tar_put(&tar, "t.tar");
    find("t.tar");
    archive_reader *reader = open_archive("t.tar");
    expect_read(reader, "a.bvh", data);
    expect_read(reader, "b.bvh", "behind");
    archive_close(&reader);
    free(data);
}

TEST(members_that_changed_are_refused) {
    tar_add_text(&tar, "a.bvh", "12345");
    tar_add_text(&tar, "b.bvh", "1");
    tar_add_text(&tar, "c.bvh", "1");
    tar_add_text(&tar, "d.bvh", "1");
    tar_put(&tar, "t.tar");
    find("t.tar");
    tar_add_text(&tar, "a.bvh", "123456");
    tar_add(&tar, &(tar_entry){.name = "b.bvh", .type = TAR_LINK, .target = "a.bvh"});
    tar_add_text(&tar, "x.bvh", "1");
    tar_put(&tar, "t.tar");
    archive_reader *reader = open_archive("t.tar");
    expect_no_read(reader, &found.items[0], "has changed");
    expect_no_read(reader, &found.items[1], "has changed");
    expect_no_read(reader, &found.items[2], "has changed");
    expect_no_read(reader, &found.items[3], "has changed");
    archive_close(&reader);
}

/* A header that claims a petabyte: nothing may be allocated for it. */
TEST(sizes_in_headers_are_not_trusted) {
    const uint64_t claimed = UINT64_C(1) << 50;
    tar_add_text(&tar, "a.bvh", "1");
    tar_add(&tar, &(tar_entry){.name = "b.bvh", .data = "22", .size = 2, .claimed = claimed});
    tar_put(&tar, "t.tar");
    has_fault("t.tar", "Truncated");
    batch_items_release(&found);
    batch_find_list("{\"path\": \"t.tar\", \"member\": \"b.bvh\"}\n", PM_OK, "", &found);
    assert_int_equal(found.items[0].bytes, claimed);
    assert_null(found.items[0].fault);
    archive_reader *reader = open_archive("t.tar");
    expect_no_read(reader, &found.items[0], "runcated");
    archive_close(&reader);
}

/* ---- lists of members ---------------------------------------------------------------------- */

TEST(a_list_of_members_gives_the_same_items) {
    batch_items again = {.count = 0};
    tar_add_text(&tar, "../a.bvh", "1");
    tar_add_text(&tar, "x/b.bvh", "22");
    tar_add_text(&tar, "caf\xe9.bvh", "333");
    tar_put(&tar, "t:1.tar");
    find("t:1.tar");
    assert_int_equal(list_write("list.jsonl", &found, NULL), PM_OK);
    batch_find(&(pm_motion_batch_sources){.files_from = "list.jsonl"}, PM_OK, "", &again);
    assert_int_equal(again.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(again.items[i].path, found.items[i].path);
        assert_string_equal(again.items[i].name, found.items[i].name);
        assert_string_equal(again.items[i].archive, found.items[i].archive);
        assert_int_equal(again.items[i].member, found.items[i].member);
        assert_int_equal(again.items[i].bytes, found.items[i].bytes);
        assert_null(again.items[i].fault);
    }
    batch_items_release(&again);
}

TEST(members_that_a_list_names_in_vain_are_faults) {
    tar_add_text(&tar, "a.bvh", "1");
    tar_add(&tar, &(tar_entry){.name = "l.bvh", .type = TAR_LINK, .target = "a.bvh"});
    tar_add_text(&tar, "a.bvh", "22");
    tar_put(&tar, "t.tar");
    test_folder_put_text("bad.tar", "no archive");
    batch_find_list(
        "{\"path\": \"t.tar\", \"member\": \"none.bvh\"}\n"
        "{\"path\": \"bad.tar\", \"member\": \"x.bvh\"}\n"
        "{\"path\": \"t.tar\", \"member\": \"l.bvh\"}\n"
        "{\"path\": \"t.tar\", \"member\": \"a.bvh\", \"rate\": 30}\n"
        "{\"path\": \"t.tar\", \"member\": \"a.bvh\", \"out\": \"o.bvh\", \"bytes\": 7}\n",
        PM_OK, "", &found);
    BATCH_EXPECT(&found, "a.bvh", "!l.bvh", "!none.bvh", "o.bvh", "!x.bvh");
    assert_int_equal(found.items[0].bytes, 2);
    assert_int_equal(found.items[0].member, 2);
    assert_int_equal(found.items[3].bytes, 7);
    assert_int_equal(found.items[3].member, 2);
    assert_non_null(strstr(found.items[2].fault, "is not in the archive"));
    assert_non_null(strstr(found.items[4].fault, "archive format"));
    archive_reader *reader = open_archive("t.tar");
    expect_read(reader, "a.bvh", "22");
    archive_close(&reader);
    reader = open_archive("t.tar");
    expect_no_read(reader, &found.items[3], "has changed");
    archive_close(&reader);
}

#else

TEST(archives_are_refused_with_the_reason) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    archive_reader *reader = NULL;
    tar_add_text(&tar, "a.bvh", "1");
    tar_put(&tar, "t.tar");
    batch_find(&(pm_motion_batch_sources){.files_from = "t.tar"}, PM_ERROR_FILE,
               "without libarchive", &found);
    batch_items_release(&found);
    batch_find_list("{\"path\": \"t.tar\", \"member\": \"a.bvh\"}\n", PM_ERROR_FILE,
                    "without libarchive", &found);
    assert_false(archive_open("t.tar", &reader, reason));
    assert_non_null(strstr(reason, "without libarchive"));
}

#endif

const test_fixture each_fixture = {test_folder_enter, leave};
