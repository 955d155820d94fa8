/* SPDX-License-Identifier: MIT
 *
 * Appends records to a file. A record is one call of write with O_APPEND, which local file systems do
 * not mix with those of other processes. A file that ends in a torn line, of a process that was killed
 * or of a full disk, gets a newline before the next record.
 */
#define _POSIX_C_SOURCE 200809L

#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/progress.h"
#include "motion/files/folders.h"
#include "record_line.h"

struct record_file {
    int file;
    pthread_mutex_t mutex;
    char path[];
};

/* ---- opening ----------------------------------------------------------------------------- */

static cli_exit refuse(const char *path, int failure) {
    return cli_fail(CLI_CANNOT_WRITE, path, NULL, "records cannot be written: %s",
                    strerror(failure));
}

static cli_exit refuse_kind(const char *path, mode_t mode) {
    if (S_ISREG(mode)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_CANNOT_WRITE, path, "name a file for the records",
                    "records cannot be written: %s",
                    S_ISDIR(mode) ? "is a folder" : "is not a regular file");
}

/* Looks before it opens, because opening a device may have effects. */
static cli_exit open_file(const char *path, int *file) {
    struct stat status;
    if (stat(path, &status) == 0 && refuse_kind(path, status.st_mode) != CLI_DONE) {
        return CLI_CANNOT_WRITE;
    }
    *file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (*file < 0 || fstat(*file, &status) != 0) {
        return refuse(path, errno);
    }
    return refuse_kind(path, status.st_mode);
}

cli_exit record_file_open(const char *path, record_file **file) {
    pm_error error;
    const size_t size = strlen(path) + 1;
    *file = NULL;
    if (folders_make_for(path, &error) != PM_OK) {
        return cli_fail_file(&error);
    }
    record_file *opened = malloc(sizeof *opened + size);
    if (opened == NULL) {
        return refuse(path, ENOMEM);
    }
    memcpy(opened->path, path, size);
    opened->file = -1;
    cli_exit code = open_file(path, &opened->file);
    if (code == CLI_DONE) {
        const int failure = pthread_mutex_init(&opened->mutex, NULL);
        code = failure != 0 ? refuse(path, failure) : CLI_DONE;
    }
    if (code != CLI_DONE) {
        if (opened->file >= 0) {
            close(opened->file);
        }
        free(opened);
        return code;
    }
    *file = opened;
    return CLI_DONE;
}

/* ---- appending --------------------------------------------------------------------------- */

/* An end that cannot be read counts as torn: an empty line does no harm. */
static bool ends_torn(int file) {
    struct stat status;
    char last = 0;
    if (fstat(file, &status) != 0) {
        return true;
    }
    return status.st_size > 0 && (pread(file, &last, 1, status.st_size - 1) != 1 || last != '\n');
}

/* Writes a line that has a newline at both ends; the first is left out after a whole line. A part that
 * was written is a torn line. The next try writes all of it once more, or tells what was wrong, such
 * as a full disk. Returns 0 or an errno. */
static int write_line(int file, const char *line, size_t size) {
    for (int parts = 0; parts < 2;) {
        const size_t skipped = ends_torn(file) ? 0 : 1;
        const ssize_t written = write(file, line + skipped, size - skipped);
        if (written >= 0 && (size_t)written == size - skipped) {
            return 0;
        }
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        parts += written >= 0;
    }
    return ENOSPC;
}

cli_exit record_file_append(record_file *file, const batch_record *record, bool print) {
    size_t size = 0;
    char *line = record_line_write(record, &size);
    if (line == NULL) {
        return refuse(file->path, ENOMEM);
    }
    if (size - 2 > RECORD_LINE_MAX) { /* readers do not count the newlines */
        free(line);
        return cli_fail(CLI_CANNOT_WRITE, file->path, NULL,
                        "records cannot be written: one is longer than %d bytes", RECORD_LINE_MAX);
    }
    pthread_mutex_lock(&file->mutex);
    const int failure = write_line(file->file, line, size);
    if (failure == 0 && print) {
        progress_clear();
        fwrite(line + 1, 1, size - 1, stdout);
        fflush(stdout);
    }
    pthread_mutex_unlock(&file->mutex);
    free(line);
    return failure == 0 ? CLI_DONE : refuse(file->path, failure);
}

cli_exit record_file_close(record_file **file) {
    record_file *closed = *file;
    if (closed == NULL) {
        return CLI_DONE;
    }
    *file = NULL;
    int failure = fsync(closed->file) != 0 ? errno : 0;
    if (close(closed->file) != 0 && failure == 0 && errno != EINTR) {
        failure = errno;
    }
    const cli_exit code = failure == 0 ? CLI_DONE : refuse(closed->path, failure);
    pthread_mutex_destroy(&closed->mutex);
    free(closed);
    return code;
}
