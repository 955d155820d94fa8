/* SPDX-License-Identifier: MIT
 *
 * Files and folders of POSIX systems.
 */
#define _GNU_SOURCE /* flock, realpath, AT_SYMLINK_NOFOLLOW */
#define _DARWIN_C_SOURCE

#include "motion/base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

/* ---- what lies in file systems ------------------------------------------------------------------- */

static bool tell(int result, const struct stat *status, os_info *info) {
    const mode_t mode = status->st_mode;
    *info = (os_info){.kind = OS_NONE};
    if (result != 0)
        return false;
    *info =
        (os_info){.kind = S_ISREG(mode)    ? OS_REGULAR
                          : S_ISDIR(mode)  ? OS_FOLDER
                          : S_ISFIFO(mode) ? OS_PIPE
                          : S_ISLNK(mode)  ? OS_LINK
                                           : OS_OTHER,
                  .size = status->st_size > 0 ? (uint64_t)status->st_size : 0,
                  .time = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
                  .volume = (uint64_t)status->st_dev,
                  .file = (uint64_t)status->st_ino,
                  .rights = mode & 0777};
    return true;
}

bool os_look(const char *path, os_info *info) {
    struct stat status;
    return tell(stat(path, &status), &status, info);
}

bool os_look_at_link(const char *path, os_info *info) {
    struct stat status;
    return tell(lstat(path, &status), &status, info);
}

bool os_look_at_open(int file, os_info *info) {
    struct stat status;
    return tell(fstat(file, &status), &status, info);
}

/* ---- names --------------------------------------------------------------------------------------- */

const char *os_last_separator(const char *path) {
    return strrchr(path, '/');
}

bool os_is_absolute(const char *path) {
    return path[0] == '/';
}

bool os_names_device(const char *path) {
    (void)path;
    return false;
}

bool os_can_have_name(const char *name) {
    (void)name;
    return true;
}

char *os_resolve(const char *path) {
    return realpath(path, NULL);
}

char *os_link_target(const char *path) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    return length > 0 ? strndup(target, (size_t)length) : NULL;
}

/* ---- open files ---------------------------------------------------------------------------------- */

enum { ALWAYS = O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

int os_open_to_read(const char *path) {
    return open(path, O_RDONLY | ALWAYS);
}

int os_open_to_append(const char *path) {
    return open(path, O_RDWR | O_APPEND | O_CREAT | ALWAYS, 0666);
}

int os_open_to_lock(const char *path) {
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | ALWAYS, 0666);
}

int os_open_in_place(const char *path) {
    const int file = open(path, O_WRONLY | ALWAYS);
    const int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
    if (file >= 0 && (flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) != 0)) {
        const int failure = errno;
        close(file);
        errno = failure;
        return -1;
    }
    return file;
}

/* O_EXCL instead of mkstemp, so that the umask sets the permissions as for any other file. */
int os_create(const char *path, unsigned rights) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)rights);
}

static size_t at_once(size_t size) {
    return size < (size_t)1 << 30 ? size : (size_t)1 << 30;
}

int64_t os_read(int file, void *to, size_t size) {
    ssize_t got;
    while ((got = read(file, to, at_once(size))) < 0 && errno == EINTR) {
    }
    return got;
}

int64_t os_read_at(int file, void *to, size_t size, uint64_t at) {
    ssize_t got;
    while ((got = pread(file, to, at_once(size), (off_t)at)) < 0 && errno == EINTR) {
    }
    return got;
}

int64_t os_write(int file, const void *from, size_t size) {
    ssize_t put;
    while ((put = write(file, from, at_once(size))) < 0 && errno == EINTR) {
    }
    return put;
}

int64_t os_write_at(int file, const void *from, size_t size, uint64_t at) {
    ssize_t put;
    while ((put = pwrite(file, from, at_once(size), (off_t)at)) < 0 && errno == EINTR) {
    }
    return put;
}

uint64_t os_place(int file) {
    const off_t at = lseek(file, 0, SEEK_CUR);
    return at > 0 ? (uint64_t)at : 0;
}

void os_wait_for_bytes(int file) {
    struct pollfd waited = {.fd = file, .events = POLLIN};
    while (poll(&waited, 1, -1) < 0 && errno == EINTR) {
    }
}

int os_flush(int file) {
#ifdef F_FULLFSYNC /* fsync of macOS leaves bytes in the drive's memory */
    if (fcntl(file, F_FULLFSYNC) == 0)
        return 0;
#endif
    while (fsync(file) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    return 0;
}

int os_set_rights(int file, unsigned rights) {
    return fchmod(file, (mode_t)rights) == 0 ? 0 : errno;
}

bool os_can_write(const char *path) {
    return access(path, W_OK) == 0;
}

int os_duplicate(int file) {
    return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

const void *os_map(int file, size_t size) {
    void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

void os_unmap(const void *bytes, size_t size) {
    munmap((void *)(uintptr_t)bytes, size);
}

void os_drop_pages(const void *bytes, size_t size) {
    madvise((void *)(uintptr_t)bytes, size, MADV_DONTNEED);
}

bool os_is_full(int failure) {
    return failure == ENOSPC || failure == EDQUOT;
}

/* ---- locks --------------------------------------------------------------------------------------- */

/* flock: it works across containers and on network file systems, and belongs to the open file. */
int os_lock(int file, os_lock_use use) {
    static const int how[] = {LOCK_UN, LOCK_SH, LOCK_EX | LOCK_NB};
    while (flock(file, how[use]) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

bool os_lacks_locks(int failure) {
    return failure == ENOSYS || failure == ENOLCK || failure == EOPNOTSUPP;
}

/* Links, files that are not regular and files that cannot be opened are left alone. */
void os_remove_unlocked(const char *path) {
    os_info named, opened;
    if (!os_look_at_link(path, &named) || named.kind != OS_REGULAR)
        return;
    const int file = open(path, O_WRONLY | O_NOFOLLOW | ALWAYS);
    if (file < 0)
        return;
    if (os_lock(file, OS_ALONE) == 0 && os_look_at_open(file, &opened) &&
        os_look_at_link(path, &named) && os_same_file(&named, &opened))
        unlink(path);
    close(file);
}

/* ---- folders and their files --------------------------------------------------------------------- */

static DIR *listing(os_folder *folder) {
    return (DIR *)folder;
}

os_folder *os_folder_open(const char *path) {
    return (os_folder *)opendir(path);
}

bool os_folder_look(os_folder *folder, os_info *info) {
    return os_look_at_open(dirfd(listing(folder)), info);
}

const char *os_folder_next(os_folder *folder) {
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(listing(folder));
    } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : NULL;
}

bool os_folder_look_at(os_folder *folder, const char *name, bool follow, os_info *info) {
    struct stat status;
    const int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
    return tell(fstatat(dirfd(listing(folder)), name, &status, flags), &status, info);
}

void os_folder_close(os_folder *folder) {
    if (folder)
        closedir(listing(folder));
}

int os_make_folder(const char *path) {
    return mkdir(path, 0777) == 0 ? 0 : errno;
}

int os_make_new_folder(char *path) {
    return mkdtemp(path) ? 0 : errno;
}

void os_remove(const char *path) {
    if (unlink(path) != 0)
        rmdir(path);
}

static int rename_to_new(const char *path, const char *target) {
#ifdef SYS_renameat2
    enum { NO_REPLACE = 1 }; /* RENAME_NOREPLACE, which not every C library names */
    if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, NO_REPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* network file systems lack it, but have links */
        return errno;
#elif defined(RENAME_EXCL)
    if (renamex_np(path, target, RENAME_EXCL) == 0)
        return 0;
    if (errno != ENOTSUP) /* likewise */
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

int os_rename(int file, const char *path, const char *target, bool must_be_new) {
    (void)file;
    return must_be_new ? rename_to_new(path, target) : rename(path, target) != 0 ? errno : 0;
}
