/* SPDX-License-Identifier: MIT
 *
 * Every allocation of searches, lists, archives, shards, records, digests and reports fails in turn,
 * alone and with all that follow. Each is a failure with a code, a row that says why, or a report
 * without it; nothing is lost or freed twice, and the next try succeeds.
 */
#define _XOPEN_SOURCE 700

#include "motion/batch/batch_report.h"
#include "motion/batch/plan.h"
#include "motion/batch/record.h"
#include "motion/items/archive.h"
#include "motion/items/list_line.h"
#include "support/batch_files.h"
#include "support/failing_memory.h"
#include "support/records.h"
#include "support/short_take.h"
#include "support/tar_files.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static batch_items found_items;

static bool find(const pm_motion_batch_sources *sources) {
    const pm_status status = batch_items_find(sources, &found_items, NULL);
    batch_items_release(&found_items);
    return status == PM_OK;
}

static bool search_folder(void) {
    char in[] = "in";
    return find(&(pm_motion_batch_sources){.paths = (const char *[]){in}, .path_count = 1});
}

TEST(searches_fail_cleanly) {
    char path[32];
    test_folder_put_text("far/a.bvh", "");
    test_folder_link("../far", "in/link");
    test_folder_link("..", "in/s/loop");
    test_folder_link("none", "in/none.bvh");
    for (int i = 0; i < 70; i++) { /* more than the first room of each list */
        snprintf(path, sizeof path, "in/%d/a.bvh", i);
        test_folder_put_text(path, "");
    }
    fail_each_allocation(search_folder, 400, 0);
}

static bool read_list(void) {
    return find(&(pm_motion_batch_sources){.files_from = "list.txt"});
}

TEST(lists_fail_cleanly) {
    test_folder_put_text("list.txt",
                         "none.bvh\n{\"path\": \"a.npz\", \"bytes\": 1, \"layout\": \"amass\", "
                         "\"out\": \"b.npz\", \"source_rate\": 30}\n{\"path_bytes\": \"e9\"}\n");
    /* A file that was written just now is compared once more, where there is memory for it. */
    fail_each_allocation(read_list, 10, 1);
}

static bool write_list(void) {
    return list_write("out.jsonl", &found_items, NULL) == PM_OK;
}

static bool divide(void) {
    bool mine[8];
    return shard_divide(&found_items, (batch_shard){1, 3}, mine);
}

TEST(written_lists_and_shards_fail_cleanly) {
    test_folder_put_text("in/a.bvh", "1");
    test_folder_put_text("in/s/b.bvh", "22");
    batch_find_operand("in", NULL, &found_items);
    /* An output whose location cannot be resolved for want of memory is written by its name. */
    fail_each_allocation(write_list, 4, 2);
    fail_each_allocation(divide, 2, 0);
    batch_items_release(&found_items);
}

#ifdef POSEMILL_LIBARCHIVE

static void put_archive(void) {
    static char data[3 << 20];
    file_bytes tar = {.size = 0};
    tar_add(&tar, &(tar_entry){.name = "a.bvh", .data = data, .size = sizeof data});
    tar_add(&tar, &(tar_entry){.name = "l.bvh", .type = TAR_LINK, .target = "a.bvh"});
    tar_add_text(&tar, "b.bvh", "22");
    tar_put(&tar, "t.tar");
}

static bool search_archive(void) {
    return find(&(pm_motion_batch_sources){.files_from = "t.tar"});
}

static bool read_member(void) {
    char reason[ARCHIVE_REASON_SIZE], *data = NULL;
    archive_reader *reader = NULL;
    size_t size = 0;
    const bool good = archive_open("t.tar", &reader, reason) &&
                      archive_read(reader, &found_items.items[0], NULL, &data, &size, reason);
    free(data);
    archive_close(&reader);
    return good;
}

TEST(archives_fail_cleanly) {
    put_archive();
    /* An archive that cannot be opened for want of memory is a fault. */
    fail_each_allocation(search_archive, 10, 3);
    test_folder_put_text("list.txt", "{\"path\": \"t.tar\", \"member\": \"a.bvh\"}\n"
                                     "{\"path\": \"t.tar\", \"member\": \"none.bvh\"}\n"
                                     "{\"path\": \"bad.tar\", \"member\": \"x.bvh\"}\n");
    /* That again, of its members. */
    fail_each_allocation(read_list, 10, 3);
    batch_find_operand("t.tar", NULL, &found_items);
    fail_each_allocation(read_member, 3, 0);
    batch_items_release(&found_items);
}

#endif

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

TEST(records_and_digests_fail_cleanly) {
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

/* Whether the index of the report is there, and has a text. Allocates nothing, which would fail. */
static bool has_text(const char *text) {
    static char index[1 << 16];
    FILE *file = fopen("report/index.json", "r");
    if (!file)
        return false;
    index[fread(index, 1, sizeof index - 1, file)] = '\0';
    fclose(file);
    return strstr(index, text) != NULL;
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
    return has_text("\"compared\": 1") && has_text("\"joint_of_max\": \"Hips\"") &&
           has_text("\"joint_of_max_distance\": \"") &&
           has_text("\"joint_of_max_degrees_per_s\": \"Hips\"") &&
           has_text("\"joint_of_jump\": \"Hips\"") &&
           has_text("\"page\": \"pages/0001-b.bvh.html\"") && has_text("nothing was read") &&
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
    test_folder_put_text("a.bvh", short_take);
    test_folder_put_text("b.bvh", short_take);
    /* What can do without memory: each of the four readers of BVH without two blocks, and locations of
     * the three outputs and of the two checks of the folder, which are names then. */
    fail_each_allocation(write_report, 200, 30);
}

TEST_EACH(test_folder_enter, test_folder_leave)
