/* SPDX-License-Identifier: MIT
 *
 * A file FOLDER/.posemill/running with the digest of the options, and a lock on it (flock), which ends with
 * the process in every case. The first run has it alone while it writes the digest, then shares it.
 */
#define _DEFAULT_SOURCE /* flock, and POSIX 2008 */

#include "motion/batch/plan.h"

#include "motion/base/composed.h"
#include "motion/files/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = DIGEST_TEXT - 1 };

static int lock(int file, int how) {
    int result;
    do {
        result = flock(file, how);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

static int write_digest(int file, const digest *options) {
    const ssize_t written = pwrite(file, options->text, DIGITS, 0);
    return written == DIGITS ? 0 : written < 0 ? errno : ENOSPC;
}

static bool has_digest(int file, const digest *options) {
    char text[DIGITS];
    return pread(file, text, DIGITS, 0) == DIGITS && memcmp(text, options->text, DIGITS) == 0;
}

/* Between the two locks another run may come first: the digest is then its own. */
static int share(int file, const digest *options) {
    int failure = lock(file, LOCK_EX | LOCK_NB);
    if (failure == 0)
        failure = write_digest(file, options);
    return failure == 0 || failure == EWOULDBLOCK ? lock(file, LOCK_SH) : failure;
}

static bool is_missing(int failure) {
    return failure == ENOSYS || failure == ENOLCK || failure == EOPNOTSUPP;
}

static int open_file(const char *path, int *file) {
    struct stat status;
    *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0666);
    if (*file < 0 || fstat(*file, &status) != 0)
        return errno;
    return S_ISREG(status.st_mode) ? 0 : EINVAL;
}

static pm_status take(const char *folder, const char *path, const digest *options, int *file,
                      int *unseen, pm_error *error) {
    MOTION_TRY(folders_make_for(path, error));
    int failure = open_file(path, file);
    failure = failure == 0 ? share(*file, options) : failure;
    *unseen = *file >= 0 && is_missing(failure) ? failure : 0;
    if (*unseen != 0)
        return PM_OK;
    if (failure != 0)
        return motion_fail_at(error, PM_ERROR_OUTPUT, path, NULL, "cannot be locked: %s",
                              strerror(failure));
    if (has_digest(*file, options))
        return PM_OK;
    motion_fail_at(error, PM_ERROR_OUTPUT, folder, NULL,
                   "a run with other options writes into this folder now");
    motion_cure(error, "out-dir", NULL, "chooses another folder; or wait until it has ended");
    return PM_ERROR_OUTPUT;
}

pm_status run_lock_take(const char *folder, const digest *options, pm_motion_log_function log,
                        void *user, int *lock, pm_error *error) {
    char *path = options->text[0] != '\0' ? compose_format("%s/.posemill/running", folder) : NULL;
    int unseen = 0;
    *lock = -1;
    if (!path)
        return motion_fail_at(error, PM_ERROR_OUTPUT, folder, MOTION_MEMORY_HINT, "out of memory");
    const pm_status status = take(folder, path, options, lock, &unseen, error);
    if (unseen != 0)
        motion_warn_at(log, user, path, "runs with other options are not seen: %s",
                       strerror(unseen));
    free(path);
    if (status != PM_OK) {
        run_lock_release(*lock);
        *lock = -1;
    }
    return status;
}

/* A forked process may have the file too: its copy must not hold the lock. */
void run_lock_release(int lock) {
    if (lock >= 0) {
        flock(lock, LOCK_UN);
        close(lock);
    }
}
