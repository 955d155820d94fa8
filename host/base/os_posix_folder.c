/* SPDX-License-Identifier: MIT
 *
 * Folders of POSIX systems. Everything in an open folder is found relative to it: whoever replaces a
 * part of its path changes nothing.
 */
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE /* O_NOFOLLOW */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os.h"

#ifdef __APPLE__
#define st_mtim st_mtimespec
static const char own_caches[] = "/Library/Caches/";
#else
static const char own_caches[] = "/.cache/";
#endif

struct pm_os_folder {
    const pm_host *host;
    int opened;
};

static char *joined(const pm_host *host, const char *a, const char *b, const char *c) {
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = pm_allocate(host, size);
    if (text)
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

/* Relative paths in the environment are ignored, as the XDG base directory specification
 * requires. */
char *pm_os_cache_folder(const pm_host *host, const char *name, bool *no_memory) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool has_base = base && *base == '/';
    char *path = NULL;
    *no_memory = false;
    if (!has_base && !(home && *home == '/'))
        return NULL;
    path = has_base ? joined(host, base, "/", name) : joined(host, home, own_caches, name);
    *no_memory = !path;
    return path;
}

static pm_os_found say_failure(int code, char why[PM_OS_WHY]) {
    if (strerror_r(code, why, PM_OS_WHY) != 0)
        snprintf(why, PM_OS_WHY, "error %d", code);
    return PM_OS_FAILED;
}

/* Whether only this user and the superuser can have written an open file or folder. */
static pm_os_found check_owner(int opened, char why[PM_OS_WHY]) {
    struct stat info;
    if (fstat(opened, &info) != 0)
        return say_failure(errno, why);
    if (info.st_uid != geteuid())
        snprintf(why, PM_OS_WHY, "is owned by user %ld", (long)info.st_uid);
    else if (info.st_mode & (S_IWGRP | S_IWOTH))
        snprintf(why, PM_OS_WHY, "can be written by other users (mode %03o)",
                 (unsigned)(info.st_mode & 0777));
    else
        return PM_OS_GOOD;
    return PM_OS_SUSPECT;
}

/* Also those above it. */
static void make_folders(const pm_host *host, const char *folder) {
    char *path = pm_copy_text(host, folder);
    for (char *at = path ? path + 1 : NULL; at && *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0700);
            *at = '/';
        }
    if (path)
        mkdir(path, 0700);
    pm_release(path);
}

bool pm_os_can_write(const char *path) {
    make_folders(NULL, path);
    return access(path, W_OK | X_OK) == 0;
}

static pm_os_found open_folder(const char *path, int *opened, char why[PM_OS_WHY]) {
    *opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*opened >= 0)
        return check_owner(*opened, why);
    if (errno == ENOENT)
        return PM_OS_MISSING;
    if (errno != ENOTDIR && errno != ELOOP)
        return say_failure(errno, why);
    snprintf(why, PM_OS_WHY, "is a symbolic link or no folder");
    return PM_OS_SUSPECT;
}

pm_os_found pm_os_folder_open(const pm_host *host, const char *path, bool make,
                              pm_os_folder **folder, char why[PM_OS_WHY]) {
    int opened = -1;
    *folder = NULL;
    if (make)
        make_folders(host, path);
    pm_os_found found = open_folder(path, &opened, why);
    if (found == PM_OS_GOOD && !(*folder = pm_allocate(host, sizeof **folder)))
        found = say_failure(ENOMEM, why);
    if (found == PM_OS_GOOD)
        **folder = (pm_os_folder){host, opened};
    else if (opened >= 0)
        close(opened);
    if (found == PM_OS_MISSING && make)
        return say_failure(ENOENT, why);
    return found;
}

void pm_os_folder_close(pm_os_folder *folder) {
    if (folder)
        close(folder->opened);
    pm_release(folder);
}

/* ---- files ------------------------------------------------------------------------------------- */

static bool read_exactly(int file, void *to, size_t size) {
    unsigned char *at = to;
    while (size) {
        const ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static pm_os_found read_whole(const pm_host *host, int file, size_t limit, void **bytes,
                              size_t *size, char why[PM_OS_WHY]) {
    struct stat info;
    if (fstat(file, &info) != 0)
        return say_failure(errno, why);
    if (!S_ISREG(info.st_mode) || info.st_size <= 0 || (uintmax_t)info.st_size > limit)
        return PM_OS_MISSING;
    const pm_os_found found = check_owner(file, why);
    if (found != PM_OS_GOOD)
        return found;
    *size = (size_t)info.st_size;
    *bytes = pm_allocate(host, *size);
    if (*bytes && read_exactly(file, *bytes, *size)) {
        futimens(file, NULL); /* if this fails, the file counts as older */
        return PM_OS_GOOD;
    }
    pm_release(*bytes);
    *bytes = NULL;
    return PM_OS_MISSING;
}

/* O_NONBLOCK, because opening a pipe must not block. */
pm_os_found pm_os_folder_read(pm_os_folder *folder, const char *name, size_t limit, void **bytes,
                              size_t *size, char why[PM_OS_WHY]) {
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    const int file = openat(folder->opened, name, flags);
    *bytes = NULL;
    if (file < 0 && errno == ELOOP) {
        snprintf(why, PM_OS_WHY, "is a symbolic link");
        return PM_OS_SUSPECT;
    }
    if (file < 0)
        return PM_OS_MISSING;
    const pm_os_found found = read_whole(folder->host, file, limit, bytes, size, why);
    close(file);
    return found;
}

static bool write_exactly(int file, const void *from, size_t size) {
    const unsigned char *at = from;
    while (size) {
        const ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* A file of a name that no other has, open for writing; -1 on failure. */
static int create_temporary(int folder, const char *name, char *temporary, size_t room) {
    enum { TRIES = 64 };
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    struct timespec now = {0, 0};
    int file = -1;
    for (unsigned i = 0; file < 0 && i < TRIES; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const uint64_t mixed =
            ((uint64_t)now.tv_nsec + ((uint64_t)getpid() << 32) + i) *
            0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: scatters similar inputs */
        snprintf(temporary, room, "%s.%06x", name, (unsigned)(mixed >> 40));
        file = openat(folder, temporary, flags, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

pm_os_found pm_os_folder_write(pm_os_folder *folder, const char *name, const void *head,
                               size_t head_size, const void *body, size_t body_size,
                               char why[PM_OS_WHY]) {
    char temporary[NAME_MAX + 1];
    const int file = create_temporary(folder->opened, name, temporary, sizeof temporary);
    if (file < 0)
        return say_failure(errno, why);
    bool done = write_exactly(file, head, head_size) && write_exactly(file, body, body_size);
    done =
        close(file) == 0 && done && renameat(folder->opened, temporary, folder->opened, name) == 0;
    if (done)
        return PM_OS_GOOD;
    const pm_os_found failed = say_failure(errno, why);
    unlinkat(folder->opened, temporary, 0);
    return failed;
}

void pm_os_folder_remove(pm_os_folder *folder, const char *name) {
    unlinkat(folder->opened, name, 0);
}

void pm_os_folder_list(pm_os_folder *folder, pm_os_file each, void *user) {
    const int again = openat(folder->opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = again < 0 ? NULL : fdopendir(again);
    struct stat info;
    if (!names && again >= 0)
        close(again);
    if (!names)
        return;
    for (struct dirent *found; (found = readdir(names));)
        if (fstatat(folder->opened, found->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode))
            each(user, found->d_name, (uint64_t)info.st_size,
                 (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec,
                 (int64_t)(time(NULL) - info.st_mtim.tv_sec));
    closedir(names);
}
