/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for the files of a run, in $TMPDIR or /tmp. It is removed however the process ends:
 * a second process, which waits for that, removes it.
 */
#ifndef POSEMILL_BENCH_SCRATCH_H
#define POSEMILL_BENCH_SCRATCH_H

#include "commands/cli.h"

#include <stdio.h>

enum { SCRATCH_FOLDER = 512, SCRATCH_PATH = 544 };

/* Zero-initialise. */
typedef struct scratch {
    char path[SCRATCH_FOLDER];
    FILE *watcher; /* removes the folder when nobody holds this pipe open. NULL: not open */
} scratch;

/* Creates the folder unless it exists already. */
cli_exit scratch_open(scratch *s);

/* Writes the path of a file or folder in the folder. */
cli_exit scratch_path(const scratch *s, const char *name, char path[SCRATCH_PATH]);

/* Makes a folder that holds nothing, in place of one that exists. */
cli_exit scratch_empty(const char *path);

/* Removes the folder with all it holds. */
void scratch_close(scratch *s);

#endif
