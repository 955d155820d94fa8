/* SPDX-License-Identifier: MIT
 *
 * Where names of files lead: `a`, `./a`, `b/../a` and a link to `a` are one file.
 */
#ifndef POSEMILL_TOOLS_PLACE_H
#define POSEMILL_TOOLS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

typedef struct file_place {
    char *path;         /* absolute, links followed; also of a file that is not there yet */
    bool exists;        /* then `status` is its own, else all zeros */
    struct stat status; /* of a stream, too, which has no path */
} file_place;

/* Which stream "-" is. */
typedef enum place_use { PLACE_INPUT, PLACE_OUTPUT } place_use;

/* Never fails: of a name that leads nowhere, the path is the name. To be released. False when
 * memory is short. */
bool place_find(const char *name, place_use use, file_place *found);
void place_release(file_place *found);

/* Orders places for qsort; 0: the same file. */
int place_compare(const file_place *a, const file_place *b);

#endif
