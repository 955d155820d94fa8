/* SPDX-License-Identifier: MIT
 *
 * Messages of the command's parts, which Python raises as exceptions instead.
 */
#ifndef POSEMILL_PYTHON_NATIVE_MESSAGES_H
#define POSEMILL_PYTHON_NATIVE_MESSAGES_H

#include "commands/cli.h"
#include "motion/base/c_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call of the command's parts: its messages, and the locale of the thread before. */
typedef struct native_call {
    cli_messages messages;
    void *locale;
} native_call;

/* Begins to keep the messages of this thread, which are not printed, in the C locale. */
static inline void native_begin(native_call *call) {
    *call = (native_call){.messages = {.is_silent = true}, .locale = c_locale_begin()};
    cli_keep_messages(&call->messages);
}

/* Ends the call and gives the failure among its messages, malloc'ed: the text, a newline, and the hint,
 * which may be empty. NULL: there is none. */
static inline char *native_take_failure(native_call *call) {
    cli_messages *kept = &call->messages;
    char *failure = NULL;
    if (kept->failure != NULL) {
        const char *hint = kept->hint != NULL ? kept->hint : "";
        const size_t size = strlen(kept->failure) + strlen(hint) + 2;
        failure = malloc(size);
        if (failure != NULL) {
            snprintf(failure, size, "%s\n%s", kept->failure, hint);
        }
    }
    cli_keep_messages(NULL);
    cli_messages_release(kept);
    c_locale_end(call->locale);
    return failure;
}

#endif
