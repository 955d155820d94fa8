/* SPDX-License-Identifier: MIT
 *
 * Programs that are stopped at their system calls.
 */
#define _GNU_SOURCE

#include "traced.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { AT_CALL = SIGTRAP | 0x80, FORBIDDEN = 126, FILE_LIMIT = 1 << 30 };

/* Signals are reset to their default, because tests started in the background may have some of them
 * ignored. The file size is limited in case a signal has no effect. A program that is traced cannot
 * look for leaks. */
static void become(char *const *arguments) {
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){FILE_LIMIT, FILE_LIMIT});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    const int messages = open("messages.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(messages, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(FORBIDDEN);
    raise(SIGSTOP);
    execv(arguments[0], arguments);
    _exit(127);
}

traced traced_begin(char *const *arguments) {
    const intptr_t options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                             PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
    traced t = {.pid = fork()};
    assert_true(t.pid >= 0);
    if (t.pid == 0)
        become(arguments);
    assert_int_equal(waitpid(t.pid, &t.status, 0), t.pid);
    if (WIFEXITED(t.status) && WEXITSTATUS(t.status) == FORBIDDEN) {
        print_message("not tested: ptrace is forbidden here\n");
        skip();
    }
    assert_true(WIFSTOPPED(t.status));
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, t.pid, NULL, (void *)options), 0);
    t.at = t.pid;
    return t;
}

/* The signal that a stopped thread has yet to get. New threads stop by themselves, and so does each
 * that reports an event. */
static int signal_of(int status) {
    const int number = WSTOPSIG(status);
    return number == AT_CALL || number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

/* Continues the thread that waits, to its next system call or without stops. It may have been killed
 * meanwhile. */
static void go_on(traced *t, bool to_call, int number) {
    const pid_t thread = t->at;
    t->at = 0;
    if (ptrace(to_call ? PTRACE_SYSCALL : PTRACE_CONT, thread, NULL, (void *)(intptr_t)number) != 0)
        assert_int_equal(errno, ESRCH);
}

/* Waits until a thread stops. False: none is left. */
static bool next_stop(traced *t, int *status) {
    for (;;) {
        const pid_t thread = waitpid(-1, status, __WALL);
        if (thread < 0 && errno == ECHILD)
            return false;
        if (thread < 0) {
            assert_int_equal(errno, EINTR);
        } else if (WIFSTOPPED(*status)) {
            t->at = thread;
            return true;
        } else if (thread == t->pid) {
            t->has_ended = true;
            t->status = *status;
        }
    }
}

bool traced_run_until(traced *t, bool (*holds)(const traced *t, const void *user),
                      const void *user) {
    int status = 0, number = 0;
    for (;;) {
        if (t->at)
            go_on(t, true, number);
        if (!next_stop(t, &status))
            return false;
        number = signal_of(status);
        if (WSTOPSIG(status) != AT_CALL)
            continue;
        t->stops++;
        if (!t->has_ended && holds(t, user))
            return true;
    }
}

int traced_finish(traced *t, int number) {
    int status = 0, pending = 0;
    if (number && !t->has_ended)
        assert_int_equal(kill(t->pid, number), 0);
    do {
        if (t->at)
            go_on(t, false, pending);
        if (!next_stop(t, &status))
            break;
        pending = signal_of(status);
    } while (true);
    return t->status;
}
