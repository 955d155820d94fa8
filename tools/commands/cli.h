/* SPDX-License-Identifier: MIT
 *
 * Shared by all sub-commands: exit codes, one-line error messages, whole-file input, and output
 * that is never left incomplete.
 */
#ifndef POSEMILL_TOOLS_CLI_H
#define POSEMILL_TOOLS_CLI_H

#include <posemill/posemill.h>

#include "motion/files/input.h"

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_PARTIAL = 1,       /* some inputs of a batch failed, the rest are done */
    CLI_USAGE = 2,         /* unknown option, missing or contradictory arguments */
    CLI_NO_DEVICE = 3,     /* the requested device is not available */
    CLI_BAD_INPUT = 4,     /* a file or an array that cannot be used */
    CLI_DEVICE_FAILED = 5, /* program build, device memory, device lost */
    CLI_CANNOT_WRITE = 6
} cli_exit;

/* Prints "posemill: <what>: <reason>" to stderr, and a second line with the hint unless it is NULL.
 * Control characters are printed as \x1b. Returns code. */
cli_exit cli_fail(cli_exit code, const char *what, const char *hint, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));

/* cli_fail with the exit code, the message and the hint of a library error. */
cli_exit cli_fail_error(const char *what, const pm_error *error);

/* The message of a library error, with field names replaced by the words of the options. Returns
 * text. */
enum { CLI_ERROR_TEXT = 512 };
char *cli_error_text(const pm_error *error, char text[CLI_ERROR_TEXT]);

/* Hint for an input that does not fit in host memory, which is CLI_BAD_INPUT. Exhausted device
 * memory is CLI_DEVICE_FAILED. */
#define CLI_MEMORY_HINT "free some memory, or split the input"

/* Prints "posemill: warning: <what>: <reason>" to stderr, unless --quiet was given. */
void cli_warn(const char *what, const char *reason, ...) __attribute__((format(printf, 2, 3)));

/* Whether --quiet was given: no reports, warnings or progress. Errors are still printed. */
extern bool cli_quiet;

/* input_read_file; on failure prints and returns the code. */
cli_exit cli_read_file(const char *path, const input_kind *kind, char **data, size_t *size);

/* An output file that is written to a temporary file beside its final name and renamed on commit,
 * or stdout for "-". After atomic_file_watch_signals, a signal that ends the process removes the
 * temporary file. */
typedef struct cli_output cli_output;

cli_exit cli_output_open(const char *path, cli_output **output);
/* On failure prints, and removes the temporary file. The output must still be abandoned. */
cli_exit cli_output_write(cli_output *output, const void *data, size_t size);
/* Closes the file (a full disk is reported here at the latest), renames it, frees. */
cli_exit cli_output_commit(cli_output **output);
/* Removes the temporary file, frees. *output may be NULL. */
void cli_output_abandon(cli_output **output);

#endif
