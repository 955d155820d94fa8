/* SPDX-License-Identifier: MIT
 *
 * Atomic output files: the names of the temporary files are kept in a list that a signal handler
 * reads, and a lock on each file marks its process as running. The lock belongs to the kernel
 * (flock): it ends with the process in every case, and it works across containers and on network
 * file systems, where process ids have no meaning.
 */
#define _DEFAULT_SOURCE /* flock, and POSIX 2008 */

#include "motion/files/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFIX ".posemill-"
#define SUFFIX ".part"
enum { NAME_SIZE = 64 }; /* size of a temporary file name with its numbers */

struct atomic_file {
    atomic_file *next;
    char path[];
};

/* All signals end a process but these, which do not, cannot be caught, or report a fault of the
 * instruction that they interrupt. Real-time signals are among those that do. */
static sigset_t fatal_set(void) {
    static const int others[] = {SIGKILL,  SIGSTOP, SIGCHLD, SIGCONT, SIGURG,
                                 SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV,
                                 SIGBUS,   SIGFPE,  SIGILL,  SIGTRAP, SIGXFSZ};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        sigdelset(&set, others[i]);
    return set;
}

/* Those that the command always takes over. Others may be the handlers of a driver, of a profiler or
 * of the program that this is a part of. */
static bool is_own(int number) {
    return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM ||
           number == SIGPIPE || number == SIGXCPU;
}

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
    pthread_atfork(NULL, NULL, list_forget); /* fails only without memory */
}

static void list_take(sigset_t *before) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const sigset_t set = fatal_set();
    pthread_once(&once, list_watch_forks);
    pthread_sigmask(SIG_BLOCK, &set, before);
    list_wait();
}

static void list_give(const sigset_t *before) {
    atomic_flag_clear_explicit(&list_busy, memory_order_release);
    pthread_sigmask(SIG_SETMASK, before, NULL);
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

/* Only calls that a signal handler may make, so not remove(). */
static void remove_path(const char *path) {
    if (unlink(path) != 0)
        rmdir(path);
}

/* The last entry of the list is removed first: files before the folder that they are in. */
static void remove_all_and_raise(int number) {
    sigset_t set;
    if (is_noted(number))
        return;
    list_wait();
    for (const atomic_file *at = list; at && getpid() == list_owner; at = at->next)
        remove_path(at->path);
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

void atomic_file_watch_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remove_all_and_raise;
    action.sa_flags = SA_RESTART; /* the first signal of a batch lets files in work be finished */
    action.sa_mask = fatal_set(); /* a second signal would wait for the list of the first */
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction current;
        if (sigismember(&action.sa_mask, number) == 1 && sigaction(number, NULL, &current) == 0 &&
            current.sa_handler != SIG_IGN && (is_own(number) || current.sa_handler == SIG_DFL))
            sigaction(number, &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

static bool is_temporary_name(const char *name) {
    const size_t length = strlen(name), prefix = strlen(PREFIX), suffix = strlen(SUFFIX);
    return length > prefix + suffix && strncmp(name, PREFIX, prefix) == 0 &&
           strcmp(name + length - suffix, SUFFIX) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* If the lock of an existing temporary file is free, its writer has ended. Links, files that are
 * not regular and files that cannot be opened are left alone. */
static void remove_if_orphaned(int folder, const char *name) {
    struct stat named, opened;
    if (fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(named.st_mode))
        return;
    int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &opened) == 0 &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && same_file(&named, &opened))
        unlinkat(folder, name, 0);
    close(file);
}

/* Folders that this process has looked through: a batch writes thousands of files into each. One that
 * another has displaced is looked through again. */
enum { CLEANED_MAX = 1024 };
static atomic_ulong cleaned_folders[CLEANED_MAX]; /* mixed numbers; 0: none */

/* Whether the folder was cleaned before; it counts as cleaned from now on. */
static bool is_cleaned(const struct stat *status) {
    const uint64_t mixed =
        ((uint64_t)status->st_dev * 31 + (uint64_t)status->st_ino) * UINT64_C(0x9e3779b97f4a7c15);
    const unsigned long folder = (unsigned long)(mixed >> 8 | 1);
    return atomic_exchange(&cleaned_folders[mixed >> 54], folder) == folder;
}

void atomic_file_look_again(void) {
    for (size_t i = 0; i < CLEANED_MAX; i++)
        atomic_store(&cleaned_folders[i], 0);
}

static void remove_orphans(const char *path) {
    struct stat status;
    DIR *folder = NULL;
    if (stat(path, &status) != 0 || is_cleaned(&status) || !(folder = opendir(path)))
        return;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (is_temporary_name(entry->d_name))
            remove_if_orphaned(dirfd(folder), entry->d_name);
    closedir(folder);
}

/* Creates and lists the file with signals blocked. O_EXCL instead of mkstemp, so that the umask
 * sets the permissions as for any other file. */
static int create_listed(atomic_file *created, mode_t mode, int *file) {
    sigset_t before;
    int failure = 0;
    list_take(&before);
    *file = open(created->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (*file >= 0)
        list_add(created);
    else
        failure = errno;
    list_give(&before);
    return failure;
}

static void remove_listed(const atomic_file *created) {
    sigset_t before;
    list_take(&before);
    remove_path(created->path);
    list_drop(created);
    list_give(&before);
}

/* False if another process removed the file between creating and locking it. Without flock support
 * no process removes files either. */
static bool lock_created(const atomic_file *created, int file) {
    struct stat named, opened;
    if (flock(file, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK;
    return fstat(file, &opened) == 0 && lstat(created->path, &named) == 0 &&
           same_file(&named, &opened);
}

int atomic_file_create(const char *target, mode_t mode, atomic_file **temporary, int *file) {
    static atomic_uint serial = 0;
    const char *slash = strrchr(target, '/');
    const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    atomic_file *created = malloc(sizeof *created + folder + NAME_SIZE);
    if (!created)
        return ENOMEM;
    memcpy(created->path, target, folder);
    created->path[folder] = '\0';
    remove_orphans(folder > 0 ? created->path : ".");
    for (;;) {
        snprintf(created->path + folder, NAME_SIZE, PREFIX "%ld-%u" SUFFIX, (long)getpid(),
                 atomic_fetch_add(&serial, 1));
        int failure = create_listed(created, mode, file);
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
}

/* Returns 0 or an errno. */
static int rename_to_new(const char *path, const char *target) {
#ifdef SYS_renameat2
    enum { NO_REPLACE = 1 }; /* RENAME_NOREPLACE, which not every C library names */
    if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, NO_REPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* network file systems lack it, but have links */
        return errno;
#endif
    struct stat status;
    int failure = link(path, target) == 0 ? 0 : errno;
    if (failure == 0) {
        unlink(path);
    } else if (failure == EPERM || failure == ENOSYS || failure == EOPNOTSUPP) {
        /* No file system can do less: a file that appears between these two calls is replaced. */
        failure = lstat(target, &status) == 0 ? EEXIST : rename(path, target) != 0 ? errno : 0;
    }
    return failure;
}

int atomic_file_rename(atomic_file **temporary, const char *target, bool must_be_new) {
    sigset_t before;
    list_take(&before);
    int failure = must_be_new ? rename_to_new((*temporary)->path, target)
                  : rename((*temporary)->path, target) != 0 ? errno
                                                            : 0;
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

static atomic_file *copy_path(const char *path) {
    const size_t size = strlen(path) + 1;
    atomic_file *made = malloc(sizeof *made + size);
    if (made)
        memcpy(made->path, path, size);
    return made;
}

int atomic_folder_create(char *pattern, atomic_file **temporary) {
    sigset_t before;
    int failure = 0;
    atomic_file *made = copy_path(pattern);
    if (!made)
        return ENOMEM;
    list_take(&before);
    if (mkdtemp(made->path))
        list_add(made);
    else
        failure = errno;
    list_give(&before);
    if (failure != 0) {
        free(made);
        return failure;
    }
    memcpy(pattern, made->path, strlen(pattern));
    *temporary = made;
    return 0;
}

int atomic_file_claim(const char *path, atomic_file **temporary) {
    sigset_t before;
    atomic_file *made = copy_path(path);
    if (!made)
        return ENOMEM;
    list_take(&before);
    list_add(made);
    list_give(&before);
    *temporary = made;
    return 0;
}
