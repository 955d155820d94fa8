/* SPDX-License-Identifier: MIT
 *
 * Lists of files: which lines are read and what becomes of them, which are refused and with what
 * words, and that a list that was written is read as the same items.
 */
#define _XOPEN_SOURCE 700

#include "motion/items/list_line.h"
#include "motion/items/list_write.h"
#include "support/batch_files.h"
#include "support/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static batch_items found;

static int leave(void **state) {
    batch_items_release(&found);
    return test_folder_leave(state);
}

static void find(const char *text) {
    batch_items_release(&found);
    batch_find_list(text, PM_OK, "", &found);
}

static void refused(const char *text, const char *word) {
    batch_items_release(&found);
    batch_find_list(text, PM_ERROR_FILE, word, &found);
}

TEST(a_line_is_a_path_or_an_object) {
    test_folder_put_text("x/a.bvh", "123");
    test_folder_put_text("x/{b}.bvh", "");
    test_folder_put_text(" c .bvh", "1");
    find("\xef\xbb\xbf./x//a.bvh\r\n\n\r\n./x/{b}.bvh\n c .bvh\n"
         "{\"path\": \"/far/../e.npz\", \"bytes\": 77, \"rate\": 29.97, \"layout\": \"amass\"}\n"
         "{\"path\": \"x/a.bvh\", \"out\": \"q/r.bvh\", \"rate\": \"30000/1001\"}");
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
    assert_int_equal(mkdir("folder", 0777), 0);
    find("none.bvh\nfolder\n{\"path\": \"gone.bvh\", \"bytes\": 5}\n");
    BATCH_EXPECT(&found, "!folder", "gone.bvh", "!none.bvh");
    assert_non_null(strstr(batch_item_named(&found, "folder")->fault, "is a folder"));
}

TEST(names_that_are_not_utf8_are_given_as_bytes) {
    find(
        "{\"path\": \"caf\xef\xbf\xbd.bvh\", \"path_bytes\": \"636166e92e627668\", \"bytes\": 1}\n");
    BATCH_EXPECT(&found, "caf\xe9.bvh");
    find("caf\xe9.bvh\n");
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
        {"{\"path\": \"a\", \"rate\": 0}", "\"rate\": expected"},
        {"{\"path\": \"a\", \"rate\": -30}", "\"rate\""},
        {"{\"path\": \"a\", \"rate\": \"fast\"}", "\"rate\""},
        {"{\"path\": \"a\", \"rate\": true}", "\"rate\""},
        {"{\"path\": \"a\", \"rate\": \"60\\u0000\"}", "\"rate\""},
        {"{\"path\": \"a\", \"rate\": 1e300}", "\"rate\""},
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

TEST(names_of_nothing_fail_alone) {
    find("{\"path\": \"..\", \"bytes\": 1}\n{\"path\": \"a.bvh\", \"bytes\": 1}\n");
    BATCH_EXPECT(&found, "!", "a.bvh");
}

TEST(names_that_no_system_opens_fail_alone) {
    static const char with_nul[] =
        "a.bvh\nb\0.bvh\n{\"path\": \"a.bvh\", \"out\": \"c\\u0000.bvh\"}\n"
        "{\"path\": \"d\\u0000\", \"member\": \"e\", \"bytes\": 1}\n";
    static char text[100000];
    test_folder_put_text("a.bvh", "");
    test_folder_put("nul.txt", with_nul, sizeof with_nul - 1);
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.files_from = "nul.txt"}, PM_OK, "", &found);
    BATCH_EXPECT(&found, "a.bvh", "!b\\x00.bvh", "!c\\x00.bvh", "!e");
    assert_non_null(strstr(batch_item_named(&found, "e")->fault, "has a NUL byte"));
    memset(text, 'b', sizeof text - 1);
    memcpy(text, "a.bvh\n", 6);
    find(text);
    assert_int_equal(found.count, 2);
    assert_null(batch_item_named(&found, "a.bvh")->fault);
}

TEST(faults_leave_their_names_to_others) {
    test_folder_put_text("a.bvh", "");
    test_folder_put_text("x/b.bvh", "");
    find("none/../x/b.bvh\nnone/b.bvh\nnone/b.bvh\na.bvh\n./b.bvh\n"
         "{\"path\": \"x/b.bvh\", \"out\": \"b.bvh\"}\n");
    assert_int_equal(found.count, 5);
    assert_null(batch_item_named(&found, "b.bvh")->fault);
    assert_null(batch_item_named(&found, "a.bvh")->fault);
}

TEST(what_is_no_list_is_refused) {
    static char text[LIST_OBJECT_MAX + 3];
    memset(text, 'a', LIST_OBJECT_MAX + 1);
    text[0] = '{';
    refused(text, "line 1: is longer than 1 MiB");
    memset(text, 0, sizeof text);
    test_folder_put("zeros.txt", text, sizeof text);
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.files_from = "zeros.txt"}, PM_ERROR_FILE, "is no list",
               &found);
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.files_from = "none.txt"}, PM_ERROR_FILE, "none.txt",
               &found);
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.files_from = "."}, PM_ERROR_FILE, "", &found);
}

TEST(two_lines_with_one_name_are_refused) {
    batch_find_list(
        "{\"path\": \"/x/a.bvh\", \"bytes\": 1}\n{\"path\": \"../x/a.bvh\", \"bytes\": 1}\n",
        PM_ERROR_ARGUMENT, "which '../x/a.bvh' has too", &found);
}

static void expect_same(const batch_items *a, const batch_items *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const batch_item *x = &a->items[i], *y = &b->items[i];
        assert_string_equal(x->path, y->path);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->bytes, y->bytes);
        assert_memory_equal(&x->source_rate, &y->source_rate, sizeof x->source_rate);
        assert_int_equal(x->layout == NULL, y->layout == NULL);
        assert_true(x->layout == NULL || strcmp(x->layout, y->layout) == 0);
    }
}

TEST(a_list_that_was_written_gives_the_same_items) {
    batch_items again = {.count = 0};
    test_folder_put_text("in/a.bvh", "1");
    test_folder_put_text("in/s/\"b\\\x1b[2J\n.bvh", "22");
    test_folder_put_text("in/s/caf\xe9.bvh", "333");
    test_folder_put_text("in/s/\xc2\x9b.bvh", "");
    test_folder_put_text("more.txt",
                         "in/a.bvh\n{\"path\": \"in/x.npz\", \"bytes\": 9, \"rate\": 59.94, "
                         "\"layout\": \"pl\xc3\xa4in\", \"out\": \"o/x.npz\"}\n");
    char in[] = "in";
    const pm_motion_batch_sources sources = {
        .paths = (const char *[]){in}, .path_count = 1, .files_from = "more.txt"};
    batch_find(&sources, PM_OK, "", &found);
    assert_int_equal(found.count, 6);
    assert_int_equal(list_write("list.jsonl", &found, NULL), PM_OK);
    batch_find(&(pm_motion_batch_sources){.files_from = "list.jsonl"}, PM_OK, "", &again);
    expect_same(&found, &again);
    batch_items_release(&again);
}

const test_fixture each_fixture = {test_folder_enter, leave};
