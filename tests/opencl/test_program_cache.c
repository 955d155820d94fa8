/* SPDX-License-Identifier: MIT
 *
 * The folder of the program cache: its permissions, its size limit, its location. No error in the
 * folder may change a result. Damaged files: test_engine_options.c.
 */
#define _XOPEN_SOURCE 700

#include "support/cache_folder.h"
#include "support/engines.h"
#include "support/motion.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 9, TRACKS = 5, SAMPLES = 40, FLOATS = SAMPLES * TRACKS * 4, PATH = 512 };

/* The limit in posemill.h. */
static const uint64_t limit_bytes = (uint64_t)256 << 20;

/* ---- one engine ----------- */

typedef struct messages {
    size_t built, warnings;
    char warning[1024];
} messages;

static void note_message(void *user, pm_log_level level, const char *message) {
    messages *t = user;
    t->built += strncmp(message, "built ", 6) == 0;
    if (level != PM_LOG_WARNING)
        return;
    t->warnings++;
    snprintf(t->warning, sizeof t->warning, "%.1000s", message);
}

static void sample_into(pm_engine *engine, float out[FLOATS]) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1.5, 0xCA1);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {8, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    memset(out, 0xFF, FLOATS * sizeof *out);
    sample_make(clip, &(pm_sample_job){.sample_count = SAMPLES, .rate = {43, 1}, .rotations = out});
}

/* The messages of an engine with this cache folder. Its results must be as usual. */
static messages run_with(void **state, const char *folder) {
    messages t = {0};
    float expected[FLOATS], actual[FLOATS];
    sample_into(engine_for(state), expected);
    pm_engine *engine = engine_exactly_with(
        state, &(pm_engine_desc){.cache_folder = folder, .log = note_message, .log_user = &t});
    sample_into(engine, actual);
    pm_engine_destroy(&engine);
    expect_same_bits(actual, expected, FLOATS, 4);
    return t;
}

/* ---- the folder ---- */

static const char *cache;

FIXTURE(make_cache) {
    cache = cache_folder_make();
    return 0;
}

FIXTURE(remove_cache) {
    return !cache_folder_remove();
}

static bool is_hex(const char *name, size_t length) {
    return strspn(name, "0123456789abcdef") >= length;
}

typedef struct file_list {
    char names[64][80];
    size_t count;
    uint64_t bytes; /* total of those that are programs */
} file_list;

/* The content of a folder; programs have names of 32 digits. */
static file_list list_folder(const char *folder) {
    file_list l = {0};
    DIR *names = opendir(folder);
    assert_non_null(names);
    for (struct dirent *entry; (entry = readdir(names));) {
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_true(l.count < 64);
        snprintf(l.names[l.count++], sizeof l.names[0], "%.79s", entry->d_name);
        assert_int_equal(fstatat(dirfd(names), entry->d_name, &info, AT_SYMLINK_NOFOLLOW), 0);
        if (strlen(entry->d_name) == 32 && is_hex(entry->d_name, 32))
            l.bytes += (uint64_t)info.st_size;
    }
    closedir(names);
    return l;
}

static bool has(const file_list *l, const char *name) {
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->names[i], name) == 0)
            return true;
    return false;
}

static const char *path_in(const char *folder, const char *name) {
    static char path[PATH];
    assert_true((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path);
    return path;
}

/* A sparse file of this many bytes, last used this many seconds ago. */
static void put_file(const char *folder, const char *name, uint64_t bytes, double ago) {
    const char *path = path_in(folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)bytes), 0);
    struct timespec then[2] = {{0, 0}, {0, 0}};
    clock_gettime(CLOCK_REALTIME, &then[1]);
    then[1].tv_sec -= (time_t)ago;
    then[0] = then[1];
    assert_int_equal(futimens(file, then), 0);
    close(file);
}

static void expect_warning(const messages *t, const char *folder, const char *reason) {
    if (t->warnings != 1 || !strstr(t->warning, folder) || !strstr(t->warning, reason))
        fail_msg("%zu warnings, expected one that contains '%s' and '%s': %s", t->warnings, folder,
                 reason, t->warning);
}

/* ---- permissions ------- */

#define WITH_CACHE(test) TEST_WITH(test, make_cache, remove_cache, &on_device)

WITH_CACHE(the_folder_and_its_files_are_private_to_their_owner) {
    char folder[PATH];
    struct stat info;
    snprintf(folder, sizeof folder, "%s/above/kept", cache);
    const mode_t mask = umask(0);
    const messages t = run_with(state, folder);
    umask(mask);
    const file_list l = list_folder(folder);
    assert_int_equal(t.warnings, 0);
    assert_true(l.count > 0);
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    for (size_t i = 0; i < l.count; i++) {
        assert_int_equal(stat(path_in(folder, l.names[i]), &info), 0);
        assert_int_equal(info.st_mode & 07777, 0600);
    }
}

/* A folder that already contains valid programs, and is then made unsafe. */
static void expect_distrust(void **state, const char *folder, const char *reason) {
    const file_list before = list_folder(cache);
    assert_true(before.count > 0);
    const messages t = run_with(state, folder);
    assert_true(t.built > 0);
    expect_warning(&t, folder, reason);
    assert_int_equal(list_folder(cache).count, before.count);
}

WITH_CACHE(a_folder_that_others_can_write_is_neither_read_nor_written) {
    static const mode_t modes[] = {0720, 0702, 0777, 01777};
    run_with(state, cache);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(cache, modes[i]), 0);
        expect_distrust(state, cache, "other users");
    }
    assert_int_equal(chmod(cache, 0755), 0);
    assert_int_equal(run_with(state, cache).built, 0);
}

WITH_CACHE(a_folder_of_another_user_is_neither_read_nor_written) {
    enum { ANOTHER = 12345 };
    engine_for(state);
    if (geteuid() != 0) {
        print_message("not tested: only the superuser can change the owner of a folder\n");
        skip();
    }
    run_with(state, cache);
    assert_int_equal(chown(cache, ANOTHER, (gid_t)-1), 0);
    expect_distrust(state, cache, "owned by user 12345");
    assert_int_equal(chown(cache, 0, (gid_t)-1), 0);
    const file_list l = list_folder(cache);
    for (size_t i = 0; i < l.count; i++)
        assert_int_equal(chown(path_in(cache, l.names[i]), ANOTHER, (gid_t)-1), 0);
    const messages t = run_with(state, cache);
    assert_int_equal(t.built, l.count);
    expect_warning(&t, cache, "owned by user 12345");
}

WITH_CACHE(a_link_is_not_accepted_as_a_folder) {
    char link[PATH];
    run_with(state, cache);
    snprintf(link, sizeof link, "%s-link", cache);
    assert_int_equal(symlink(cache, link), 0);
    expect_distrust(state, link, "link");
    char slashed[PATH + 1];
    snprintf(slashed, sizeof slashed, "%s/", link);
    const messages t = run_with(state, slashed);
    assert_true(t.built > 0);
    expect_warning(&t, link, "link");
    assert_int_equal(unlink(link), 0);
}

WITH_CACHE(files_that_others_can_write_are_not_used) {
    run_with(state, cache);
    const file_list l = list_folder(cache);
    assert_true(l.count > 0);
    for (size_t i = 0; i < l.count; i++)
        assert_int_equal(chmod(path_in(cache, l.names[i]), i % 2 ? 0602 : 0620), 0);
    const messages t = run_with(state, cache);
    assert_int_equal(t.built, l.count);
    expect_warning(&t, cache, "other users");
    assert_int_equal(run_with(state, cache).built, 0); /* written again */
}

WITH_CACHE(links_to_files_are_not_followed) {
    run_with(state, cache);
    const file_list l = list_folder(cache);
    assert_true(l.count > 0);
    for (size_t i = 0; i < l.count; i++) {
        char from[PATH], to[PATH];
        snprintf(from, sizeof from, "%s/%s", cache, l.names[i]);
        snprintf(to, sizeof to, "%s/moved-%s", cache, l.names[i]);
        assert_int_equal(rename(from, to), 0);
        assert_int_equal(symlink(to, from), 0);
    }
    const messages t = run_with(state, cache);
    assert_int_equal(t.built, l.count);
    expect_warning(&t, cache, "link");
    struct stat info;
    for (size_t i = 0; i < l.count; i++) { /* files have replaced the links */
        assert_int_equal(lstat(path_in(cache, l.names[i]), &info), 0);
        assert_true(S_ISREG(info.st_mode));
    }
}

/* ---- size limit ---------------- */

enum { OLD_FILES = 24 };

/* Files that were last used one after another, of random sizes, in total one and a half times the
 * limit. */
static uint64_t fill_folder(const char *folder, uint64_t salt, char names[OLD_FILES][33],
                            uint64_t sizes[OLD_FILES]) {
    random_source source = random_salted(salt);
    double weights[OLD_FILES], sum = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < OLD_FILES; i++)
        sum += weights[i] = random_between(&source, 0.2, 1);
    for (size_t i = 0; i < OLD_FILES; i++) {
        sizes[i] = (uint64_t)(1.5 * (double)limit_bytes * weights[i] / sum);
        total += sizes[i];
        snprintf(names[i], sizeof names[i], "%016llx%016llx",
                 (unsigned long long)random_bits(&source),
                 (unsigned long long)random_bits(&source));
        put_file(folder, names[i], sizes[i], 60.0 * (double)(OLD_FILES - i)); /* oldest first */
    }
    return total;
}

WITH_CACHE(the_least_recently_used_files_are_removed_when_the_folder_is_full) {
    char names[OLD_FILES][33];
    uint64_t sizes[OLD_FILES];
    engine_for(state);
    put_file(cache, "0123-not-a-program", 1 << 20, 1e6);
    put_file(cache, "0123456789abcdef0123456789abcdef0", 1 << 20, 1e6);
    uint64_t total = fill_folder(cache, 0xCA2, names, sizes);
    assert_true(total > limit_bytes);
    const messages t = run_with(state, cache);
    const file_list after = list_folder(cache);
    assert_true(t.built > 0);
    assert_in_range(after.bytes, 1, limit_bytes);
    size_t first = 0; /* index of the first file that remains */
    while (first < OLD_FILES && !has(&after, names[first]))
        total -= sizes[first++];
    assert_in_range(first, 1, OLD_FILES - 1);
    for (size_t i = first; i < OLD_FILES; i++)
        assert_true(has(&after, names[i]));
    /* no more files were removed than necessary */
    assert_true(after.bytes + sizes[first - 1] > limit_bytes);
    assert_true(has(&after, "0123-not-a-program"));
    assert_true(has(&after, "0123456789abcdef0123456789abcdef0"));
    assert_int_equal(run_with(state, cache).built, 0);
}

WITH_CACHE(temporary_files_of_dead_processes_are_removed) {
    static const char left[] = "00112233445566778899aabbccddeeff.a1b2c3";
    static const char busy[] = "00112233445566778899aabbccddeeff.d4e5f6";
    engine_for(state);
    put_file(cache, left, 12345, 7200);
    put_file(cache, busy, 12345, 60);
    run_with(state, cache);
    const file_list after = list_folder(cache);
    assert_false(has(&after, left));
    assert_true(has(&after, busy));
}

/* ---- location ------- */

static bool is_on_pocl(void **state) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    return strcmp(info.platform, "Portable Computing Language") == 0;
}

/* Where no folder is given. PoCL has a cache of its own, and compiles everything again for another. */
WITH_CACHE(an_absolute_base_is_used) {
    char folder[PATH];
    const bool leaves_cache = is_on_pocl(state);
    char *const before = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL;
    assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
    const messages first = run_with(state, NULL), again = run_with(state, NULL);
    if (before)
        setenv("XDG_CACHE_HOME", before, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(before);
    assert_int_equal(first.warnings + again.warnings, 0);
    assert_true(first.built > 0);
    snprintf(folder, sizeof folder, "%s/posemill", cache);
    if (leaves_cache) {
        assert_int_equal(again.built, first.built);
        assert_int_not_equal(access(folder, F_OK), 0);
    } else {
        assert_int_equal(again.built, 0);
        assert_int_equal(list_folder(folder).count, first.built);
    }
}

TEST_GROUP(NULL, engines_close)
