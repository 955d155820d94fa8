/* SPDX-License-Identifier: MIT
 *
 * The folder of the program cache. A program runs with the caller's rights, so files that another
 * user could have written are not read. Files are written under a temporary name and renamed. Any
 * process may remove any of them at any time.
 */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* The limit that posemill.h documents: some hundred programs. */
static const uint64_t max_bytes = (uint64_t)256 << 20;

/* Temporary files are written within seconds: the process that wrote an older one has died. */
static const int64_t max_temporary_seconds = 3600;

enum { SUFFIX = 7, PROBLEM = 512 };

struct pm_cache_folder {
    pm_host host;
    char *path;
    size_t users;         /* devices that share the folder */
    pthread_mutex_t lock; /* guards the fields below */
    pm_log_level level;
    char problem[PROBLEM]; /* empty: none so far */
    bool reported;
};

static pm_status find_path(const pm_engine_desc *desc, char **path, pm_error *error) {
    bool no_memory = false;
    if (!desc->cache_folder) {
        *path = pm_os_cache_folder(&desc->host, "posemill", &no_memory);
    } else if (*desc->cache_folder) {
        *path = pm_copy_text(&desc->host, desc->cache_folder);
        no_memory = !*path;
    }
    if (no_memory)
        return pm_fail_memory(error);
    /* a symbolic link would be followed if the path ended with a slash */
    for (size_t length = *path ? strlen(*path) : 0; length > 1 && (*path)[length - 1] == '/';
         length--)
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
    pm_cache_folder *made = pm_allocate_zeroed(&desc->host, 1, sizeof *made);
    if (!made) {
        pm_release(path);
        return pm_fail_memory(error);
    }
    made->host = desc->host;
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
    pm_release(folder->path);
    pm_release(folder);
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

static void note_failure(pm_cache_folder *folder, const char *what, const char *why) {
    note_problem(folder, PM_LOG_INFO, "the folder cannot be %s, programs are not cached: %s", what,
                 why);
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

/* NULL: it cannot be used, which is noted. A missing folder is no problem: it is made when a file is stored. */
static pm_os_folder *open_folder(pm_cache_folder *folder, bool make) {
    char why[PM_OS_WHY] = "";
    pm_os_folder *opened = NULL;
    const pm_os_found found = pm_os_folder_open(&folder->host, folder->path, make, &opened, why);
    if (found == PM_OS_SUSPECT)
        note_problem(folder, PM_LOG_WARNING, "the folder %s, so it is ignored", why);
    else if (found == PM_OS_FAILED)
        note_failure(folder, make ? "made" : "opened", why);
    return opened;
}

void *pm_cache_folder_read(pm_cache_folder *folder, const char *name, size_t *size) {
    char why[PM_OS_WHY] = "";
    void *bytes = NULL;
    pm_os_folder *opened = open_folder(folder, false);
    if (opened && pm_os_folder_read(opened, name, max_bytes, &bytes, size, why) == PM_OS_SUSPECT)
        note_problem(folder, PM_LOG_WARNING, "%s %s, so the file is ignored", name, why);
    pm_os_folder_close(opened);
    return bytes;
}

typedef struct entry {
    char name[PM_CACHE_NAME + 1];
    uint64_t size;
    int64_t used;
} entry;

typedef struct listing {
    const pm_host *host;
    pm_os_folder *folder;
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

static void append(listing *l, const char *name, uint64_t size, int64_t used) {
    if (l->count == l->room) {
        size_t room = 2 * l->room + 64;
        entry *grown = pm_reallocate(l->host, l->entries, room * sizeof *grown);
        if (!grown)
            return;
        l->entries = grown;
        l->room = room;
    }
    entry *e = &l->entries[l->count++];
    memcpy(e->name, name, PM_CACHE_NAME);
    e->name[PM_CACHE_NAME] = '\0';
    e->size = size;
    e->used = used;
    l->size += size;
}

/* Adds a cache file to the listing. Removes a temporary file that a dead process left. */
static void list_file(void *user, const char *name, uint64_t size, int64_t used, int64_t age) {
    listing *l = user;
    if (!is_cache_name(name))
        return;
    if (strlen(name) == PM_CACHE_NAME)
        append(l, name, size, used);
    else if (age > max_temporary_seconds)
        pm_os_folder_remove(l->folder, name);
}

static int compare_use(const void *a, const void *b) {
    const int64_t x = ((const entry *)a)->used, y = ((const entry *)b)->used;
    return (x > y) - (x < y);
}

/* Removes the least recently used files until the rest fits; never the file just written. */
static void evict(const pm_host *host, pm_os_folder *opened, const char *written) {
    listing l = {.host = host, .folder = opened};
    pm_os_folder_list(opened, list_file, &l);
    if (l.size > max_bytes)
        qsort(l.entries, l.count, sizeof *l.entries, compare_use);
    for (size_t i = 0; i < l.count && l.size > max_bytes; i++) {
        if (strcmp(l.entries[i].name, written) == 0)
            continue;
        pm_os_folder_remove(opened, l.entries[i].name);
        l.size -= l.entries[i].size;
    }
    pm_release(l.entries);
}

bool pm_cache_folder_write(pm_cache_folder *folder, const char *name, const void *head,
                           size_t head_size, const void *body, size_t body_size) {
    char why[PM_OS_WHY] = "";
    if (head_size + body_size > max_bytes) {
        note_problem(folder, PM_LOG_INFO, "a program of %zu bytes is too large to cache",
                     body_size);
        return false;
    }
    pm_os_folder *opened = open_folder(folder, true);
    if (!opened)
        return false;
    const bool done =
        pm_os_folder_write(opened, name, head, head_size, body, body_size, why) == PM_OS_GOOD;
    if (!done)
        note_failure(folder, "written", why);
    evict(&folder->host, opened, name);
    pm_os_folder_close(opened);
    return done;
}
