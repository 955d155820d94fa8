/* SPDX-License-Identifier: MIT
 *
 * Resolves file names. Existing files are compared by device and inode, so that hard links and
 * mounts are recognised; files that do not exist yet by the path of the folder and the file name.
 */
#define _XOPEN_SOURCE 700 /* realpath, and POSIX 2008 */

#include "motion/files/file_location.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* the limit of Linux */

/* folder_of(path) + "/" + name, or name alone if it is absolute. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    size_t size = strlen(name) + 1;
    char *joined = malloc(folder + size);
    if (joined) {
        memcpy(joined, path, folder);
        memcpy(joined + folder, name, size);
    }
    return joined;
}

/* The target of a link as a path; NULL if the path is not a link. */
static char *follow(const char *path) {
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return NULL;
    target[length] = '\0';
    return beside(path, target);
}

/* The path of a file that does not exist yet: the resolved folder and the file name. */
static char *path_of_new_file(const char *path) {
    char *folder = beside(path, ".");
    char *resolved = folder ? realpath(folder, NULL) : NULL;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *joined = NULL;
    if (resolved && name[0] != '\0') {
        size_t length = strcmp(resolved, "/") == 0 ? 0 : strlen(resolved), size = strlen(name) + 1;
        joined = malloc(length + 1 + size);
        if (joined) {
            memcpy(joined, resolved, length);
            joined[length] = '/';
            memcpy(joined + length + 1, name, size);
        }
    }
    free(folder);
    free(resolved);
    return joined ? joined : strdup(path);
}

/* Dangling links are followed too, because the file will be created at their target. */
static char *resolve(const char *name) {
    char *path = realpath(name, NULL);
    if (path)
        return path;
    path = strdup(name);
    for (int i = 0; path && i < LINKS_MAX; i++) {
        char *next = follow(path);
        if (!next)
            break;
        free(path);
        path = next;
    }
    char *resolved = path ? path_of_new_file(path) : NULL;
    free(path);
    return resolved;
}

bool location_find(const char *name, location_use use, file_location *found) {
    memset(found, 0, sizeof *found);
    if (strcmp(name, "-") == 0) {
        int stream = use == LOCATION_INPUT ? STDIN_FILENO : STDOUT_FILENO;
        found->exists = fstat(stream, &found->status) == 0;
        found->path = strdup(name);
    } else {
        found->exists = stat(name, &found->status) == 0;
        found->path = resolve(name);
    }
    if (!found->exists)
        memset(&found->status, 0, sizeof found->status);
    return found->path != NULL;
}

void location_release(file_location *found) {
    free(found->path);
    memset(found, 0, sizeof *found);
}

int location_compare(const file_location *a, const file_location *b) {
    if (a->exists != b->exists)
        return a->exists ? 1 : -1;
    if (!a->exists)
        return strcmp(a->path, b->path);
    if (a->status.st_dev != b->status.st_dev)
        return a->status.st_dev < b->status.st_dev ? -1 : 1;
    return (a->status.st_ino > b->status.st_ino) - (a->status.st_ino < b->status.st_ino);
}
