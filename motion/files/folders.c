/* SPDX-License-Identifier: MIT
 *
 * Folders are created from the outermost to the innermost. One that another process creates at the
 * same time is no failure.
 */
#include "motion/files/folders.h"

#include <errno.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/files/output.h"

static bool is_folder(const char *path) {
    os_info info;
    return os_look(path, &info) && info.kind == OS_FOLDER;
}

/* Returns 0 or an errno. */
static int make_one(const char *path) {
    const int failure = os_make_folder(path);
    return failure != 0 && is_folder(path) ? 0 : failure;
}

/* Returns 0 or an errno. */
static int make_all(char *path) {
    char *above = (char *)(uintptr_t)os_last_separator(path);
    if (above && above > path && !is_folder(path)) {
        const char separator = *above;
        *above = '\0';
        const int failure = make_all(path);
        *above = separator;
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
    if (error && os_is_full(failure))
        error->hint = motion_full_hint;
    return PM_ERROR_OUTPUT;
}

pm_status folders_make_for(const char *path, pm_error *error) {
    const char *slash = os_last_separator(path);
    if (!slash || slash == path)
        return PM_OK;
    FREED char *folder = strndup(path, (size_t)(slash - path));
    if (!folder)
        return refuse(path, ENOMEM, error);
    const int failure =
        is_folder(folder) ? 0 : make_all(folder); /* a batch asks thousands of times */
    return failure == 0 ? PM_OK : refuse(folder, failure, error);
}
