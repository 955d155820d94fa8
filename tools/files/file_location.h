/* SPDX-License-Identifier: MIT
 *
 * Where names of files lead: `a`, `./a`, `b/../a` and a link to `a` are one file.
 */
#ifndef POSEMILL_TOOLS_FILE_LOCATION_H
#define POSEMILL_TOOLS_FILE_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

typedef struct file_location {
    char *path;         /* absolute, links followed; also of a file that is not there yet */
    bool exists;        /* then `status` is its own, else all zeros */
    struct stat status; /* of a stream, too, which has no path */
} file_location;

/* Which stream "-" is. */
typedef enum location_use { LOCATION_INPUT, LOCATION_OUTPUT } location_use;

/* Never fails: of a name that leads nowhere, the path is the name. To be released. False when
 * memory is short. */
bool location_find(const char *name, location_use use, file_location *found);
void location_release(file_location *found);

/* Orders places for qsort; 0: the same file. */
int location_compare(const file_location *a, const file_location *b);

#endif
