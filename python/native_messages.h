/* SPDX-License-Identifier: MIT
 *
 * Messages of the command's parts, which Python raises as exceptions instead.
 */
#ifndef POSEMILL_PYTHON_NATIVE_MESSAGES_H
#define POSEMILL_PYTHON_NATIVE_MESSAGES_H

#include "commands/cli.h"

#include <stddef.h>

/* Ends the keeping of messages of this thread and gives the failure among them, malloc'ed. NULL: there
 * is none. */
static inline char *native_take_failure(cli_messages *messages) {
    char *failure = messages->failure;
    cli_keep_messages(NULL);
    messages->failure = NULL;
    cli_messages_release(messages);
    return failure;
}

#endif
