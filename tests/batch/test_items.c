/* SPDX-License-Identifier: MIT
 *
 * Items of folders and files: their names, links, what is left out and what is a fault. Lists of
 * files: which lines are read and which are refused. Members of tar archives: what hostile headers
 * do, and reading; without libarchive, archives are refused.
 */
#define _XOPEN_SOURCE 700

#include "motion/base/os.h"
#include "motion/items/archive.h"
#include "motion/items/list_line.h"
#include "support/batch_files.h"
#include "support/tar_files.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static batch_items found;
static file_bytes tar;

static int leave(void **state) {
    batch_items_release(&found);
    free(tar.data);
    tar = (file_bytes){.size = 0};
    return test_folder_leave(state);
}

static void find_match(const char *operand, const char *match) {
    batch_find_operand(operand, match, &found);
}

static void find(const char *operand) {
    batch_find_operand(operand, NULL, &found);
}

static void find_list(const char *text) {
    batch_find_list(text, PM_OK, "", &found);
}

static void find_from(const char *list, pm_status status, const char *word) {
    batch_find(&(pm_motion_batch_sources){.files_from = list}, status, word, &found);
}

static void expect_two_refused(const char *first, const char *second, const char *word) {
    const char *paths[] = {first, second};
    batch_find(&(pm_motion_batch_sources){.paths = paths, .path_count = 2}, PM_ERROR_ARGUMENT, word,
               &found);
}

static void expect_fault(const char *name, const char *word) {
    const char *fault = batch_item_named(&found, name)->fault;
    if (!fault || !strstr(fault, word))
        fail_msg("%s: the fault is '%s', expected '%s'", name, fault, word);
}

TEST(names_are_relative_to_the_folder_and_sorted_by_bytes) {
    test_folder_put_text("in/b.bvh", "12345");
    test_folder_put_text("in/a/z.BVH", "");
    test_folder_put_text("in/a b/\xe6\xad\xa9 1.npz", "1");
    test_folder_put_text("in/a-/c.glb", "");
    test_folder_put_text("in/B.csv", "");
    static const char *const ways[] = {"in", "in/", "./in", "in//", "in/a/.."};
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        find(ways[i]);
        BATCH_EXPECT(&found, "B.csv", "a b/\xe6\xad\xa9 1.npz", "a-/c.glb", "a/z.BVH", "b.bvh");
        assert_int_equal(batch_item_named(&found, "b.bvh")->bytes, 5);
        assert_true(access(batch_item_named(&found, "a/z.BVH")->path, R_OK) == 0);
    }
    assert_int_equal(chdir("in"), 0);
    find(".");
    assert_int_equal(found.count, 5);
}

TEST(a_file_that_is_given_has_its_last_name) {
    test_folder_put_text("x/y/walk.txt", "123");
    find("x/y/walk.txt");
    BATCH_EXPECT(&found, "walk.txt");
    assert_int_equal(found.items[0].bytes, 3);
    find("-");
    BATCH_EXPECT(&found, "-");
    find("none.bvh");
    BATCH_EXPECT(&found, "!none.bvh");
}

TEST(two_inputs_with_one_name_are_refused_by_both_names) {
    test_folder_put_text("a/t.bvh", "");
    test_folder_put_text("b/t.bvh", "");
    expect_two_refused("a", "b/", "b/t.bvh: has the output name 't.bvh', which 'a/t.bvh'");
    expect_two_refused("b/t.bvh", "a/t.bvh", "'a/t.bvh'");
    expect_two_refused("a", "a", "has the output name");
}

TEST(a_name_that_another_one_needs_as_a_folder_is_refused) {
    test_folder_put_text("a/t.bvh", "");
    test_folder_put_text("a/t.bvh-2.bvh", "");
    test_folder_put_text("a/u/v.bvh", "");
    test_folder_put_text("b/t.bvh/x/y.bvh", "");
    expect_two_refused("a", "b", "needs a folder where 'a/t.bvh' has its output");
}

TEST(the_folder_of_records_is_no_place_for_outputs) {
    test_folder_put_text(".posemill", "");
    test_folder_put_text("x/.posemill/a.bvh", "");
    find(".posemill");
    BATCH_EXPECT(&found, "!.posemill");
    expect_fault(".posemill", "where records are");
    batch_find_list("{\"path\": \".posemill/a.bvh\", \"bytes\": 1}\nnone.bvh\n", PM_OK, "", &found);
    BATCH_EXPECT(&found, "!.posemill/a.bvh", "!none.bvh");
    find("x");
    assert_int_equal(found.count, 0);
}

TEST(hidden_files_and_other_formats_are_skipped) {
    test_folder_put_text("in/a.bvh", "");
    test_folder_put_text("in/.b.bvh", "");
    test_folder_put_text("in/.git/c.bvh", "");
    test_folder_put_text("in/d.txt", "");
    test_folder_put_text("in/bvh", "");
    find("in");
    BATCH_EXPECT(&found, "a.bvh");
    /* A folder that is given is searched whatever its name. */
    find("in/.git");
    BATCH_EXPECT(&found, "c.bvh");
}

TEST(globs_pick_by_name_or_by_path) {
    test_folder_put_text("in/walk1.txt", "");
    test_folder_put_text("in/run.bvh", "");
    test_folder_put_text("in/s/walk2.bvh", "");
    test_folder_put_text("in/s/t/walk3.bvh", "");
    find_match("in", "walk*");
    BATCH_EXPECT(&found, "s/t/walk3.bvh", "s/walk2.bvh", "walk1.txt");
    find_match("in", "s/*.bvh");
    BATCH_EXPECT(&found, "s/walk2.bvh");
    find_match("in", "*.[x-z]*");
    assert_int_equal(found.count, 0);
    /* Files that are given are not picked. */
    find_match("in/run.bvh", "walk*");
    BATCH_EXPECT(&found, "run.bvh");
}

TEST(a_folder_of_outputs_inside_is_not_searched) {
    test_folder_put_text("in/a.bvh", "");
    test_folder_put_text("in/out/a.bvh", "");
    test_folder_link("in/out", "alias");
    static const char *const outs[] = {"in/out", "./in//out/", "alias", "none"};
    for (size_t i = 0; i < COUNT_OF(outs); i++) {
        const char *const paths[] = {"in"};
        batch_find(&(pm_motion_batch_sources){.paths = paths, .path_count = 1, .out_dir = outs[i]},
                   PM_OK, "", &found);
        assert_int_equal(found.count, i < 3 ? 1 : 2);
        assert_string_equal(found.items[found.count - 1].name, i < 3 ? "a.bvh" : "out/a.bvh");
    }
}

TEST(special_files_are_never_opened) {
    test_folder_put_text("in/a.bvh", "");
    test_folder_pipe("in/f.bvh");
    test_folder_link("/dev/zero", "in/z.bvh");
    test_folder_link("f.bvh", "in/g.bvh");
    find("in");
    BATCH_EXPECT(&found, "a.bvh");
}

TEST(folders_that_links_lead_to_are_entered_once_after_the_real_ones) {
    test_folder_put_text("in/real/a.bvh", "1");
    test_folder_put_text("far/b.bvh", "22");
    test_folder_put_text("far/deep/c.bvh", "");
    test_folder_link("real", "in/alias");
    test_folder_link("../far", "in/link1");
    test_folder_link("../far/deep", "in/link0");
    test_folder_link("../../far", "in/real/link");
    test_folder_link("real/a.bvh", "in/file.bvh");
    find("in");
    BATCH_EXPECT(&found, "file.bvh", "link0/c.bvh", "link1/b.bvh", "real/a.bvh");
    assert_int_equal(batch_item_named(&found, "file.bvh")->bytes, 1);
}

TEST(loops_and_links_to_nothing_are_faults) {
    test_folder_put_text("in/s/a.bvh", "");
    test_folder_link("..", "in/s/up");
    test_folder_link(".", "in/here");
    test_folder_link("self", "in/self");
    test_folder_link("none", "in/none.bvh");
    test_folder_link("none", "in/none.txt");
    find("in");
    BATCH_EXPECT(&found, "!here", "!none.bvh", "s/a.bvh", "!s/up", "!self");
    expect_fault("s/up", "loop");
    expect_fault("self", "loop");
    expect_fault("none.bvh", "does not exist");
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void refused(const char *text, const char *word) {
    batch_find_list(text, PM_ERROR_FILE, word, &found);
}

TEST(a_line_is_a_path_or_an_object) {
    test_folder_put_text("x/a.bvh", "123");
    test_folder_put_text("x/{b}.bvh", "");
    test_folder_put_text(" c .bvh", "1");
    find_list(
        "\xef\xbb\xbf./x//a.bvh\r\n\n\r\n./x/{b}.bvh\n c .bvh\n"
        "{\"path\": \"/far/../e.npz\", \"bytes\": 77, \"source_rate\": 29.97, \"layout\": \"amass\"}\n"
        "{\"path\": \"x/a.bvh\", \"out\": \"q/r.bvh\", \"source_rate\": \"30000/1001\"}");
    BATCH_EXPECT(&found, " c .bvh", "far/e.npz", "q/r.bvh", "x/a.bvh", "x/{b}.bvh");
    const batch_item *item = batch_item_named(&found, "far/e.npz");
    assert_string_equal(item->path, "/far/../e.npz");
    assert_int_equal(item->bytes, 77);
    assert_string_equal(item->layout, "amass");
    assert_int_equal(item->source_rate.num, 2997);
    assert_int_equal(item->source_rate.den, 100);
    item = batch_item_named(&found, "q/r.bvh");
    assert_int_equal(item->bytes, 3);
    assert_int_equal(item->source_rate.num, 30000);
    assert_int_equal(batch_item_named(&found, "x/a.bvh")->source_rate.den, 0);
}

TEST(files_are_looked_at_only_where_the_list_has_no_size) {
    assert_int_equal(os_make_folder("folder"), 0);
    find_list("none.bvh\nfolder\n{\"path\": \"gone.bvh\", \"bytes\": 5}\n");
    BATCH_EXPECT(&found, "!folder", "gone.bvh", "!none.bvh");
    expect_fault("folder", "is a folder");
}

TEST(names_that_are_not_utf8_are_given_as_bytes) {
    find_list(
        "{\"path\": \"caf\xef\xbf\xbd.bvh\", \"path_bytes\": \"636166e92e627668\", \"bytes\": 1}\n");
    BATCH_EXPECT(&found, "caf\xe9.bvh");
    find_list("caf\xe9.bvh\n");
    BATCH_EXPECT(&found, "!caf\xe9.bvh");
}

TEST(lines_that_are_none_are_refused_by_number) {
    static const struct {
        const char *line, *word;
    } cases[] = {
        {"{", "is no JSON object"},
        {"{}", "has no \"path\""},
        {"{\"path\": \"a\"} x", "is no JSON object"},
        {"{\"path\": \"a\", \"path\": \"b\"}", "duplicate"},
        {"{\"path\": \"\"}", "\"path\": expected a text"},
        {"{\"path\": 5}", "\"path\": expected a text"},
        {"{\"path\": null}", "\"path\": expected a text"},
        {"{\"path\": \"caf\xe9\"}", "unable to decode"},
        {"{\"path\": \"a\", \"size\": 5}", "\"size\": is unknown"},
        {"{\"path\": \"a\", \"bytes\": -1}", "\"bytes\": expected a whole number"},
        {"{\"path\": \"a\", \"bytes\": 1.5}", "\"bytes\""},
        {"{\"path\": \"a\", \"bytes\": \"5\"}", "\"bytes\""},
        {"{\"path\": \"a\", \"bytes\": 1125899906842625}", "2^50"},
        {"{\"path\": \"a\", \"bytes\": 99999999999999999999}", "is no JSON object"},
        {"{\"path\": \"a\", \"source_rate\": 0}", "\"source_rate\": expected"},
        {"{\"path\": \"a\", \"source_rate\": -30}", "\"source_rate\""},
        {"{\"path\": \"a\", \"source_rate\": \"fast\"}", "\"source_rate\""},
        {"{\"path\": \"a\", \"source_rate\": true}", "\"source_rate\""},
        {"{\"path\": \"a\", \"source_rate\": \"60\\u0000\"}", "\"source_rate\""},
        {"{\"path\": \"a\", \"source_rate\": 1e300}", "\"source_rate\""},
        {"{\"path\": \"a\", \"out\": \"/b\"}", "\"out\": expected a relative path"},
        {"{\"path\": \"a\", \"out\": \"../b\"}", "\"out\""},
        {"{\"path\": \"a\", \"out\": \"b/\"}", "\"out\""},
        {"{\"path\": \"a\", \"out\": \"b//c\"}", "\"out\""},
        {"{\"path\": \"a\", \"layout\": []}", "\"layout\""},
        {"{\"path_bytes\": \"6\"}", "\"path_bytes\": expected bytes"},
        {"{\"path_bytes\": \"\"}", "\"path_bytes\""},
        {"{\"path_bytes\": \"6100\"}", "\"path_bytes\""},
        {"{\"path_bytes\": \"6G\"}", "\"path_bytes\""},
    };
    char text[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        snprintf(text, sizeof text, "good.bvh\r\n\n%s\nbad.bvh\n", cases[i].line);
        refused(text, "line 3: ");
        refused(text, cases[i].word);
    }
}

TEST(names_that_no_system_opens_fail_alone) {
    static const char with_nul[] =
        "a.bvh\nb\0.bvh\n{\"path\": \"a.bvh\", \"out\": \"c\\u0000.bvh\"}\n"
        "{\"path\": \"d\\u0000\", \"member\": \"e\", \"bytes\": 1}\n";
    static char text[100000];
    test_folder_put_text("a.bvh", "");
    test_folder_put("nul.txt", with_nul, sizeof with_nul - 1);
    find_from("nul.txt", PM_OK, "");
    BATCH_EXPECT(&found, "a.bvh", "!b\\x00.bvh", "!c\\x00.bvh", "!e");
    expect_fault("e", "has a NUL byte");
    memset(text, 'b', sizeof text - 1);
    memcpy(text, "a.bvh\n", 6);
    find_list(text);
    assert_int_equal(found.count, 2);
    assert_null(batch_item_named(&found, "a.bvh")->fault);
}

TEST(what_is_no_list_is_refused) {
    static char text[LIST_OBJECT_MAX + 3];
    memset(text, 'a', LIST_OBJECT_MAX + 1);
    text[0] = '{';
    refused(text, "line 1: is longer than 1 MiB");
    memset(text, 0, sizeof text);
    test_folder_put("zeros.txt", text, sizeof text);
    find_from("zeros.txt", PM_ERROR_FILE, "is no list");
    find_from("none.txt", PM_ERROR_FILE, "none.txt");
    find_from(".", PM_ERROR_FILE, "");
}

static void expect_same_items(const batch_items *a, const batch_items *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const batch_item *x = &a->items[i], *y = &b->items[i];
        assert_string_equal(x->path, y->path);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->bytes, y->bytes);
        assert_memory_equal(&x->source_rate, &y->source_rate, sizeof x->source_rate);
        assert_int_equal(x->layout == NULL, y->layout == NULL);
        assert_true(x->layout == NULL || strcmp(x->layout, y->layout) == 0);
        assert_int_equal(x->archive == NULL, y->archive == NULL);
        assert_true(x->archive == NULL || strcmp(x->archive, y->archive) == 0);
        assert_int_equal(x->member, y->member);
        assert_null(y->fault);
    }
}

TEST(a_list_that_was_written_gives_the_same_items) {
    SCOPED(batch_items_release) batch_items again = {.count = 0};
    test_folder_put_text("in/a.bvh", "1");
    test_folder_put_text("in/s/\"b\\\x1b[2J\n.bvh", "22");
    test_folder_put_text("in/s/caf\xe9.bvh", "333");
    test_folder_put_text("in/s/\xc2\x9b.bvh", "");
    test_folder_put_text("more.txt",
                         "in/a.bvh\n{\"path\": \"in/x.npz\", \"bytes\": 9, \"source_rate\": 59.94, "
                         "\"layout\": \"pl\xc3\xa4in\", \"out\": \"o/x.npz\"}\n");
    const char *const paths[] = {"in"};
    const pm_motion_batch_sources sources = {
        .paths = paths, .path_count = 1, .files_from = "more.txt"};
    batch_find(&sources, PM_OK, "", &found);
    assert_int_equal(found.count, 6);
    assert_int_equal(list_write("list.jsonl", &found, NULL), PM_OK);
    batch_find(&(pm_motion_batch_sources){.files_from = "list.jsonl"}, PM_OK, "", &again);
    expect_same_items(&found, &again);
}

/* ---- archives -------------------------------------------------------------------------------- */

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

static void has_fault(const char *path, const char *word) {
    find_from(path, PM_OK, "");
    expect_fault(path, word);
}

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
    expect_fault("c.bvh", "link");
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
    expect_fault("cut.tar", "Truncated");
    test_folder_put("header.tar", tar.data, 1024 + 100);
    find("header.tar");
    BATCH_EXPECT(&found, "a.bvh", "!header.tar");
    test_folder_put_text("text.tar", "HIERARCHY\n");
    has_fault("text.tar", "archive format");
    test_folder_put_text("empty.tar.gz", "");
    has_fault("empty.tar.gz", "archive format");
    has_fault("none.tar", "No such file");
    test_folder_pipe("pipe.tar");
    has_fault("pipe.tar", "no regular file");
}

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
        SCOPED(archive_close) archive_reader *reader = open_archive(path);
        expect_read(reader, "a.bvh", "first");
        expect_read(reader, "b.bvh", "");
        expect_read(reader, "c.bvh", "third\nline");
        expect_no_read(reader, batch_item_named(&found, "c.bvh"), "before the last");
        archive_close(&reader);
        reader = open_archive(path);
        expect_read(reader, "c.bvh", "third\nline");
    }
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
    SCOPED(archive_close) archive_reader *reader = open_archive("t.tar");
    expect_no_read(reader, &found.items[0], "has changed");
    expect_no_read(reader, &found.items[1], "has changed");
    expect_no_read(reader, &found.items[2], "has changed");
    expect_no_read(reader, &found.items[3], "has changed");
}

/* A header that claims a petabyte: nothing may be allocated for it. */
TEST(sizes_in_headers_are_not_trusted) {
    const uint64_t claimed = UINT64_C(1) << 50;
    tar_add_text(&tar, "a.bvh", "1");
    tar_add(&tar, &(tar_entry){.name = "b.bvh", .data = "22", .size = 2, .claimed = claimed});
    tar_put(&tar, "t.tar");
    has_fault("t.tar", "Truncated");
    batch_find_list("{\"path\": \"t.tar\", \"member\": \"b.bvh\"}\n", PM_OK, "", &found);
    assert_int_equal(found.items[0].bytes, claimed);
    assert_null(found.items[0].fault);
    SCOPED(archive_close) archive_reader *reader = open_archive("t.tar");
    expect_no_read(reader, &found.items[0], "runcated");
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
        "{\"path\": \"t.tar\", \"member\": \"a.bvh\", \"source_rate\": 30}\n"
        "{\"path\": \"t.tar\", \"member\": \"a.bvh\", \"out\": \"o.bvh\", \"bytes\": 7}\n",
        PM_OK, "", &found);
    BATCH_EXPECT(&found, "a.bvh", "!l.bvh", "!none.bvh", "o.bvh", "!x.bvh");
    assert_int_equal(found.items[0].bytes, 2);
    assert_int_equal(found.items[0].member, 2);
    assert_int_equal(found.items[3].bytes, 7);
    assert_int_equal(found.items[3].member, 2);
    expect_fault("none.bvh", "is not in the archive");
    expect_fault("x.bvh", "archive format");
    SCOPED(archive_close) archive_reader *reader = open_archive("t.tar");
    expect_read(reader, "a.bvh", "22");
    archive_close(&reader);
    reader = open_archive("t.tar");
    expect_no_read(reader, &found.items[3], "has changed");
}

#else

TEST(archives_are_refused_with_the_reason) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    archive_reader *reader = NULL;
    tar_add_text(&tar, "a.bvh", "1");
    tar_put(&tar, "t.tar");
    find_from("t.tar", PM_ERROR_FILE, "without libarchive");
    batch_find_list("{\"path\": \"t.tar\", \"member\": \"a.bvh\"}\n", PM_ERROR_FILE,
                    "without libarchive", &found);
    assert_false(archive_open("t.tar", &reader, reason));
    assert_non_null(strstr(reason, "without libarchive"));
}

#endif

TEST_EACH(test_folder_enter, leave)
