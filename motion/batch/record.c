/* SPDX-License-Identifier: MIT
 *
 * Appends records to a file. A record is one write at the end, which local file systems do
 * not mix with those of other processes. A file that ends in a torn line, of a process that was killed
 * or of a full disk, gets a newline before the next record.
 */
#include "motion/batch/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/files/folders.h"

struct record_file {
    int file;
    pthread_mutex_t mutex;
    char path[];
};

static pm_status refuse(const char *path, int failure, pm_error *error) {
    return motion_fail_at(error, PM_ERROR_OUTPUT, path, NULL, "records cannot be written: %s",
                          strerror(failure));
}

static pm_status refuse_kind(const char *path, os_kind kind, pm_error *error) {
    if (kind == OS_REGULAR)
        return PM_OK;
    return motion_fail_at(error, PM_ERROR_OUTPUT, path, "name a file for the records",
                          "records cannot be written: %s",
                          kind == OS_FOLDER ? "is a folder" : "is not a regular file");
}

/* Looks before it opens, because opening a device may have effects. */
static pm_status open_file(const char *path, int *file, pm_error *error) {
    os_info info;
    if (os_look(path, &info) && refuse_kind(path, info.kind, error) != PM_OK)
        return PM_ERROR_OUTPUT;
    *file = os_open_to_append(path);
    if (*file < 0 || !os_look_at_open(*file, &info))
        return refuse(path, errno, error);
    return refuse_kind(path, info.kind, error);
}

pm_status record_file_open(const char *path, record_file **file, pm_error *error) {
    const size_t size = strlen(path) + 1;
    *file = NULL;
    MOTION_TRY(folders_make_for(path, error));
    record_file *opened = malloc(sizeof *opened + size);
    if (!opened)
        return refuse(path, ENOMEM, error);
    memcpy(opened->path, path, size);
    opened->file = -1;
    pm_status status = open_file(path, &opened->file, error);
    if (status == PM_OK) {
        const int failure = pthread_mutex_init(&opened->mutex, NULL);
        status = failure != 0 ? refuse(path, failure, error) : PM_OK;
    }
    if (status != PM_OK) {
        if (opened->file >= 0)
            close(opened->file);
        free(opened);
        return status;
    }
    *file = opened;
    return PM_OK;
}

/* An end that cannot be read counts as torn: an empty line does no harm. */
static bool ends_torn(int file) {
    os_info info;
    char last = 0;
    if (!os_look_at_open(file, &info))
        return true;
    return info.size > 0 && (os_read_at(file, &last, 1, info.size - 1) != 1 || last != '\n');
}

/* Writes a line that has a newline at both ends; the first is left out after a whole line. A part that
 * was written is a torn line. The next try writes all of it once more, or tells what was wrong, such
 * as a full disk. Returns 0 or an errno. */
static int write_line(int file, const char *line, size_t size) {
    for (int parts = 0; parts < 2;) {
        const size_t skipped = ends_torn(file) ? 0 : 1;
        const int64_t written = os_write(file, line + skipped, size - skipped);
        if (written >= 0 && (size_t)written == size - skipped)
            return 0;
        if (written < 0)
            return errno;
        parts++;
    }
    return ENOSPC;
}

pm_status record_file_append(record_file *file, const batch_record *record, char **line,
                             pm_error *error) {
    size_t size = 0;
    char *written = record_line_write(record, &size);
    *line = NULL;
    if (!written)
        return refuse(file->path, ENOMEM, error);
    if (size - 2 > RECORD_LINE_MAX) { /* readers do not count the newlines */
        free(written);
        return motion_fail_at(error, PM_ERROR_OUTPUT, file->path, NULL,
                              "records cannot be written: one is longer than %d bytes",
                              RECORD_LINE_MAX);
    }
    pthread_mutex_lock(&file->mutex);
    const int failure = write_line(file->file, written, size);
    pthread_mutex_unlock(&file->mutex);
    if (failure != 0) {
        free(written);
        return refuse(file->path, failure, error);
    }
    memmove(written, written + 1, size); /* with the NUL */
    *line = written;
    return PM_OK;
}

pm_status record_file_close(record_file **file, pm_error *error) {
    FREED record_file *closed = *file;
    if (!closed)
        return PM_OK;
    *file = NULL;
    int failure = os_flush(closed->file);
    if (close(closed->file) != 0 && failure == 0 && errno != EINTR)
        failure = errno;
    const pm_status status = failure == 0 ? PM_OK : refuse(closed->path, failure, error);
    pthread_mutex_destroy(&closed->mutex);
    return status;
}

int record_code(pm_status status) {
    enum { USAGE = 2, NO_DEVICE, INPUT, DEVICE, OUTPUT };
    static const int codes[] = {
        [PM_ERROR_ARGUMENT] = USAGE,       [PM_ERROR_KEY] = INPUT,
        [PM_ERROR_TIME] = INPUT,           [PM_ERROR_SIZE] = INPUT,
        [PM_ERROR_MEMORY] = INPUT,         [PM_ERROR_NO_PLATFORM] = NO_DEVICE,
        [PM_ERROR_NO_DEVICE] = NO_DEVICE,  [PM_ERROR_BUILD] = DEVICE,
        [PM_ERROR_DEVICE_MEMORY] = DEVICE, [PM_ERROR_DEVICE] = DEVICE,
        [PM_ERROR_FILE] = INPUT,           [PM_ERROR_OUTPUT] = OUTPUT};
    return codes[status];
}
