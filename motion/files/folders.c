/* SPDX-License-Identifier: MIT
 *
 * Folders are created from the outermost to the innermost. One that another process creates at the
 * same time is no failure.
 */
#include "motion/files/folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "motion/base/fault.h"
#include "motion/base/printable.h"
#include "motion/files/output.h"

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns 0 or an errno. */
static int make_one(const char *path) {
    const int failure = mkdir(path, 0777) == 0 ? 0 : errno;
    return failure != 0 && is_folder(path) ? 0 : failure;
}

/* Returns 0 or an errno. */
static int make_all(char *path) {
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        const int failure = make_one(path);
        *at = '/';
        if (failure != 0)
            return failure;
    }
    return make_one(path);
}

static pm_status refuse(const char *folder, int failure, pm_error *error) {
    char shown[384];
    printable_text(shown, sizeof shown, folder, strlen(folder));
    motion_report(error, PM_ERROR_OUTPUT, "%s: folder cannot be created: %s", shown,
                  strerror(failure));
    if (error && (failure == ENOSPC || failure == EDQUOT))
        error->hint = motion_full_hint;
    return PM_ERROR_OUTPUT;
}

pm_status folders_make_for(const char *path, pm_error *error) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return PM_OK;
    char *folder = strndup(path, (size_t)(slash - path));
    if (!folder)
        return refuse(path, ENOMEM, error);
    const int failure =
        is_folder(folder) ? 0 : make_all(folder); /* a batch asks thousands of times */
    const pm_status status = failure == 0 ? PM_OK : refuse(folder, failure, error);
    free(folder);
    return status;
}
