/* SPDX-License-Identifier: MIT
 *
 * The folder of the program cache. A program runs with the caller's rights, so files that another
 * user could have written are not read. Files are written under a temporary name and renamed. Any
 * process may remove any of them at any time.
 */
#define _POSIX_C_SOURCE 200809L

#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* The limit that posemill.h documents: some hundred programs. */
static const uint64_t max_bytes = (uint64_t)256 << 20;

/* Temporary files are written within seconds: the process that wrote an older one has died. */
static const time_t max_temporary_seconds = 3600;

enum { SUFFIX = 7, MAX_NAME = PM_CACHE_NAME + SUFFIX + 1, PROBLEM = 512 };

struct pm_cache_folder {
    char *path;
    size_t users;         /* devices that share the folder */
    pthread_mutex_t lock; /* guards the fields below */
    pm_log_level level;
    char problem[PROBLEM]; /* empty: none so far */
    bool reported;
};

static char *joined(const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s", a, b);
    return text;
}

/* Relative paths in the environment are ignored, as the XDG base directory specification
 * requires. */
static pm_status find_path(const pm_engine_desc *desc, char **path, pm_error *error) {
    const char *base = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (desc->cache_folder && !*desc->cache_folder)
        return PM_OK;
    if (desc->cache_folder)
        *path = joined(desc->cache_folder, "");
    else if (base && *base == '/')
        *path = joined(base, "/posemill");
    else if (home && *home == '/')
        *path = joined(home, "/.cache/posemill");
    else
        return PM_OK;
    if (!*path)
        return pm_fail_memory(error);
    /* a symbolic link would be followed if the path ended with a slash */
    for (size_t length = strlen(*path); length > 1 && (*path)[length - 1] == '/'; length--)
        (*path)[length - 1] = '\0';
    return PM_OK;
}

pm_status pm_cache_folder_open(const pm_engine_desc *desc, pm_cache_folder **folder,
                               pm_error *error) {
    char *path = NULL;
    *folder = NULL;
    pm_status status = find_path(desc, &path, error);
    if (status != PM_OK || !path)
        return status;
    pm_cache_folder *made = calloc(1, sizeof *made);
    if (!made) {
        free(path);
        return pm_fail_memory(error);
    }
    made->path = path;
    made->users = 1;
    pthread_mutex_init(&made->lock, NULL);
    *folder = made;
    return PM_OK;
}

pm_cache_folder *pm_cache_folder_share(pm_cache_folder *folder) {
    if (folder)
        folder->users++;
    return folder;
}

void pm_cache_folder_close(pm_cache_folder *folder) {
    if (!folder || --folder->users > 0)
        return;
    pthread_mutex_destroy(&folder->lock);
    free(folder->path);
    free(folder);
}

/* Keeps the first problem only: later ones are most likely the same. */
static void note_problem(pm_cache_folder *folder, pm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note_problem(pm_cache_folder *folder, pm_log_level level, const char *format, ...) {
    va_list arguments;
    pthread_mutex_lock(&folder->lock);
    if (!folder->problem[0]) {
        int length = snprintf(folder->problem, PROBLEM, "program cache %.300s: ", folder->path);
        va_start(arguments, format);
        vsnprintf(folder->problem + length, PROBLEM - (size_t)length, format, arguments);
        va_end(arguments);
        folder->level = level;
    }
    pthread_mutex_unlock(&folder->lock);
}

static void note_failure(pm_cache_folder *folder, const char *what, int code) {
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    note_problem(folder, PM_LOG_INFO, "the folder cannot be %s, programs are not cached: %s", what,
                 reason);
}

bool pm_cache_folder_problem(pm_cache_folder *folder, pm_log_level *level, char *text,
                             size_t size) {
    if (!folder)
        return false;
    pthread_mutex_lock(&folder->lock);
    bool unreported = folder->problem[0] && !folder->reported;
    if (unreported) {
        *level = folder->level;
        snprintf(text, size, "%s", folder->problem);
        folder->reported = true;
    }
    pthread_mutex_unlock(&folder->lock);
    return unreported;
}

static const char folder_is_ignored[] = "so the folder is ignored";
static const char file_is_ignored[] = "so the file is ignored";

/* Whether only this user and the superuser can have written an open file or folder. */
static bool is_own(pm_cache_folder *folder, const struct stat *info, const char *what,
                   const char *consequence) {
    if (info->st_uid != geteuid())
        note_problem(folder, PM_LOG_WARNING, "%s is owned by user %ld, %s", what,
                     (long)info->st_uid, consequence);
    else if (info->st_mode & (S_IWGRP | S_IWOTH))
        note_problem(folder, PM_LOG_WARNING, "%s can be written by other users (mode %03o), %s",
                     what, (unsigned)(info->st_mode & 0777), consequence);
    else
        return true;
    return false;
}

/* The open folder, or -1. A missing folder is no problem: it is created when a file is stored. */
static int open_folder(pm_cache_folder *folder) {
    struct stat info;
    int opened = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) {
        if (errno == ENOTDIR || errno == ELOOP)
            note_problem(folder, PM_LOG_WARNING, "the path is a symbolic link or no folder, %s",
                         folder_is_ignored);
        else if (errno != ENOENT)
            note_failure(folder, "opened", errno);
        return -1;
    }
    if (fstat(opened, &info) == 0 && is_own(folder, &info, "the folder", folder_is_ignored))
        return opened;
    close(opened);
    return -1;
}

/* A file of the open folder, or -1. O_NONBLOCK, because opening a pipe must not block. */
static int open_file(pm_cache_folder *folder, int opened, const char *name) {
    struct stat info;
    int file = openat(opened, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        if (errno == ELOOP)
            note_problem(folder, PM_LOG_WARNING, "%s is a symbolic link, %s", name,
                         file_is_ignored);
        return -1;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        is_own(folder, &info, name, file_is_ignored))
        return file;
    close(file);
    return -1;
}

int pm_cache_folder_read(pm_cache_folder *folder, const char *name) {
    int opened = open_folder(folder);
    int file = opened < 0 ? -1 : open_file(folder, opened, name);
    if (opened >= 0)
        close(opened);
    if (file >= 0)
        futimens(file, NULL); /* the time of last use; if this fails, the file is evicted earlier */
    return file;
}

typedef struct entry {
    char name[PM_CACHE_NAME + 1];
    uint64_t size;
    struct timespec used;
} entry;

typedef struct listing {
    entry *entries;
    size_t count, room;
    uint64_t size;
} listing;

/* Whether a name is that of a cache file (its length is PM_CACHE_NAME) or of a temporary file. */
static bool is_cache_name(const char *name) {
    size_t length = strlen(name);
    return strspn(name, "0123456789abcdef") == PM_CACHE_NAME &&
           (length == PM_CACHE_NAME ||
            (length == PM_CACHE_NAME + SUFFIX && name[PM_CACHE_NAME] == '.'));
}

static bool append(listing *l, const char *name, const struct stat *info) {
    if (l->count == l->room) {
        size_t room = 2 * l->room + 64;
        entry *grown = realloc(l->entries, room * sizeof *grown);
        if (!grown)
            return false;
        l->entries = grown;
        l->room = room;
    }
    entry *e = &l->entries[l->count++];
    memcpy(e->name, name, PM_CACHE_NAME);
    e->name[PM_CACHE_NAME] = '\0';
    e->size = (uint64_t)info->st_size;
    e->used = info->st_mtim;
    l->size += e->size;
    return true;
}

/* Adds a cache file to the listing. Removes a temporary file that a dead process left. */
static void list_name(int opened, const char *name, listing *l) {
    struct stat info;
    if (!is_cache_name(name) || fstatat(opened, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
        return;
    if (strlen(name) == PM_CACHE_NAME)
        append(l, name, &info);
    else if (time(NULL) - info.st_mtim.tv_sec > max_temporary_seconds)
        unlinkat(opened, name, 0);
}

static void list_files(int opened, listing *l) {
    int again = openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = again < 0 ? NULL : fdopendir(again);
    if (!names) {
        if (again >= 0)
            close(again);
        return;
    }
    for (struct dirent *found; (found = readdir(names));)
        list_name(opened, found->d_name, l);
    closedir(names);
}

static int compare_use(const void *a, const void *b) {
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes the least recently used files until the rest fits; never the file just written. */
static void evict(int opened, const char *written) {
    listing l = {0};
    list_files(opened, &l);
    if (l.size > max_bytes)
        qsort(l.entries, l.count, sizeof *l.entries, compare_use);
    for (size_t i = 0; i < l.count && l.size > max_bytes; i++) {
        if (strcmp(l.entries[i].name, written) == 0)
            continue;
        unlinkat(opened, l.entries[i].name, 0);
        l.size -= l.entries[i].size;
    }
    free(l.entries);
}

/* Creates a folder and its parents. */
static void make_folders(const char *folder) {
    char *path = strdup(folder);
    for (char *at = path ? path + 1 : NULL; at && *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0700);
            *at = '/';
        }
    if (path)
        mkdir(path, 0700);
    free(path);
}

static bool write_exactly(int file, const void *from, size_t size) {
    const unsigned char *at = from;
    while (size) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* Creates a temporary file for a cache file, open for writing; -1 on failure. `temporary` receives
 * its name. */
static int create_temporary(int opened, const char *name, char temporary[MAX_NAME]) {
    enum { TRIES = 64 };
    struct timespec now = {0, 0};
    int file = -1;
    for (unsigned i = 0; file < 0 && i < TRIES; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t mixed = ((uint64_t)now.tv_nsec + ((uint64_t)getpid() << 32) + i) *
                         0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: scatters similar inputs */
        snprintf(temporary, MAX_NAME, "%.*s.%06x", PM_CACHE_NAME, name, (unsigned)(mixed >> 40));
        file =
            openat(opened, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

bool pm_cache_folder_write(pm_cache_folder *folder, const char *name, const void *head,
                           size_t head_size, const void *body, size_t body_size) {
    char temporary[MAX_NAME];
    bool done = false;
    if (head_size + body_size > max_bytes) {
        note_problem(folder, PM_LOG_INFO, "a program of %zu bytes is too large to cache",
                     body_size);
        return false;
    }
    make_folders(folder->path);
    errno = 0;
    int opened = open_folder(folder);
    if (opened < 0) {
        note_failure(folder, "made", errno);
        return false;
    }
    int file = create_temporary(opened, name, temporary);
    if (file < 0) {
        note_failure(folder, "written", errno);
        close(opened);
        return false;
    }
    done = write_exactly(file, head, head_size) && write_exactly(file, body, body_size);
    done = close(file) == 0 && done && renameat(opened, temporary, opened, name) == 0;
    if (!done) {
        note_failure(folder, "written", errno);
        unlinkat(opened, temporary, 0);
    }
    evict(opened, name);
    close(opened);
    return done;
}
