/* SPDX-License-Identifier: MIT
 *
 * Functions of POSIX that tests call, on Windows, where users make neither links nor named pipes.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

int setenv(const char *name, const char *value, int replace) {
    return replace || !getenv(name) ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name) {
    return _putenv_s(name, "");
}

int symlink(const char *target, const char *path) {
    (void)target, (void)path;
    errno = ENOSYS;
    return -1;
}

int mkfifo(const char *path, mode_t rights) {
    (void)path, (void)rights;
    errno = ENOSYS;
    return -1;
}

int pipe(int ends[2]) {
    return _pipe(ends, 1 << 16, _O_BINARY);
}
