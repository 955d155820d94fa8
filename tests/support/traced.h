/* SPDX-License-Identifier: MIT
 *
 * Runs a program under ptrace, which stops every thread and every child of it at each system call.
 * A test waits for an event such as a new file, and nothing goes on until it says so.
 */
#ifndef POSEMILL_TESTS_TRACED_H
#define POSEMILL_TESTS_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct traced {
    pid_t pid;
    pid_t at;     /* the thread that waits at a system call; 0: none */
    size_t stops; /* at the begin and at the end of system calls */
    int status;   /* of the program, when it has ended */
    bool has_ended;
} traced;

/* Starts a program whose messages go to messages.txt. Skips the test where ptrace is forbidden. */
traced traced_begin(char *const *arguments);

/* Runs the program until `holds` is true at a system call of it. False: the program has ended. */
bool traced_run_until(traced *t, bool (*holds)(const traced *t, const void *user),
                      const void *user);

/* Sends the signal (0: none), and runs the program and its children to their ends. Returns the
 * program's status as of waitpid. */
int traced_finish(traced *t, int number);

#endif
