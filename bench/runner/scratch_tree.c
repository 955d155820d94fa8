/* SPDX-License-Identifier: MIT
 *
 * The second process is a shell that reads from a pipe. The pipe ends when this process and the programs
 * that it started have ended, even by SIGKILL, so nothing is written while the folder is removed.
 */
#define _GNU_SOURCE /* pipe2 */

#include "scratch_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Signals for a session or for all processes of a service must not end it before its work. */
static const char watch[] = "trap '' HUP INT QUIT TERM; read -r line; exec rm -rf -- \"$1\"";

static cli_exit fail(const char *what, int failure) {
    return cli_fail(CLI_CANNOT_WRITE, what, NULL, "%s", strerror(failure));
}

/* Waits for a process. Its status; -1 if it has none. */
static int status_of(pid_t process) {
    int status = -1;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* ---- the watcher --------------------------------------------------------------- */

/* Has a process group of its own, for signals from a terminal, and holds no output of this process
 * open, whose reader may wait for the end. Returns 0 or an errno. */
static int spawn_watcher(const char *folder, int from, pid_t *watcher) {
    char *const argv[] = {"sh", "-c", (char *)watch, "sh", (char *)folder, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t group;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawnattr_init(&group);
    if (failure == 0) {
        posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
        failure = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
        for (int out = STDOUT_FILENO; failure == 0 && out <= STDERR_FILENO; out++)
            failure = posix_spawn_file_actions_addopen(&actions, out, "/dev/null", O_WRONLY, 0);
        if (failure == 0)
            failure = posix_spawn(watcher, "/bin/sh", &actions, &group, argv, environ);
        posix_spawnattr_destroy(&group);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

cli_exit scratch_tree_open(scratch_tree *tree) {
    int ends[2];
    if (tree->watcher != 0)
        return CLI_DONE;
    cli_exit code = scratch_open(&tree->root);
    if (code != CLI_DONE)
        return code;
    int failure = pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
    if (failure == 0) {
        failure = spawn_watcher(tree->root.path, ends[0], &tree->watcher);
        close(ends[0]);
        tree->held = ends[1];
        if (failure != 0)
            close(ends[1]);
    }
    if (failure != 0) {
        tree->watcher = 0;
        scratch_close(&tree->root);
        return fail("/bin/sh", failure);
    }
    return CLI_DONE;
}

void scratch_tree_close(scratch_tree *tree) {
    if (tree->watcher != 0) {
        close(tree->held);
        status_of(tree->watcher);
        tree->watcher = 0;
    }
    scratch_close(&tree->root);
}

/* ---- paths and programs -------------------------------------------------------- */

cli_exit scratch_tree_path(const scratch_tree *tree, const char *name, char path[SCRATCH_PATH]) {
    const int length = snprintf(path, SCRATCH_PATH, "%s/%s", tree->root.path, name);
    return length >= 0 && length < SCRATCH_PATH ? CLI_DONE : fail(name, ENAMETOOLONG);
}

/* The program holds the pipe of the watcher as its standard input. */
static int spawn_holding(int held, const char *const argv[], pid_t *process) {
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawn_file_actions_adddup2(&actions, held, STDIN_FILENO);
    if (failure == 0)
        failure = posix_spawnp(process, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

cli_exit scratch_tree_run(const scratch_tree *tree, const char *const argv[]) {
    pid_t process;
    size_t last = 0;
    const int failure = spawn_holding(tree->held, argv, &process);
    if (failure != 0)
        return fail(argv[0], failure);
    const int status = status_of(process);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CLI_DONE;
    while (argv[last + 1])
        last++;
    return cli_fail(CLI_CANNOT_WRITE, argv[last], "set TMPDIR to another folder", "%s failed",
                    argv[0]);
}

cli_exit scratch_tree_remove(const scratch_tree *tree, const char *path) {
    const char *const argv[] = {"rm", "-rf", "--", path, NULL};
    return scratch_tree_run(tree, argv);
}
