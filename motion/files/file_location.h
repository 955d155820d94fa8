/* SPDX-License-Identifier: MIT
 *
 * Where file names lead: `a`, `./a`, `b/../a` and a link to `a` are the same file.
 */
#pragma once

#include <stdbool.h>

#include "motion/base/os.h"

typedef struct file_location {
    char *path;   /* absolute, with links resolved, also for a file that does not exist yet */
    bool exists;  /* false: `info` is all zeros */
    os_info info; /* also set for a stream, which has no path */
} file_location;

/* Decides which stream "-" means. */
typedef enum location_use { LOCATION_INPUT, LOCATION_OUTPUT } location_use;

/* A name that cannot be resolved is used as the path. Release the result. False when memory is
 * exhausted. */
bool location_find(const char *name, location_use use, file_location *found);
void location_release(file_location *found);

/* Orders locations for qsort. 0: the same file. */
int location_compare(const file_location *a, const file_location *b);
