/* SPDX-License-Identifier: MIT
 *
 * What every sub-command shares: exit codes, one-line failures, whole-file input
 * and output that is never left half-written.
 */
#ifndef POSEMILL_TOOLS_CLI_H
#define POSEMILL_TOOLS_CLI_H

#include <posemill/posemill.h>

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_PARTIAL = 1,       /* some inputs of a batch failed, the rest are done */
    CLI_USAGE = 2,         /* unknown option, missing or contradictory arguments */
    CLI_NO_DEVICE = 3,     /* no device as asked for */
    CLI_BAD_INPUT = 4,     /* a file or an array that cannot be used */
    CLI_DEVICE_FAILED = 5, /* build, memory, lost */
    CLI_CANNOT_WRITE = 6
} cli_exit;

/* Prints "posemill: <what>: <why>" and, with a cure, a second line, to stderr, with control
 * characters shown as \x1b. Returns code, so that a caller can return it on. cure may be NULL. */
cli_exit cli_fail(cli_exit code, const char *what, const char *hint, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));

/* cli_fail with the exit code, the sentence and the cure that belong to a library error. */
cli_exit cli_fail_error(const char *what, const pm_error *error);

/* The sentence of a library error, with options' words for fields of descriptions. Returns text. */
enum { CLI_ERROR_TEXT = 512 };
char *cli_error_text(const pm_error *error, char text[CLI_ERROR_TEXT]);

/* Of an input that this machine's memory does not hold: CLI_BAD_INPUT. The device's memory is
 * CLI_DEVICE_FAILED. */
#define CLI_MEMORY_HINT "free some memory, or split the input"

/* Prints "posemill: warning: <what>: <why>" to stderr, unless --quiet was given. */
void cli_warn(const char *what, const char *reason, ...) __attribute__((format(printf, 2, 3)));

/* Whether --quiet was given: no reports, no warnings, no progress; failures still print. */
extern bool cli_quiet;

typedef enum cli_kind_found {
    CLI_KIND_UNKNOWN, /* more bytes are needed to tell */
    CLI_KIND_YES,     /* it may be of this kind; the parser has the last word */
    CLI_KIND_NO       /* whatever follows */
} cli_kind_found;

/* A kind of file, known by its first bytes. */
typedef struct cli_kind {
    cli_kind_found (*find)(const char *bytes, size_t size);
    const char *refusal; /* the sentence for one that is not of the kind */
} cli_kind;

/* Reads a whole file, or stdin for "-", into malloc'ed memory with one NUL byte
 * behind its end that *size does not count. A file whose first 64 KiB show that it is not of
 * the kind is read no further and refused; NULL takes any. So is a regular file larger than
 * the machine's memory, before it is read, and anything else that goes on beyond half of that.
 * On failure prints and returns the code. */
cli_exit cli_read_file(const char *path, const cli_kind *kind, char **data, size_t *size);

/* A file being written beside its final name and renamed on commit, or stdout for "-". What a
 * signal ends leaves none behind once atomic_file_watch_signals was called. */
typedef struct cli_output cli_output;

cli_exit cli_output_open(const char *path, cli_output **output);
/* On failure prints, and removes what was written; the output must still be closed. */
cli_exit cli_output_write(cli_output *output, const void *data, size_t size);
/* Flushes to disk's acceptance (a full disk fails here at the latest), renames, frees. */
cli_exit cli_output_commit(cli_output **output);
/* Removes what was written, frees. Takes a pointer to NULL. */
void cli_output_abandon(cli_output **output);

#endif
