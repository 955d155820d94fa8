/* SPDX-License-Identifier: MIT
 *
 * Output that appears under its final name only when it is complete.
 */
#include "motion/files/output.h"

#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/files/atomic_file.h"
#include "motion/files/file_location.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char motion_full_hint[] = "free some space, or write elsewhere";

struct motion_output {
    int file;               /* -1 once closed */
    char *name;             /* for messages */
    char *target;           /* final name; NULL: written in place */
    atomic_file *temporary; /* the file being written; NULL: written in place */
    bool owns_file;
    bool must_be_new; /* the target is not replaced */
};

static void output_free(motion_output *output) {
    atomic_file_remove(&output->temporary);
    if (output->file >= 0 && output->owns_file)
        close(output->file);
    MOTION_FREE(output->target, output->name, output);
}

static pm_status output_failed(const motion_output *output, int failure, pm_error *error) {
    char shown[384];
    printable_text(shown, sizeof shown, output->name, strlen(output->name));
    if (failure == EEXIST) {
        motion_report(error, PM_ERROR_OUTPUT, "%s: exists already", shown);
        return PM_ERROR_OUTPUT;
    }
    motion_report(error, PM_ERROR_OUTPUT, "%s: cannot be written: %s", shown, strerror(failure));
    if (error && os_is_full(failure))
        error->hint = motion_full_hint;
    else if (error && failure == ENXIO)
        error->hint = "nothing reads this pipe; begin the reader first";
    return PM_ERROR_OUTPUT;
}

/* Devices and pipes are written in place: renaming over /dev/null would replace it. A pipe that nothing
 * reads is refused, because opening it would wait for ever. */
static int open_in_place(motion_output *output, const char *path) {
    output->file = os_open_in_place(path);
    output->owns_file = output->file >= 0;
    return output->owns_file ? 0 : errno;
}

static int create_temporary(motion_output *output, unsigned rights) {
    int failure = atomic_file_create(output->target, rights, &output->temporary, &output->file);
    output->owns_file = failure == 0;
    return failure;
}

/* An existing file keeps its permissions except setuid, setgid and sticky bits. The target of a
 * link is replaced or created, not the link. */
static int open_named(motion_output *output, const char *path) {
    os_info info;
    file_location found;
    if (os_names_device(path))
        return ENODEV;
    const bool exists = os_look(path, &info);
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && output->must_be_new)
        return EEXIST;
    if (exists && info.kind == OS_FOLDER)
        return EISDIR;
    if (exists && !os_can_write(path))
        return errno;
    if (exists && info.kind != OS_REGULAR)
        return open_in_place(output, path);
    if (!location_find(path, LOCATION_OUTPUT, &found))
        return ENOMEM;
    output->target = found.path;
    if (!exists)
        return create_temporary(output, 0666);
    /* 0600 keeps others from reading the file before it has the permissions of the old one. */
    int failure = create_temporary(output, 0600);
    return failure == 0 ? os_set_rights(output->file, info.rights) : failure;
}

static pm_status open_output(const char *path, bool must_be_new, motion_output **output,
                             pm_error *error) {
    bool is_stdout = strcmp(path, "-") == 0;
    motion_output *created = calloc(1, sizeof *created);
    char *name = strdup(is_stdout ? "standard output" : path);
    if (!created || !name) {
        MOTION_FREE(created, name);
        return motion_refuse_memory(error);
    }
    created->file = -1;
    created->name = name;
    created->must_be_new = must_be_new;
    int failure = 0;
    if (is_stdout) {
        failure = fflush(stdout) != 0 ? errno : 0;
        created->file = STDOUT_FILENO;
    } else {
        failure = path[0] == '\0' ? ENOENT : open_named(created, path);
    }
    if (failure != 0) {
        pm_status status = output_failed(created, failure, error);
        output_free(created);
        return status;
    }
    *output = created;
    return PM_OK;
}

pm_status motion_output_open(const char *path, motion_output **output, pm_error *error) {
    return open_output(path, false, output, error);
}

pm_status motion_output_open_new(const char *path, motion_output **output, pm_error *error) {
    return open_output(path, true, output, error);
}

/* Unbuffered, so that a full disk is reported here and not after another output of the same command
 * was committed. */
pm_status motion_output_write(motion_output *output, const void *data, size_t size,
                              pm_error *error) {
    const char *at = data;
    while (size > 0) {
        const int64_t written = os_write(output->file, at, size);
        if (written < 0) {
            pm_status status = output_failed(output, errno, error);
            atomic_file_remove(&output->temporary);
            return status;
        }
        at += written;
        size -= (size_t)written;
    }
    return PM_OK;
}

pm_status motion_output_write_at(motion_output *output, uint64_t at, const void *data, size_t size,
                                 pm_error *error) {
    const char *from = data;
    while (size > 0) {
        const int64_t written = os_write_at(output->file, from, size, at);
        if (written < 0)
            return output_failed(output, errno, error);
        from += written;
        size -= (size_t)written;
        at += (uint64_t)written;
    }
    return PM_OK;
}

/* close() can report a failed write, so it precedes the renaming. The lock of the temporary file
 * must be held until after the renaming; a second descriptor holds it. The content is on the disk before
 * the name is, so that a file is complete after a power failure too. Returns 0 or an errno. */
static int close_and_rename(motion_output *output) {
    int file = output->file;
    int failure = output->temporary ? os_flush(file) : 0;
    if (failure != 0)
        return failure;
    int holding = output->temporary ? os_duplicate(file) : -1;
    if (output->temporary && holding < 0)
        return errno;
    output->file = holding;
    if (close(file) != 0)
        return errno;
    return output->temporary ? atomic_file_rename(&output->temporary, holding, output->target,
                                                  output->must_be_new)
                             : 0;
}

pm_status motion_output_commit(motion_output **output, pm_error *error) {
    motion_output *closing = *output;
    *output = NULL;
    int failure = closing->owns_file ? close_and_rename(closing) : 0;
    pm_status status = failure != 0 ? output_failed(closing, failure, error) : PM_OK;
    output_free(closing);
    return status;
}

void motion_output_abandon(motion_output **output) {
    if (*output) {
        output_free(*output);
        *output = NULL;
    }
}

pm_status motion_output_save(const char *path, const char *text, size_t size, pm_error *error) {
    SCOPED(motion_output_abandon) motion_output *output = NULL;
    MOTION_TRY(motion_output_open(path, &output, error));
    MOTION_TRY(motion_output_write(output, text, size, error));
    return motion_output_commit(&output, error);
}

static pm_status write_to_output(void *user, const void *data, size_t size, pm_error *error) {
    return motion_output_write(user, data, size, error);
}

motion_sink motion_output_sink(motion_output *output) {
    return (motion_sink){write_to_output, output};
}
