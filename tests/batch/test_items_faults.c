/* SPDX-License-Identifier: MIT
 *
 * Every allocation of searches, lists, archives and shards fails in turn, alone and with all that
 * follow. Each is a failure with a code, and nothing is lost or freed twice.
 */
#define _XOPEN_SOURCE 700

#include "batch/archive.h"
#include "batch/list_write.h"
#include "batch/shard.h"
#include "support/batch_files.h"
#include "support/tar_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- faults -------------------------------------------------------------------------------- */

static bool armed, sticky, fired;
static size_t countdown;

static bool is_due(void) {
    if (!armed) {
        return false;
    }
    countdown -= countdown > 0;
    const bool due = countdown == 0 && (sticky || !fired);
    fired |= due;
    errno = due ? ENOMEM : errno;
    return due;
}

/* The linker's --wrap requires these names. */
#define WRAP(type, name, params, args)                                                             \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params {                                                                    \
        return is_due() ? NULL : __real_##name args;                                               \
    }
WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *block, size_t size), (block, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t size), (text, size))

/* Runs `work` with each of its allocations failing; it says whether it succeeded, which it must where
 * nothing failed, and must not otherwise, but for up to `spare` allocations that it can do without. */
static void fail_each(bool (*work)(void), size_t least, size_t spare) {
    const int messages = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    size_t tries = 2, ignored = 0;
    for (bool done = false; !done; tries++) {
        sticky = tries % 2 == 0;
        countdown = tries / 2;
        fired = false;
        dup2(nowhere, STDERR_FILENO);
        armed = true;
        const bool good = work();
        armed = false;
        dup2(messages, STDERR_FILENO);
        done = !fired;
        ignored += good && fired;
        if (done && !good) {
            fail_msg("no success after %zu failures", tries);
        }
    }
    assert_true(ignored <= spare);
    close(messages);
    close(nowhere);
    assert_true(tries / 2 > least);
}

/* ---- work ---------------------------------------------------------------------------------- */

static batch_items found;

static bool find(const batch_sources *sources) {
    const cli_exit code = batch_items_find(sources, &found);
    batch_items_release(&found);
    return code == CLI_DONE;
}

static bool search_folder(void) {
    char in[] = "in";
    return find(&(batch_sources){.operands = (char *[]){in}, .operand_count = 1});
}

static void searches_fail_cleanly(void **state) {
    (void)state;
    char path[32];
    batch_put_text("far/a.bvh", "");
    batch_link("../far", "in/link");
    batch_link("..", "in/s/loop");
    batch_link("none", "in/none.bvh");
    for (int i = 0; i < 70; i++) { /* more than the first room of each list */
        snprintf(path, sizeof path, "in/%d/a.bvh", i);
        batch_put_text(path, "");
    }
    fail_each(search_folder, 400, 0);
}

static bool read_list(void) {
    return find(&(batch_sources){.files_from = "list.txt"});
}

static void lists_fail_cleanly(void **state) {
    (void)state;
    batch_put_text("list.txt",
                   "none.bvh\n{\"path\": \"a.npz\", \"bytes\": 1, \"layout\": \"amass\", "
                   "\"out\": \"b.npz\", \"rate\": 30}\n{\"path_bytes\": \"e9\"}\n");
    /* A file that was written just now is compared once more, where there is memory for it. */
    fail_each(read_list, 10, 1);
}

static bool write_list(void) {
    return list_write("out.jsonl", &found) == CLI_DONE;
}

static bool divide(void) {
    bool mine[8];
    return shard_divide(&found, (batch_shard){1, 3}, mine);
}

static void written_lists_and_shards_fail_cleanly(void **state) {
    (void)state;
    batch_put_text("in/a.bvh", "1");
    batch_put_text("in/s/b.bvh", "22");
    batch_find_operand("in", NULL, &found);
    /* An output whose location cannot be resolved for want of memory is written by its name. */
    fail_each(write_list, 4, 2);
    fail_each(divide, 2, 0);
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
    return find(&(batch_sources){.files_from = "t.tar"});
}

static bool read_member(void) {
    char reason[ARCHIVE_REASON_SIZE], *data = NULL;
    archive_reader *reader = NULL;
    size_t size = 0;
    const bool good = archive_open("t.tar", &reader, reason) &&
                      archive_read(reader, &found.items[0], &data, &size, reason);
    free(data);
    archive_close(&reader);
    return good;
}

static void archives_fail_cleanly(void **state) {
    (void)state;
    put_archive();
    fail_each(search_archive, 10, 0);
    batch_put_text("list.txt", "{\"path\": \"t.tar\", \"member\": \"a.bvh\"}\n"
                               "{\"path\": \"t.tar\", \"member\": \"none.bvh\"}\n"
                               "{\"path\": \"bad.tar\", \"member\": \"x.bvh\"}\n");
    /* That again; and an archive that cannot be opened for want of memory is the fault of its
     * members. */
    fail_each(read_list, 10, 3);
    batch_find_operand("t.tar", NULL, &found);
    fail_each(read_member, 3, 0);
    batch_items_release(&found);
}

#endif

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, batch_folder_enter, batch_folder_leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(searches_fail_cleanly),
        IN_FOLDER(lists_fail_cleanly),
        IN_FOLDER(written_lists_and_shards_fail_cleanly),
#ifdef POSEMILL_LIBARCHIVE
        IN_FOLDER(archives_fail_cleanly),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
