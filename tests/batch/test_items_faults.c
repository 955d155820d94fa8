/* SPDX-License-Identifier: MIT
 *
 * Every allocation of searches, lists, archives and shards fails in turn, alone and with all that
 * follow. Each is a failure with a code, and nothing is lost or freed twice.
 */
#define _XOPEN_SOURCE 700

#include "motion/batch/shard.h"
#include "motion/items/archive.h"
#include "motion/items/list_write.h"
#include "support/batch_files.h"
#include "support/failing_memory.h"
#include "support/tar_files.h"
#include "support/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- work ---------------------------------------------------------------------------------- */

static batch_items found;

static bool find(const pm_motion_batch_sources *sources) {
    const pm_status status = batch_items_find(sources, &found, NULL);
    batch_items_release(&found);
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
                         "\"out\": \"b.npz\", \"rate\": 30}\n{\"path_bytes\": \"e9\"}\n");
    /* A file that was written just now is compared once more, where there is memory for it. */
    fail_each_allocation(read_list, 10, 1);
}

static bool write_list(void) {
    return list_write("out.jsonl", &found, NULL) == PM_OK;
}

static bool divide(void) {
    bool mine[8];
    return shard_divide(&found, (batch_shard){1, 3}, mine);
}

TEST(written_lists_and_shards_fail_cleanly) {
    test_folder_put_text("in/a.bvh", "1");
    test_folder_put_text("in/s/b.bvh", "22");
    batch_find_operand("in", NULL, &found);
    /* An output whose location cannot be resolved for want of memory is written by its name. */
    fail_each_allocation(write_list, 4, 2);
    fail_each_allocation(divide, 2, 0);
    batch_items_release(&found);
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
                      archive_read(reader, &found.items[0], NULL, &data, &size, reason);
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
    batch_find_operand("t.tar", NULL, &found);
    fail_each_allocation(read_member, 3, 0);
    batch_items_release(&found);
}

#endif

const test_fixture each_fixture = {test_folder_enter, test_folder_leave};
