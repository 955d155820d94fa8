/* SPDX-License-Identifier: MIT
 *
 * Tests of failures: every allocation of the motion library and every call that writes a file fails
 * in turn. Nothing leaks, nothing is left of an output, and an old file stays as it was. Full disks,
 * and what an output may be named.
 */
#define _GNU_SOURCE /* strndup */

#include <posemill/posemill_motion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "support/test_folder.h"
#include "support/wrapped.h"

/* ---- faults -------------------------------------------------------------------------------- */

typedef enum fault { NO_FAULT, ALLOCATION, OUTPUT } fault;

enum { PIECE = 500 }; /* bytes that one call writes, as a full pipe does */

static fault armed;
static bool sticky, fired;
static size_t countdown;
static long live_blocks;

static void arm(fault kind, size_t nth, bool all_later) {
    armed = kind;
    countdown = nth;
    sticky = all_later;
    fired = false;
}

static bool is_due(fault kind) {
    if (armed != kind)
        return false;
    if (countdown > 0)
        countdown--;
    const bool due = countdown == 0 && (sticky || !fired);
    fired |= due;
    errno = due ? (kind == ALLOCATION ? ENOMEM : EIO) : errno;
    return due;
}

/* The linker's --wrap requires these names. */
#define WRAP_ALLOCATION(type, name, params, args)                                                  \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params {                                                                    \
        if (is_due(ALLOCATION))                                                                    \
            return NULL;                                                                           \
        type block = __real_##name args;                                                           \
        live_blocks += block != NULL;                                                              \
        return block;                                                                              \
    }
WRAP_ALLOCATION(void *, malloc, (size_t size), (size))
WRAP_ALLOCATION(void *, calloc, (size_t count, size_t size), (count, size))
WRAP_ALLOCATION(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP_ALLOCATION(char *, strdup, (const char *text), (text))
WRAP_ALLOCATION(char *, strndup, (const char *text, size_t size), (text, size))
WRAP_ALLOCATION(char *, realpath, (const char *path, char *out), (path, out))

WRAPPED(void *, realloc, void *block, size_t size) {
    if (is_due(ALLOCATION))
        return NULL;
    void *moved = __real_realloc(block, size);
    live_blocks += moved && !block;
    return moved;
}

WRAPPED(void, free, void *block) {
    live_blocks -= block != NULL;
    __real_free(block);
}

WRAPPED(ssize_t, write, int file, const void *data, size_t size) {
    return is_due(OUTPUT) ? -1 : __real_write(file, data, size < PIECE ? size : PIECE);
}

WRAPPED(int, fsync, int file) {
    return is_due(OUTPUT) ? -1 : __real_fsync(file);
}

WRAPPED(int, rename, const char *from, const char *to) {
    return is_due(OUTPUT) ? -1 : __real_rename(from, to);
}

/* ---- the folder ---------------------------------------------------------------------------- */

static pm_engine *engine;
static pm_motion *walk;
static char text[16384]; /* of the file that is read */
static char *complete;   /* what resampling writes */
static size_t complete_size;

static void make_text(void) {
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 5 Xposition Zposition Zoom Xrotation "
        "Yrotation\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
        "Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 120\nFrame Time: .0333333\n");
    for (int k = 0; k < 120; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d 2 3 %d 5 6 %d 8\n", k, 2 * k,
                                 3 * k);
    assert_true(used < sizeof text - 1);
}

static const pm_clip_desc squad = {.method = PM_METHOD_SQUAD};
static const pm_motion_resample_options options = {
    .rate = {100, 1}, .curve = &squad, .check = true, .make_folders = true};

static pm_status resample_to(const char *path, pm_error *error) {
    return pm_motion_resample(walk, engine, &options, path, NULL, error);
}

static int enter(void **state) {
    const pm_engine_desc desc = {.device = "none", .host_threads = 1};
    make_text();
    assert_int_equal(test_folder_enter(state), 0);
    test_folder_put_text("walk.bvh", text);
    expect_success(pm_engine_create(&desc, &engine, new_error()));
    expect_success(pm_motion_open("walk.bvh", NULL, &walk, new_error()));
    expect_success(resample_to("complete.bvh", new_error()));
    complete = test_folder_read("complete.bvh", &complete_size);
    unlink("complete.bvh");
    return 0;
}

static int leave(void **state) {
    pm_motion_destroy(&walk);
    pm_engine_destroy(&engine);
    free(complete);
    return test_folder_leave(state);
}

static void expect_content(const char *path, const char *data, size_t size) {
    size_t found;
    SCOPED(free_at) char *whole = test_folder_read(path, &found);
    assert_int_equal(found, size);
    assert_memory_equal(whole, data, size);
}

static bool is_complete(const char *path) {
    size_t found;
    SCOPED(free_at) char *whole = test_folder_read(path, &found);
    const bool good = found == complete_size && memcmp(whole, complete, found) == 0;
    return good;
}

/* ---- every fault --------------------------------------------------------------------------- */

/* Runs a call with the first fault, the second and so on, until none occurs. */
static void inject(const char *name, fault kind, bool all_later, pm_status (*call)(pm_error *),
                   void (*expect)(pm_status), size_t least) {
    size_t failures = 0, nth = 1;
    for (;; nth++) {
        const long blocks = live_blocks;
        arm(kind, nth, all_later);
        const pm_status status = call(new_error());
        const bool done = !fired;
        arm(NO_FAULT, 0, false);
        if (done)
            expect_success(status);
        if (status != PM_OK) {
            failures++;
            if (status != PM_ERROR_OUTPUT && (kind == OUTPUT || status != PM_ERROR_MEMORY))
                fail_msg("%s, fault %zu: \"%s\": %.255s", name, nth, pm_status_name(status),
                         last_error()->message);
            assert_int_equal(last_error()->status, status);
            assert_true(last_error()->message[0] != '\0' &&
                        strlen(last_error()->message) < sizeof last_error()->message);
        }
        expect(status);
        if (live_blocks != blocks)
            fail_msg("%s, fault %zu: %ld blocks are not freed", name, nth, live_blocks - blocks);
        if (done)
            break;
        assert_true(nth < 10000);
    }
    print_message("%s: %zu faults, %zu became errors\n", name, nth - 1, failures);
    assert_true(failures >= least);
}

static pm_status open_it(pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    const pm_status status = pm_motion_open("walk.bvh", NULL, &motion, error);
    assert_int_equal(status == PM_OK, motion != NULL);
    return status;
}

static pm_status make_it(pm_error *error) {
    SCOPED(pm_motion_character_destroy) const pm_motion_character *character = NULL;
    const pm_status status = pm_motion_character_create(walk, NULL, &character, error);
    assert_int_equal(status == PM_OK, character != NULL);
    return status;
}

static pm_status extract_it(pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *made = NULL;
    const pm_status status = pm_motion_extract_root(walk, NULL, &made, NULL, error);
    assert_int_equal(status == PM_OK, made != NULL);
    return status;
}

static pm_status write_new(pm_error *error) {
    return resample_to("made/new.bvh", error);
}

static pm_status write_over(pm_error *error) {
    return resample_to("old.bvh", error);
}

static void expect_one_file(pm_status status) {
    (void)status;
    assert_int_equal(test_folder_count("."), 1);
}

static void expect_new_or_none(pm_status status) {
    if (status == PM_OK)
        assert_true(is_complete("made/new.bvh"));
    if (status == PM_OK)
        unlink("made/new.bvh");
    if (access("made", F_OK) == 0)
        assert_int_equal(test_folder_count("made"), 0);
    rmdir("made");
    assert_int_equal(test_folder_count("."), 1);
}

static void expect_new_or_old(pm_status status) {
    assert_int_equal(test_folder_count("."), 2);
    if (status == PM_OK)
        assert_true(is_complete("old.bvh"));
    else
        expect_content("old.bvh", "old", 3);
    test_folder_put_text("old.bvh", "old");
}

TEST(allocations_fail_in_turn) {
    for (int all = 0; all < 2; all++) {
        inject("open", ALLOCATION, all, open_it, expect_one_file, 10);
        inject("character", ALLOCATION, all, make_it, expect_one_file, 10);
        inject("root motion", ALLOCATION, all, extract_it, expect_one_file, 10);
        inject("resample", ALLOCATION, all, write_new, expect_new_or_none, 20);
        test_folder_put_text("old.bvh", "old");
        inject("replace", ALLOCATION, all, write_over, expect_new_or_old, 20);
        unlink("old.bvh");
    }
}

TEST(writes_fail_in_turn) {
    for (int all = 0; all < 2; all++) {
        const size_t writes = complete_size / PIECE;
        inject("resample", OUTPUT, all, write_new, expect_new_or_none, writes);
        test_folder_put_text("old.bvh", "old");
        inject("replace", OUTPUT, all, write_over, expect_new_or_old, writes);
        unlink("old.bvh");
    }
}

/* ---- full disks ---------------------------------------------------------------------------- */

TEST(a_full_disk_leaves_the_old_file) {
    assert_int_equal(mkdir("disk", 0700), 0);
    if (mount("tmpfs", "disk", "tmpfs", 0, "size=8k") != 0) {
        print_message("a small file system cannot be mounted: %s\n", strerror(errno));
        rmdir("disk");
        skip();
    }
    test_folder_put_text("disk/old.bvh", "old");
    expect_error(resample_to("disk/old.bvh", new_error()), PM_ERROR_OUTPUT,
                 "disk/old.bvh: cannot be written: No space left");
    assert_non_null(last_error()->hint);
    expect_content("disk/old.bvh", "old", 3);
    assert_int_equal(test_folder_count("disk"), 1);
    assert_int_equal(umount("disk"), 0);
    rmdir("disk");
}

TEST(full_devices_and_streams_are_reported) {
    expect_error(resample_to("/dev/full", new_error()), PM_ERROR_OUTPUT,
                 "/dev/full: cannot be written: No space left");
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    const pm_status status = resample_to("-", new_error());
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(full);
    expect_error(status, PM_ERROR_OUTPUT, "standard output: cannot be written: No space");
    assert_true(access("/dev/full", F_OK) == 0);
}

/* ---- names --------------------------------------------------------------------------------- */

TEST(outputs_keep_permissions_and_links) {
    struct stat status;
    test_folder_put_text("old.bvh", "old");
    assert_int_equal(chmod("old.bvh", 0640), 0);
    assert_int_equal(symlink("old.bvh", "link.bvh"), 0);
    expect_success(resample_to("link.bvh", new_error()));
    assert_true(is_complete("old.bvh"));
    assert_int_equal(stat("old.bvh", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(lstat("link.bvh", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink("link.bvh");
    unlink("old.bvh");
}

TEST(folders_are_made_on_request_only) {
    pm_motion_resample_options plain = options;
    plain.make_folders = false;
    expect_error(pm_motion_resample(walk, engine, &plain, "x/y.bvh", NULL, new_error()),
                 PM_ERROR_OUTPUT, "x/y.bvh: cannot be written: No such file");
    assert_int_equal(test_folder_count("."), 1);
    expect_success(resample_to("x//y/./z.bvh", new_error()));
    expect_success(resample_to("x/y/z.bvh", new_error()));
    assert_true(is_complete("x/y/z.bvh"));
    expect_error(resample_to("walk.bvh/z.bvh", new_error()), PM_ERROR_OUTPUT,
                 "walk.bvh: folder cannot be created");
    expect_error(resample_to("x/y", new_error()), PM_ERROR_OUTPUT,
                 "x/y: cannot be written: Is a directory");
    expect_error(resample_to("", new_error()), PM_ERROR_OUTPUT, ": cannot be written: No such");
    expect_error(resample_to("\x1b[2J/\n/", new_error()), PM_ERROR_OUTPUT, "\\x1b[2J/\\x0a/");
    assert_int_equal(test_folder_count("\x1b[2J"), 1);
    expect_content("walk.bvh", text, strlen(text));
    assert_int_equal(system("rm -r x '\x1b[2J'"), 0);
}

TEST_GROUP(enter, leave)
