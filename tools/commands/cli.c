/* SPDX-License-Identifier: MIT
 *
 * Errors and warnings on stderr. This file alone maps library errors to exit codes.
 */
#include "cli.h"

#include "files/progress.h"
#include "motion/base/printable.h"

#include <stdarg.h>
#include <stdio.h>

static const char no_memory_text[] = "out of memory for the message";

/* `what` may be NULL: the text has it. */
static void print_failure(const char *what, const char *text, const char *hint) {
    progress_clear();
    printable_line(stderr, "posemill: %s%s%s", what ? what : "", what ? ": " : "", text);
    if (hint)
        printable_line(stderr, "  %s", hint);
}

cli_exit cli_fail(cli_exit code, const char *what, const char *hint, const char *reason, ...) {
    va_list arguments;
    va_start(arguments, reason);
    FREED char *text = format_alloc(reason, arguments);
    va_end(arguments);
    print_failure(what, text ? text : no_memory_text, hint);
    return code;
}

void cli_warn(const char *what, const char *reason, ...) {
    if (cli_quiet)
        return;
    va_list arguments;
    va_start(arguments, reason);
    FREED char *text = format_alloc(reason, arguments);
    va_end(arguments);
    progress_clear();
    printable_line(stderr, "posemill: warning: %s: %s", what, text ? text : no_memory_text);
}

typedef struct failure_class {
    pm_status status;
    cli_exit code;
    const char *hint;
} failure_class;

static const failure_class failure_classes[] = {
    {PM_ERROR_ARGUMENT, CLI_USAGE, NULL},
    {PM_ERROR_KEY, CLI_BAD_INPUT, NULL},
    {PM_ERROR_TIME, CLI_BAD_INPUT, NULL},
    {PM_ERROR_SIZE, CLI_BAD_INPUT, NULL},
    {PM_ERROR_MEMORY, CLI_BAD_INPUT, CLI_MEMORY_HINT}, /* host memory: the input is too large */
    {PM_ERROR_NO_PLATFORM, CLI_NO_DEVICE, "use --device none: plain C, the same bits"},
    {PM_ERROR_NO_DEVICE, CLI_NO_DEVICE, "list the devices with: posemill devices"},
    {PM_ERROR_BUILD, CLI_DEVICE_FAILED,
     "use --device none, or another device listed by: posemill devices"},
    {PM_ERROR_DEVICE_MEMORY, CLI_DEVICE_FAILED,
     "use --device none, or another device listed by: posemill devices"},
    {PM_ERROR_DEVICE, CLI_DEVICE_FAILED,
     "use --device none, or another device listed by: posemill devices"},
    {PM_ERROR_FILE, CLI_BAD_INPUT, NULL},
    {PM_ERROR_OUTPUT, CLI_CANNOT_WRITE, NULL},
};

static failure_class class_of(const pm_error *error) {
    failure_class failure = {error->status, CLI_DEVICE_FAILED, NULL};
    for (size_t i = 0; i < sizeof failure_classes / sizeof failure_classes[0]; i++)
        if (failure_classes[i].status == error->status)
            failure = failure_classes[i];
    return failure;
}

cli_exit cli_fail_error(const char *what, const pm_error *error) {
    char text[PM_ERROR_TEXT_SIZE], hint[PM_ERROR_TEXT_SIZE];
    const failure_class failure = class_of(error);
    motion_write_line(error, PM_SPELLING_COMMAND, text);
    const bool has_own = pm_error_hint(error, PM_SPELLING_COMMAND, hint, sizeof hint) > 0;
    print_failure(what, text, has_own ? hint : failure.hint);
    return failure.code;
}

cli_exit cli_code(const pm_error *error) {
    return class_of(error).code;
}

cli_exit cli_fail_file(const pm_error *error) {
    return cli_fail_error(NULL, error);
}

cli_exit cli_no_batches(void) {
    return cli_fail(CLI_USAGE, "--out-dir", "configure with -DPOSEMILL_BATCH=ON",
                    "this posemill was built without batches");
}

cli_exit cli_done(pm_status status, const pm_error *error) {
    return status == PM_OK ? CLI_DONE : cli_fail_file(error);
}

void cli_log(void *user, pm_log_level level, const pm_error *remark) {
    char text[PM_ERROR_TEXT_SIZE];
    const bool warns = level == PM_LOG_WARNING && !cli_quiet;
    (void)user;
    if (warns || (level == PM_LOG_INFO && cli_verbose)) {
        pm_error_text(remark, PM_SPELLING_COMMAND, text, sizeof text);
        progress_clear();
        printable_line(stderr, "posemill: %s%s", warns ? "warning: " : "", text);
    }
}

cli_exit cli_output_open(const char *path, cli_output **output) {
    pm_error error;
    return cli_done(motion_output_open(path, output, &error), &error);
}

cli_exit cli_output_write(cli_output *output, const void *data, size_t size) {
    pm_error error;
    return cli_done(motion_output_write(output, data, size, &error), &error);
}

cli_exit cli_output_commit(cli_output **output) {
    pm_error error;
    return cli_done(motion_output_commit(output, &error), &error);
}

void cli_output_abandon(cli_output **output) {
    motion_output_abandon(output);
}
