/* SPDX-License-Identifier: MIT
 *
 * Failures and warnings on stderr, whole-file input, and output that appears under
 * its final name only when it is complete. Which exit code belongs to which library
 * error is decided here and nowhere else.
 */
#define _XOPEN_SOURCE 700 /* realpath, and POSIX 2008 */

#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_quiet = false;

/* ---- messages ------------------------------------------------------------------ */

/* File names may hold anything; a message stays one line of plain characters. */
static void print_line(const char *kind, const char *what, const char *why) {
    char line[2048];
    snprintf(line, sizeof line, "posemill: %s%s: %s", kind, what, why);
    for (char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = *c == '\n' ? ' ' : '?';
        }
    }
    progress_clear();
    fprintf(stderr, "%s\n", line);
}

cli_exit cli_fail(cli_exit code, const char *what, const char *cure, const char *why, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    print_line("", what, text);
    if (cure != NULL) {
        fprintf(stderr, "  %s\n", cure);
    }
    return code;
}

void cli_warn(const char *what, const char *why, ...) {
    if (cli_quiet) {
        return;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    print_line("warning: ", what, text);
}

typedef struct failure_class {
    pm_status status;
    cli_exit code;
    const char *cure;
} failure_class;

static const failure_class failure_classes[] = {
    {PM_ERROR_ARGUMENT, CLI_USAGE, NULL},
    {PM_ERROR_KEY, CLI_BAD_INPUT, NULL},
    {PM_ERROR_TIME, CLI_BAD_INPUT, NULL},
    {PM_ERROR_SIZE, CLI_BAD_INPUT, NULL},
    {PM_ERROR_MEMORY, CLI_DEVICE_FAILED, "free some memory, or split the input"},
    {PM_ERROR_NO_PLATFORM, CLI_NO_DEVICE,
     "install an OpenCL driver (Debian, Ubuntu: apt install pocl-opencl-icd), "
     "or use --device none for the CPU reference path"},
    {PM_ERROR_NO_DEVICE, CLI_NO_DEVICE, "see what there is with: posemill devices"},
    {PM_ERROR_BUILD, CLI_DEVICE_FAILED, "use --device none, or another of: posemill devices"},
    {PM_ERROR_DEVICE_MEMORY, CLI_DEVICE_FAILED,
     "use --device none, or another of: posemill devices"},
    {PM_ERROR_DEVICE, CLI_DEVICE_FAILED, "use --device none, or another of: posemill devices"},
};

cli_exit cli_fail_error(const char *what, const pm_error *error) {
    failure_class failure = {error->status, CLI_DEVICE_FAILED, NULL};
    for (size_t i = 0; i < sizeof failure_classes / sizeof failure_classes[0]; i++) {
        if (failure_classes[i].status == error->status) {
            failure = failure_classes[i];
        }
    }
    const char *why = error->message[0] != '\0' ? error->message : pm_status_name(error->status);
    return cli_fail(failure.code, what, failure.cure, "%s", why);
}

/* ---- input --------------------------------------------------------------------- */

typedef struct byte_buffer {
    char *data;
    size_t size;
    size_t capacity;
} byte_buffer;

/* Room for at least one byte and the closing NUL. */
static bool buffer_grow(byte_buffer *buffer) {
    if (buffer->capacity - buffer->size > 1) {
        return true;
    }
    if (buffer->capacity > SIZE_MAX / 2) {
        return false;
    }
    size_t capacity = buffer->capacity < 65536 ? 65536 : buffer->capacity * 2;
    char *data = realloc(buffer->data, capacity);
    if (data == NULL) {
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

/* One allocation for a regular file; what is no file, or grows meanwhile, is grown into. */
static bool buffer_for_file(int file, byte_buffer *buffer) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        (uintmax_t)status.st_size > SIZE_MAX - 2) {
        return true;
    }
    buffer->capacity = (size_t)status.st_size + 2;
    buffer->data = malloc(buffer->capacity);
    return buffer->data != NULL;
}

/* 0, or an errno. */
static int read_all(int file, byte_buffer *buffer) {
    if (!buffer_for_file(file, buffer)) {
        return ENOMEM;
    }
    for (;;) {
        if (!buffer_grow(buffer)) {
            return ENOMEM;
        }
        ssize_t got = read(file, buffer->data + buffer->size, buffer->capacity - buffer->size - 1);
        if (got == 0) {
            buffer->data[buffer->size] = '\0';
            return 0;
        }
        if (got > 0) {
            buffer->size += (size_t)got;
        } else if (errno != EINTR) {
            return errno;
        }
    }
}

cli_exit cli_read_file(const char *path, char **data, size_t *size) {
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    int file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return cli_fail(CLI_BAD_INPUT, name, NULL, "cannot be opened: %s", strerror(errno));
    }
    byte_buffer buffer = {NULL, 0, 0};
    int failure = read_all(file, &buffer);
    if (!is_stdin) {
        close(file);
    }
    if (failure != 0) {
        free(buffer.data);
        return cli_fail(CLI_BAD_INPUT, name, NULL, "cannot be read: %s", strerror(failure));
    }
    *data = buffer.data;
    *size = buffer.size;
    return CLI_DONE;
}

/* ---- output -------------------------------------------------------------------- */

struct cli_output {
    int file;      /* -1 once closed */
    char *name;    /* for messages */
    char *target;  /* what to rename to; NULL: written in place */
    char *pending; /* what is being written; NULL: written in place */
    bool owns_file;
};

/* Unfinished files, for the signal handler to remove. A command writes a few at once;
 * one beyond these slots would merely survive an interrupt. */
enum { PENDING_SLOTS = 16 };
static char *volatile pending_files[PENDING_SLOTS];

static void remove_pending_and_die(int number) {
    for (int i = 0; i < PENDING_SLOTS; i++) {
        if (pending_files[i] != NULL) {
            unlink(pending_files[i]);
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void) {
    static const int deadly[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    static bool watching = false;
    if (watching) {
        return;
    }
    watching = true;
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        struct sigaction current;
        /* What the parent had ignored, as nohup does, stays ignored. */
        if (sigaction(deadly[i], NULL, &current) == 0 && current.sa_handler == SIG_DFL) {
            signal(deadly[i], remove_pending_and_die);
        }
    }
    /* A file beyond the size limit is then an error to report like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
}

static void pending_replace(char *old_path, char *new_path) {
    for (int i = 0; i < PENDING_SLOTS; i++) {
        if (pending_files[i] == old_path) {
            pending_files[i] = new_path;
            return;
        }
    }
}

static void output_free(cli_output *output) {
    if (output->file >= 0 && output->owns_file) {
        close(output->file);
    }
    if (output->pending != NULL) {
        unlink(output->pending);
        pending_replace(output->pending, NULL);
    }
    free(output->pending);
    free(output->target);
    free(output->name);
    free(output);
}

static cli_exit output_failed(const cli_output *output, int failure) {
    const char *cure = failure == ENOSPC ? "free some space, or write elsewhere" : NULL;
    return cli_fail(CLI_CANNOT_WRITE, output->name, cure, "cannot be written: %s",
                    strerror(failure));
}

/* Creates a new file beside `target`. O_EXCL instead of mkstemp, so that the umask
 * decides on the permissions as for any other file. */
static int create_beside(cli_output *output) {
    static unsigned serial = 0;
    const char *slash = strrchr(output->target, '/');
    size_t folder = slash != NULL ? (size_t)(slash - output->target) + 1 : 0;
    size_t size = folder + 64;
    output->pending = malloc(size);
    if (output->pending == NULL) {
        return ENOMEM;
    }
    memcpy(output->pending, output->target, folder);
    do {
        snprintf(output->pending + folder, size - folder, ".posemill-%ld-%u.part", (long)getpid(),
                 serial++);
        output->file = open(output->pending, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (output->file < 0 && errno == EEXIST);
    if (output->file < 0) {
        int failure = errno;
        free(output->pending);
        output->pending = NULL;
        return failure;
    }
    output->owns_file = true;
    pending_replace(NULL, output->pending);
    return 0;
}

/* Devices and pipes are written in place: renaming over /dev/null would replace it. */
static int open_in_place(cli_output *output, const char *path) {
    output->file = open(path, O_WRONLY | O_CLOEXEC);
    output->owns_file = true;
    return output->file < 0 ? errno : 0;
}

/* An existing file keeps its permissions; behind a link, the file it leads to is replaced. */
static int open_named(cli_output *output, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        output->target = strdup(path);
        return output->target != NULL ? create_beside(output) : ENOMEM;
    }
    if (S_ISDIR(status.st_mode)) {
        return EISDIR;
    }
    if (access(path, W_OK) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return open_in_place(output, path);
    }
    output->target = realpath(path, NULL);
    if (output->target == NULL) {
        return errno;
    }
    int failure = create_beside(output);
    if (failure == 0 && fchmod(output->file, status.st_mode & 07777) != 0) {
        failure = errno;
    }
    return failure;
}

cli_exit cli_output_open(const char *path, cli_output **output) {
    bool is_stdout = strcmp(path, "-") == 0;
    cli_output *made = calloc(1, sizeof *made);
    char *name = strdup(is_stdout ? "standard output" : path);
    if (made == NULL || name == NULL) {
        free(made);
        free(name);
        return cli_fail(CLI_CANNOT_WRITE, path, NULL, "out of memory");
    }
    made->file = -1;
    made->name = name;
    watch_signals();
    int failure = 0;
    if (is_stdout) {
        failure = fflush(stdout) != 0 ? errno : 0;
        made->file = STDOUT_FILENO;
    } else {
        failure = path[0] == '\0' ? ENOENT : open_named(made, path);
    }
    if (failure != 0) {
        cli_exit code = output_failed(made, failure);
        output_free(made);
        return code;
    }
    *output = made;
    return CLI_DONE;
}

/* Straight to the system, unbuffered, so that a full disk shows here and not after
 * another output of the same command has been committed. */
cli_exit cli_output_write(cli_output *output, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(output->file, at, size < (1u << 30) ? size : (1u << 30));
        if (written >= 0) {
            at += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            cli_exit code = output_failed(output, errno);
            if (output->pending != NULL) {
                unlink(output->pending);
            }
            return code;
        }
    }
    return CLI_DONE;
}

cli_exit cli_output_commit(cli_output **output) {
    cli_output *closing = *output;
    cli_exit code = CLI_DONE;
    *output = NULL;
    if (closing->owns_file) {
        int file = closing->file;
        closing->file = -1;
        if (close(file) != 0) {
            code = output_failed(closing, errno);
        }
    }
    if (code == CLI_DONE && closing->pending != NULL) {
        if (rename(closing->pending, closing->target) != 0) {
            code = output_failed(closing, errno);
        } else {
            pending_replace(closing->pending, NULL);
            free(closing->pending);
            closing->pending = NULL;
        }
    }
    output_free(closing);
    return code;
}

void cli_output_abandon(cli_output **output) {
    if (*output != NULL) {
        output_free(*output);
        *output = NULL;
    }
}
