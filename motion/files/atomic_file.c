/* SPDX-License-Identifier: MIT
 *
 * Atomic output files: the names of the temporary files are kept in a list that a signal handler
 * reads, and a lock on each file marks its process as running. The lock belongs to the system: it ends with
 * the process in every case, and it works where process ids have no meaning.
 */
#include "motion/files/atomic_file.h"

#include "motion/base/composed.h"
#include "motion/base/os.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX ".posemill-"
#define SUFFIX ".part"
enum {
    NAME_SIZE = 64, /* size of a temporary file name with its numbers */
    TRIES = 1 << 16 /* names that others may have */
};

struct atomic_file {
    atomic_file *next;
    char path[];
};

/* A thread that holds the list has blocked the fatal signals, so a handler never waits for the
 * thread that it interrupts. A handler never releases the list, so that no file is created or
 * renamed once the removal has begun. */
static atomic_file *list = NULL;
static pid_t list_owner; /* process that owns the files; a forked child has a copy of the list */
static atomic_flag list_busy = ATOMIC_FLAG_INIT;

static void list_wait(void) {
    while (atomic_flag_test_and_set_explicit(&list_busy, memory_order_acquire)) {
    }
}

/* In a forked child: the files are the parent's, and the thread that holds the list is not there. */
static void list_forget(void) {
    list = NULL;
    atomic_flag_clear(&list_busy);
}

static void list_watch_forks(void) {
    os_watch_forks(list_forget);
}

static void list_take(os_signals *before) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, list_watch_forks);
    os_hold_signals(before);
    list_wait();
}

static void list_give(const os_signals *before) {
    atomic_flag_clear_explicit(&list_busy, memory_order_release);
    os_give_signals(before);
}

static void list_add(atomic_file *added) {
    added->next = list;
    list = added;
    list_owner = getpid();
}

static void list_drop(const atomic_file *dropped) {
    for (atomic_file **at = &list; *at; at = &(*at)->next) {
        if (*at == dropped) {
            *at = dropped->next;
            return;
        }
    }
}

static atomic_int *_Atomic stop_first = NULL;

void atomic_file_stop_first(atomic_int *stopped) {
    atomic_store(&stop_first, stopped);
}

/* Whether the signal is only noted. */
static bool is_noted(int number) {
    atomic_int *stopped = atomic_load(&stop_first);
    int none = 0;
    return stopped != NULL && (number == SIGINT || number == SIGTERM) &&
           atomic_compare_exchange_strong(stopped, &none, number);
}

/* The last entry of the list is removed first: files before the folder that they are in. */
static bool remove_all(int number) {
    if (is_noted(number))
        return false;
    list_wait();
    for (const atomic_file *at = list; at && getpid() == list_owner; at = at->next)
        os_remove(at->path);
    return true;
}

void atomic_file_watch_signals(void) {
    os_watch_signals(remove_all);
}

static bool is_temporary_name(const char *name) {
    const size_t length = strlen(name), prefix = strlen(PREFIX), suffix = strlen(SUFFIX);
    return length > prefix + suffix && strncmp(name, PREFIX, prefix) == 0 &&
           strcmp(name + length - suffix, SUFFIX) == 0;
}

/* Folders that this process has looked through: a batch writes thousands of files into each. One that
 * another has displaced is looked through again. */
enum { CLEANED_MAX = 1024 };
static atomic_ulong cleaned_folders[CLEANED_MAX]; /* mixed numbers; 0: none */

/* Whether the folder was cleaned before; it counts as cleaned from now on. */
static bool is_cleaned(const os_info *info) {
    const uint64_t mixed = (info->volume * 31 + info->file) * UINT64_C(0x9e3779b97f4a7c15);
    const unsigned long folder = (unsigned long)(mixed >> 8 | 1);
    return atomic_exchange(&cleaned_folders[mixed >> 54], folder) == folder;
}

void atomic_file_look_again(void) {
    for (size_t i = 0; i < CLEANED_MAX; i++)
        atomic_store(&cleaned_folders[i], 0);
}

/* If the lock of an existing temporary file is free, its writer has ended. */
static void remove_orphans(const char *path) {
    os_info info;
    os_folder *folder = NULL;
    if (!os_look(path, &info) || is_cleaned(&info) || !(folder = os_folder_open(path)))
        return;
    for (const char *name = os_folder_next(folder); name; name = os_folder_next(folder)) {
        char *orphan = is_temporary_name(name) ? compose_format("%s/%s", path, name) : NULL;
        if (orphan)
            os_remove_unlocked(orphan);
        free(orphan);
    }
    os_folder_close(folder);
}

/* Creates and lists the file with signals blocked. */
static int create_listed(atomic_file *created, unsigned rights, int *file) {
    os_signals before;
    int failure = 0;
    list_take(&before);
    *file = os_create(created->path, rights);
    if (*file >= 0)
        list_add(created);
    else
        failure = errno;
    list_give(&before);
    return failure;
}

static void remove_listed(const atomic_file *created) {
    os_signals before;
    list_take(&before);
    os_remove(created->path);
    list_drop(created);
    list_give(&before);
}

/* False if another process removed the file between creating and locking it. Without locks no process
 * removes files either. */
static bool lock_created(const atomic_file *created, int file) {
    os_info named, opened;
    const int failure = os_lock(file, OS_ALONE);
    if (failure != 0)
        return failure != EWOULDBLOCK;
    return os_look_at_open(file, &opened) && os_look_at_link(created->path, &named) &&
           os_same_file(&named, &opened);
}

int atomic_file_create(const char *target, unsigned rights, atomic_file **temporary, int *file) {
    static atomic_uint serial = 0;
    const char *slash = os_last_separator(target);
    const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    atomic_file *created = malloc(sizeof *created + folder + NAME_SIZE);
    if (!created)
        return ENOMEM;
    memcpy(created->path, target, folder);
    created->path[folder] = '\0';
    remove_orphans(folder > 0 ? created->path : ".");
    for (int failure = EEXIST, tries = 0; tries < TRIES; tries++) {
        snprintf(created->path + folder, NAME_SIZE, PREFIX "%ld-%u" SUFFIX, (long)getpid(),
                 atomic_fetch_add(&serial, 1));
        failure = create_listed(created, rights, file);
        if (failure == EEXIST)
            continue;
        if (failure != 0) {
            free(created);
            return failure;
        }
        if (lock_created(created, *file)) {
            *temporary = created;
            return 0;
        }
        remove_listed(created);
        close(*file);
    }
    free(created);
    return EEXIST;
}

int atomic_file_rename(atomic_file **temporary, int file, const char *target, bool must_be_new) {
    os_signals before;
    list_take(&before);
    const int failure = os_rename(file, (*temporary)->path, target, must_be_new);
    if (failure == 0)
        list_drop(*temporary);
    list_give(&before);
    if (failure == 0) {
        free(*temporary);
        *temporary = NULL;
    }
    return failure;
}

void atomic_file_remove(atomic_file **temporary) {
    if (*temporary) {
        remove_listed(*temporary);
        free(*temporary);
        *temporary = NULL;
    }
}
