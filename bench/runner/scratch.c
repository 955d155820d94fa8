/* SPDX-License-Identifier: MIT
 *
 * The second process is a shell that reads from a pipe. The pipe ends when this process and those that it
 * started have ended, even by SIGKILL, so nothing is written while the folder is removed.
 */
#define _XOPEN_SOURCE 700 /* nftw */

#include "scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Holds no output of this process open, whose reader may wait for the end. Signals for a session or for all
 * processes of a service must not end it before its work. */
static const char watch[] = "trap '' HUP INT QUIT TERM; exec >/dev/null 2>&1; read -r line; "
                            "exec rm -rf -- \"$POSEMILL_BENCH_FOLDER\"";

static cli_exit result_of(const char *what, int failure) {
    return failure == 0 ? CLI_DONE
                        : cli_fail(CLI_CANNOT_WRITE, what, "set TMPDIR to another folder", "%s",
                                   strerror(failure));
}

cli_exit scratch_open(scratch *s) {
    const char *base = getenv("TMPDIR");
    if (s->watcher)
        return CLI_DONE;
    const int length = snprintf(s->path, sizeof s->path, "%s/posemill-bench-XXXXXX",
                                base && base[0] != '\0' ? base : "/tmp");
    if (length < 0 || length >= SCRATCH_FOLDER)
        return result_of("TMPDIR", ENAMETOOLONG);
    if (!mkdtemp(s->path))
        return result_of(s->path, errno);
    if (setenv("POSEMILL_BENCH_FOLDER", s->path, 1) == 0)
        s->watcher = popen(watch, "w");
    if (s->watcher)
        return CLI_DONE;
    rmdir(s->path);
    return result_of("/bin/sh", errno);
}

void scratch_close(scratch *s) {
    if (s->watcher)
        pclose(s->watcher);
    s->watcher = NULL;
}

cli_exit scratch_path(const scratch *s, const char *name, char path[SCRATCH_PATH]) {
    const int length = snprintf(path, SCRATCH_PATH, "%s/%s", s->path, name);
    return result_of(name, length >= 0 && length < SCRATCH_PATH ? 0 : ENAMETOOLONG);
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place) {
    (void)about, (void)type, (void)place;
    return remove(path);
}

cli_exit scratch_empty(const char *path) {
    const bool removed = nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT;
    return result_of(path, removed && mkdir(path, 0700) == 0 ? 0 : errno);
}
