/* SPDX-License-Identifier: MIT
 *
 * Shared by all sub-commands: exit codes, one-line error messages, and output that is never left
 * incomplete.
 */
#pragma once

#include <posemill/posemill.h>

#include <stdatomic.h>

#include "motion/base/fault.h"
#include "motion/files/output.h"

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_PARTIAL = 1,       /* some inputs of a batch failed, the rest are done */
    CLI_USAGE = 2,         /* unknown option, missing or contradictory arguments */
    CLI_NO_DEVICE = 3,     /* the requested device is not available */
    CLI_BAD_INPUT = 4,     /* a file or an array that cannot be used */
    CLI_DEVICE_FAILED = 5, /* program build, device memory, device lost */
    CLI_CANNOT_WRITE = 6
} cli_exit;

/* Calls, and returns the code unless it is CLI_DONE. */
#define CLI_TRY(call)                                                                              \
    do {                                                                                           \
        const cli_exit cli_tried = (call);                                                         \
        if (cli_tried != CLI_DONE)                                                                 \
            return cli_tried;                                                                      \
    } while (0)

/* Prints "posemill: <what>: <reason>" to stderr, and a second line with the hint unless it is NULL.
 * Control characters are printed as \x1b. Returns code. */
cli_exit cli_fail(cli_exit code, const char *what, const char *hint, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));

/* cli_fail with the exit code, the message and the hint of a library error, whose options are written
 * as the command's. `what` may be NULL. */
cli_exit cli_fail_error(const char *what, const pm_error *error);

/* The same for an error whose message names the file already. */
cli_exit cli_fail_file(const pm_error *error);

/* The exit code of an error. */
cli_exit cli_code(const pm_error *error);

/* Refuses --out-dir in a build without batches. */
cli_exit cli_no_batches(void);

/* CLI_DONE for PM_OK, else cli_fail_file. */
cli_exit cli_done(pm_status status, const pm_error *error);

/* A pm_motion_log_function that prints warnings as cli_warn does and, with --verbose, PM_LOG_INFO. */
void cli_log(void *user, pm_log_level level, const pm_error *remark);

/* Hint for an input that does not fit in host memory, which is CLI_BAD_INPUT. Exhausted device
 * memory is CLI_DEVICE_FAILED. */
#define CLI_MEMORY_HINT MOTION_MEMORY_HINT

/* Prints "posemill: warning: <what>: <reason>" to stderr, unless --quiet was given. */
void cli_warn(const char *what, const char *reason, ...) __attribute__((format(printf, 2, 3)));

/* Whether --quiet was given: no reports, warnings or progress. Errors are still printed. Atomic, because
 * the Python package runs commands on several threads. */
extern atomic_bool cli_quiet;

/* Whether --verbose was given. */
extern atomic_bool cli_verbose;

/* motion_output, with failures printed. */
typedef struct motion_output cli_output;
cli_exit cli_output_open(const char *path, cli_output **output);
cli_exit cli_output_write(cli_output *output, const void *data, size_t size);
cli_exit cli_output_commit(cli_output **output);
void cli_output_abandon(cli_output **output);
