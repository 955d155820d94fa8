/* SPDX-License-Identifier: MIT
 *
 * Resolves file names. Existing files are compared by their numbers, so that hard links and
 * mounts are recognised; files that do not exist yet by the path of the folder and the file name.
 */
#include "motion/files/file_location.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/base/fault.h"

enum { LINKS_MAX = 40 }; /* the limit of Linux */

/* folder_of(path) + "/" + name, or name alone if it is absolute. */
static char *beside(const char *path, const char *name) {
    const char *slash = os_last_separator(path);
    size_t folder = os_is_absolute(name) || !slash ? 0 : (size_t)(slash - path) + 1;
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
    FREED char *target = os_link_target(path);
    return target ? beside(path, target) : NULL;
}

/* The path of a file that does not exist yet: the resolved folder and the file name. */
static char *path_of_new_file(const char *path) {
    FREED char *folder = beside(path, ".");
    FREED char *resolved = folder ? os_resolve(folder) : NULL;
    const char *slash = os_last_separator(path);
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
    return joined ? joined : strdup(path);
}

/* Dangling links are followed too, because the file will be created at their target. */
static char *resolve(const char *name) {
    char *path = os_resolve(name);
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
        found->exists = os_look_at_open(stream, &found->info);
        found->path = strdup(name);
    } else {
        found->exists = os_look(name, &found->info);
        found->path = resolve(name);
    }
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
    if (a->info.volume != b->info.volume)
        return a->info.volume < b->info.volume ? -1 : 1;
    return (a->info.file > b->info.file) - (a->info.file < b->info.file);
}
