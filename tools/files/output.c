/* SPDX-License-Identifier: MIT
 *
 * Output that appears under its final name only when it is complete.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands/cli.h"

#include "file_location.h"
#include "motion/files/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_output {
    int file;               /* -1 once closed */
    char *name;             /* for messages */
    char *target;           /* final name; NULL: written in place */
    atomic_file *temporary; /* the file being written; NULL: written in place */
    bool owns_file;
};

static void output_free(cli_output *output) {
    atomic_file_remove(&output->temporary);
    if (output->file >= 0 && output->owns_file) {
        close(output->file);
    }
    free(output->target);
    free(output->name);
    free(output);
}

static cli_exit output_failed(const cli_output *output, int failure) {
    const char *hint = failure == ENOSPC ? "free some space, or write elsewhere" : NULL;
    return cli_fail(CLI_CANNOT_WRITE, output->name, hint, "cannot be written: %s",
                    strerror(failure));
}

/* Devices and pipes are written in place: renaming over /dev/null would replace it. */
static int open_in_place(cli_output *output, const char *path) {
    output->file = open(path, O_WRONLY | O_CLOEXEC);
    output->owns_file = true;
    return output->file < 0 ? errno : 0;
}

static int create_temporary(cli_output *output, mode_t mode) {
    int failure = atomic_file_create(output->target, mode, &output->temporary, &output->file);
    output->owns_file = failure == 0;
    return failure;
}

/* An existing file keeps its permissions except setuid, setgid and sticky bits. The target of a
 * link is replaced or created, not the link. */
static int open_named(cli_output *output, const char *path) {
    struct stat status;
    file_location found;
    bool exists = stat(path, &status) == 0;
    if (!exists && errno != ENOENT) {
        return errno;
    }
    if (exists && S_ISDIR(status.st_mode)) {
        return EISDIR;
    }
    if (exists && access(path, W_OK) != 0) {
        return errno;
    }
    if (exists && !S_ISREG(status.st_mode)) {
        return open_in_place(output, path);
    }
    if (!location_find(path, LOCATION_OUTPUT, &found)) {
        return ENOMEM;
    }
    output->target = found.path;
    if (!exists) {
        return create_temporary(output, 0666);
    }
    /* 0600 keeps others from reading the file before it has the permissions of the old one. */
    int failure = create_temporary(output, 0600);
    if (failure == 0 && fchmod(output->file, status.st_mode & 0777) != 0) {
        failure = errno;
    }
    return failure;
}

cli_exit cli_output_open(const char *path, cli_output **output) {
    bool is_stdout = strcmp(path, "-") == 0;
    cli_output *created = calloc(1, sizeof *created);
    char *name = strdup(is_stdout ? "standard output" : path);
    if (created == NULL || name == NULL) {
        free(created);
        free(name);
        return cli_fail(CLI_CANNOT_WRITE, path, NULL, "out of memory");
    }
    created->file = -1;
    created->name = name;
    int failure = 0;
    if (is_stdout) {
        failure = fflush(stdout) != 0 ? errno : 0;
        created->file = STDOUT_FILENO;
    } else {
        failure = path[0] == '\0' ? ENOENT : open_named(created, path);
    }
    if (failure != 0) {
        cli_exit code = output_failed(created, failure);
        output_free(created);
        return code;
    }
    *output = created;
    return CLI_DONE;
}

/* Unbuffered, so that a full disk is reported here and not after another output of the same command
 * was committed. */
cli_exit cli_output_write(cli_output *output, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(output->file, at, size < (1u << 30) ? size : (1u << 30));
        if (written >= 0) {
            at += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            cli_exit code = output_failed(output, errno);
            atomic_file_remove(&output->temporary);
            return code;
        }
    }
    return CLI_DONE;
}

/* close() can report a failed write, so it precedes the renaming. The lock of the temporary file
 * must be held until after the renaming; a second descriptor holds it. Returns 0 or an errno. */
static int close_and_rename(cli_output *output) {
    int file = output->file;
    int holding = output->temporary != NULL ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
    if (output->temporary != NULL && holding < 0) {
        return errno;
    }
    output->file = holding;
    if (close(file) != 0) {
        return errno;
    }
    return output->temporary != NULL ? atomic_file_rename(&output->temporary, output->target) : 0;
}

cli_exit cli_output_commit(cli_output **output) {
    cli_output *closing = *output;
    *output = NULL;
    int failure = closing->owns_file ? close_and_rename(closing) : 0;
    cli_exit code = failure != 0 ? output_failed(closing, failure) : CLI_DONE;
    output_free(closing);
    return code;
}

void cli_output_abandon(cli_output **output) {
    if (*output != NULL) {
        output_free(*output);
        *output = NULL;
    }
}
