/* SPDX-License-Identifier: MIT
 *
 * The second process is a shell that reads from a pipe. The pipe ends when this process and those that it
 * started have ended, even by SIGKILL, so nothing is written while the folder is removed.
 */
#define _GNU_SOURCE /* pipe2, nftw */

#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Signals for a session or for all processes of a service must not end it before its work. */
static const char watch[] = "trap '' HUP INT QUIT TERM; read -r line; exec rm -rf -- \"$1\"";

static cli_exit result_of(const char *what, int failure) {
    return failure == 0 ? CLI_DONE
                        : cli_fail(CLI_CANNOT_WRITE, what, "set TMPDIR to another folder", "%s",
                                   strerror(failure));
}

/* Holds no output of this process open, whose reader may wait for the end. Returns 0 or an errno. */
static int spawn_watcher(const char *folder, int from, pid_t *watcher) {
    char *const argv[] = {"sh", "-c", (char *)watch, "sh", (char *)folder, NULL};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    for (int out = STDOUT_FILENO; failure == 0 && out <= STDERR_FILENO; out++)
        failure = posix_spawn_file_actions_addopen(&actions, out, "/dev/null", O_WRONLY, 0);
    if (failure == 0)
        failure = posix_spawn(watcher, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static int watch_folder(scratch *s) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    const int failure = spawn_watcher(s->path, ends[0], &s->watcher);
    close(ends[0]);
    s->held = ends[1];
    if (failure != 0) {
        close(ends[1]);
        s->watcher = 0;
    }
    return failure;
}

cli_exit scratch_open(scratch *s) {
    const char *base = getenv("TMPDIR");
    if (s->watcher != 0)
        return CLI_DONE;
    const int length = snprintf(s->path, sizeof s->path, "%s/posemill-bench-XXXXXX",
                                base && base[0] != '\0' ? base : "/tmp");
    if (length < 0 || length >= SCRATCH_FOLDER)
        return result_of("TMPDIR", ENAMETOOLONG);
    if (!mkdtemp(s->path))
        return result_of(s->path, errno);
    const int failure = watch_folder(s);
    if (failure != 0)
        rmdir(s->path);
    return result_of("/bin/sh", failure);
}

void scratch_close(scratch *s) {
    if (s->watcher == 0)
        return;
    close(s->held);
    while (waitpid(s->watcher, NULL, 0) < 0 && errno == EINTR)
        continue;
    s->watcher = 0;
}

cli_exit scratch_path(const scratch *s, const char *name, char path[SCRATCH_PATH]) {
    const int length = snprintf(path, SCRATCH_PATH, "%s/%s", s->path, name);
    return result_of(name, length >= 0 && length < SCRATCH_PATH ? 0 : ENAMETOOLONG);
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place) {
    (void)about, (void)type, (void)place;
    return remove(path);
}

cli_exit scratch_remove(const char *path) {
    const int removed = nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return result_of(path, removed == 0 || errno == ENOENT ? 0 : errno);
}

cli_exit scratch_empty(const char *path) {
    const cli_exit code = scratch_remove(path);
    return code == CLI_DONE ? result_of(path, mkdir(path, 0700) == 0 ? 0 : errno) : code;
}
