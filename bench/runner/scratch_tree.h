/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for any number of files and folders, in $TMPDIR or /tmp. It is removed however the
 * process ends: a second process, which waits for that, removes it.
 */
#ifndef POSEMILL_BENCH_SCRATCH_TREE_H
#define POSEMILL_BENCH_SCRATCH_TREE_H

#include "scratch.h"

#include <sys/types.h>

/* Zero-initialise. */
typedef struct scratch_tree {
    scratch root;
    pid_t watcher; /* 0: not open */
    int held;      /* the watcher removes the folder when nobody holds this descriptor open */
} scratch_tree;

/* Creates the folder unless it exists already. */
cli_exit scratch_tree_open(scratch_tree *tree);

/* Writes the path of a file or folder in the folder. */
cli_exit scratch_tree_path(const scratch_tree *tree, const char *name, char path[SCRATCH_PATH]);

/* Runs a program that is found by PATH, and waits for it. Its standard input cannot be read. The last
 * element of argv is NULL, and the one before is what the program writes, for messages. */
cli_exit scratch_tree_run(const scratch_tree *tree, const char *const argv[]);

/* Removes a file, or a folder with all it holds. It need not exist. */
cli_exit scratch_tree_remove(const scratch_tree *tree, const char *path);

/* Removes the folder with all it holds. */
void scratch_tree_close(scratch_tree *tree);

#endif
