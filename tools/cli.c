/* SPDX-License-Identifier: MIT
 *
 * Failures and warnings on stderr. Which exit code belongs to which library error is decided
 * here and nowhere else. Files are read in input.c and written in output.c.
 */
#include "cli.h"

#include "shown.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool cli_quiet = false;

/* ---- messages ------------------------------------------------------------------ */

static const char no_words[] = "out of memory for the message";

cli_exit cli_fail(cli_exit code, const char *what, const char *cure, const char *why, ...) {
    va_list arguments;
    va_start(arguments, why);
    char *text = shown_format(why, arguments);
    va_end(arguments);
    shown_line(stderr, "posemill: %s: %s", what, text != NULL ? text : no_words);
    if (cure != NULL) {
        shown_line(stderr, "  %s", cure);
    }
    free(text);
    return code;
}

void cli_warn(const char *what, const char *why, ...) {
    if (cli_quiet) {
        return;
    }
    va_list arguments;
    va_start(arguments, why);
    char *text = shown_format(why, arguments);
    va_end(arguments);
    shown_line(stderr, "posemill: warning: %s: %s", what, text != NULL ? text : no_words);
    free(text);
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
