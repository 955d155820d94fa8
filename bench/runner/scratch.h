/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for the files of a run, in $TMPDIR or /tmp. A signal removes it too, with the
 * files that were named by scratch_file.
 */
#ifndef POSEMILL_BENCH_SCRATCH_H
#define POSEMILL_BENCH_SCRATCH_H

#include "commands/cli.h"
#include "motion/files/atomic_file.h"

enum { SCRATCH_FOLDER = 512, SCRATCH_PATH = 544, SCRATCH_FILES_MAX = 16 };

/* Zero-initialise. */
typedef struct scratch {
    char path[SCRATCH_FOLDER];
    atomic_file *folder; /* NULL: not open */
    atomic_file *files[SCRATCH_FILES_MAX];
    size_t count;
} scratch;

/* Creates the folder unless it exists already. */
cli_exit scratch_open(scratch *s);

/* Writes the path of a file in the folder, and removes that file when the folder is closed. */
cli_exit scratch_file(scratch *s, const char *name, char path[SCRATCH_PATH]);

/* Removes the files and the folder. */
void scratch_close(scratch *s);

#endif
