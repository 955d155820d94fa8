/* SPDX-License-Identifier: MIT
 *
 * Files that are still being written. None of them outlives the command: a signal removes them,
 * and what a killed process could not remove, the next one does that writes into the same folder.
 */
#ifndef POSEMILL_TOOLS_ATOMIC_FILE_H
#define POSEMILL_TOOLS_ATOMIC_FILE_H

#include <sys/types.h>

typedef struct atomic_file atomic_file;

/* Installs the handlers of deadly signals, which remove every pending file and then let the
 * signal do what it does. To be called first of all: a driver that takes a handler of its own
 * later passes signals on to the one before, but not to one that comes after. What is ignored,
 * as under nohup, stays so. A file beyond the size limit becomes an error like a full disk. */
void atomic_file_watch_signals(void);

/* Creates `.posemill-*.part` beside the file `target`, which need not exist, with `mode` less the
 * umask; removes those there whose process is dead. The file is open for writing at *file, which
 * the caller closes after atomic_file_rename or atomic_file_remove. Returns 0 or an errno. */
int atomic_file_create(const char *target, mode_t mode, atomic_file **temporary, int *file);

/* Gives it its name; *file must still be open. Returns 0 or an errno, and then it stays pending. */
int atomic_file_rename(atomic_file **temporary, const char *target);

/* Removes it. Takes a pointer to NULL. */
void atomic_file_remove(atomic_file **temporary);

#endif
