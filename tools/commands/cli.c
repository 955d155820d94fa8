/* SPDX-License-Identifier: MIT
 *
 * Errors and warnings on stderr. This file alone maps library errors to exit codes. Files are
 * read in input.c and written in output.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include "files/progress.h"
#include "motion/base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kept messages ------------------------------------------------------------- */

static _Thread_local cli_messages *kept = NULL;

void cli_keep_messages(cli_messages *messages) {
    kept = messages;
}

void cli_messages_release(cli_messages *messages) {
    for (size_t i = 0; i < messages->warning_count; i++) {
        free(messages->warnings[i]);
    }
    free(messages->warnings);
    free(messages->failure);
    free(messages->hint);
    *messages = (cli_messages){.failure = NULL};
}

bool cli_is_silent(void) {
    return kept != NULL && kept->is_silent;
}

/* Takes a message in malloc'ed memory. */
static void keep_warning(char *text) {
    const size_t count = kept->warning_count;
    char **grown = text != NULL ? realloc(kept->warnings, (count + 1) * sizeof *grown) : NULL;
    if (grown == NULL) {
        free(text);
        return;
    }
    grown[count] = text;
    kept->warnings = grown;
    kept->warning_count = count + 1;
}

static void keep_failure(const char *text, const char *hint) {
    if (kept != NULL) {
        free(kept->failure);
        free(kept->hint);
        kept->failure = strdup(text);
        kept->hint = hint != NULL ? strdup(hint) : NULL;
    }
}

void cli_pass_failure(const cli_messages *messages) {
    if (messages->failure != NULL) {
        keep_failure(messages->failure, messages->hint);
    }
}

static char *join(const char *what, const char *reason) {
    const size_t size = strlen(what) + strlen(reason) + 3;
    char *text = malloc(size);
    if (text != NULL) {
        snprintf(text, size, "%s: %s", what, reason);
    }
    return text;
}

/* ---- messages ------------------------------------------------------------------ */

static const char no_memory_text[] = "out of memory for the message";

/* `what` may be NULL: the text has it. */
static void print_failure(const char *what, const char *text, const char *hint) {
    if (cli_is_silent()) {
        return;
    }
    progress_clear();
    printable_line(stderr, "posemill: %s%s%s", what != NULL ? what : "", what != NULL ? ": " : "",
                   text);
    if (hint != NULL) {
        printable_line(stderr, "  %s", hint);
    }
}

cli_exit cli_fail(cli_exit code, const char *what, const char *hint, const char *reason, ...) {
    va_list arguments;
    va_start(arguments, reason);
    char *text = format_alloc(reason, arguments);
    va_end(arguments);
    print_failure(what, text != NULL ? text : no_memory_text, hint);
    char *whole = kept != NULL && text != NULL ? join(what, text) : NULL;
    if (whole != NULL) {
        keep_failure(whole, hint);
    }
    free(whole);
    free(text);
    return code;
}

void cli_keep_warning(const char *what, const char *text) {
    if (kept != NULL) {
        keep_warning(join(what, text));
    }
}

void cli_warn(const char *what, const char *reason, ...) {
    if (cli_quiet && kept == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, reason);
    char *text = format_alloc(reason, arguments);
    va_end(arguments);
    if (text != NULL) {
        cli_keep_warning(what, text);
    }
    if (!cli_quiet && !cli_is_silent()) {
        progress_clear();
        printable_line(stderr, "posemill: warning: %s: %s", what,
                       text != NULL ? text : no_memory_text);
    }
    free(text);
}

/* The library names fields of its descriptions, which users of the command do not know. */
typedef struct field_name {
    const char *field, *words;
} field_name;

static const field_name field_names[] = {
    {"loop_period", "the loop period"},         {"key_count", "number of keys"},
    {"sample_count", "number of samples"},      {"track_count", "number of tracks"},
    {"user_tangents", "the tangents"},          {"rotations_in", "the incoming tangents"},
    {"rotations_out", "the outgoing tangents"},
};

static const field_name *field_at(const char *text) {
    for (size_t i = 0; i < sizeof field_names / sizeof field_names[0]; i++) {
        if (strncmp(text, field_names[i].field, strlen(field_names[i].field)) == 0) {
            return &field_names[i];
        }
    }
    return NULL;
}

char *cli_error_text(const pm_error *error, char text[CLI_ERROR_TEXT]) {
    const char *at = error->message[0] != '\0' ? error->message : pm_status_name(error->status);
    size_t used = 0;
    while (*at != '\0' && used + 1 < CLI_ERROR_TEXT) {
        const field_name *found = field_at(at);
        size_t room = CLI_ERROR_TEXT - used - 1;
        size_t size = found != NULL ? strlen(found->words) : 1;
        size = size < room ? size : room;
        memcpy(text + used, found != NULL ? found->words : at, size);
        used += size;
        at += found != NULL ? strlen(found->field) : 1;
    }
    text[used] = '\0';
    return text;
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
    for (size_t i = 0; i < sizeof failure_classes / sizeof failure_classes[0]; i++) {
        if (failure_classes[i].status == error->status) {
            failure = failure_classes[i];
        }
    }
    failure.hint = error->hint != NULL ? error->hint : failure.hint;
    return failure;
}

cli_exit cli_fail_error(const char *what, const pm_error *error) {
    const failure_class failure = class_of(error);
    char reason[CLI_ERROR_TEXT];
    if (kept != NULL) {
        kept->is_large = error->status == PM_ERROR_DEVICE_MEMORY;
    }
    return cli_fail(failure.code, what, failure.hint, "%s", cli_error_text(error, reason));
}

cli_exit cli_fail_file(const pm_error *error) {
    const failure_class failure = class_of(error);
    keep_failure(error->message, failure.hint);
    if (kept != NULL) {
        kept->is_full = failure.hint == motion_full_hint;
        kept->is_large = error->status == PM_ERROR_DEVICE_MEMORY;
    }
    print_failure(NULL, error->message, failure.hint);
    return failure.code;
}

void cli_log_warning(void *user, pm_log_level level, const char *message) {
    (void)user;
    if (level == PM_LOG_WARNING && kept != NULL) {
        keep_warning(strdup(message));
    }
    if (level == PM_LOG_WARNING && !cli_quiet && !cli_is_silent()) {
        progress_clear();
        printable_line(stderr, "posemill: warning: %s", message);
    }
}

cli_exit cli_read_file(const char *path, const input_kind *kind, char **data, size_t *size) {
    char reason[INPUT_REASON_SIZE] = "";
    if (input_read_file(path, kind, data, size, reason)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_BAD_INPUT, strcmp(path, "-") == 0 ? "standard input" : path, NULL, "%s",
                    reason);
}

static cli_exit done_or_failed(pm_status status, const pm_error *error) {
    return status == PM_OK ? CLI_DONE : cli_fail_file(error);
}

cli_exit cli_output_open(const char *path, cli_output **output) {
    pm_error error;
    return done_or_failed(motion_output_open(path, output, &error), &error);
}

cli_exit cli_output_write(cli_output *output, const void *data, size_t size) {
    pm_error error;
    return done_or_failed(motion_output_write(output, data, size, &error), &error);
}

cli_exit cli_output_commit(cli_output **output) {
    pm_error error;
    return done_or_failed(motion_output_commit(output, &error), &error);
}

void cli_output_abandon(cli_output **output) {
    motion_output_abandon(output);
}
