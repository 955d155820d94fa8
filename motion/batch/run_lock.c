/* SPDX-License-Identifier: MIT
 *
 * A file FOLDER/.posemill/running with the digest of the options, and a lock on it, which ends with
 * the process in every case. The first run has it alone while it writes the digest, then shares it.
 */
#include "motion/batch/plan.h"

#include "motion/base/composed.h"
#include "motion/base/os.h"
#include "motion/files/folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIGITS = DIGEST_TEXT - 1 };

static int write_digest(int file, const digest *options) {
    const int64_t written = os_write_at(file, options->text, DIGITS, 0);
    return written == DIGITS ? 0 : written < 0 ? errno : ENOSPC;
}

static bool has_digest(int file, const digest *options) {
    char text[DIGITS];
    return os_read_at(file, text, DIGITS, 0) == DIGITS && memcmp(text, options->text, DIGITS) == 0;
}

/* Between the two locks another run may come first: the digest is then its own. */
static int share(int file, const digest *options) {
    int failure = os_lock(file, OS_ALONE);
    if (failure == 0)
        failure = write_digest(file, options);
    return failure == 0 || failure == EWOULDBLOCK ? os_lock(file, OS_SHARED) : failure;
}

static int open_file(const char *path, int *file) {
    os_info info;
    *file = os_open_to_lock(path);
    if (*file < 0 || !os_look_at_open(*file, &info))
        return errno;
    return info.kind == OS_REGULAR ? 0 : EINVAL;
}

static pm_status take(const char *folder, const char *path, const digest *options, int *file,
                      int *unseen, pm_error *error) {
    MOTION_TRY(folders_make_for(path, error));
    int failure = open_file(path, file);
    failure = failure == 0 ? share(*file, options) : failure;
    *unseen = *file >= 0 && os_lacks_locks(failure) ? failure : 0;
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
    FREED char *path =
        options->text[0] != '\0' ? compose_format("%s/.posemill/running", folder) : NULL;
    int unseen = 0;
    *lock = -1;
    if (!path)
        return motion_fail_at(error, PM_ERROR_OUTPUT, folder, MOTION_MEMORY_HINT, "out of memory");
    const pm_status status = take(folder, path, options, lock, &unseen, error);
    if (unseen != 0)
        motion_warn_at(log, user, path, "runs with other options are not seen: %s",
                       strerror(unseen));
    if (status != PM_OK) {
        run_lock_release(*lock);
        *lock = -1;
    }
    return status;
}

/* A forked process may have the file too: its copy must not hold the lock. */
void run_lock_release(int lock) {
    if (lock >= 0) {
        os_lock(lock, OS_UNLOCKED);
        close(lock);
    }
}
