/* SPDX-License-Identifier: MIT
 *
 * Output files that appear under their final name only when complete. Until then they are
 * temporary files beside the target. A signal removes them; the files of a killed process are
 * removed by the next process that writes into the same folder.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

typedef struct atomic_file atomic_file;

/* Installs handlers for the signals that end a process, real-time ones too, which remove every
 * temporary file and then raise the signal again. Must be the first call: a driver that installs its own handler later passes signals
 * on to the previous handler, but not to one installed after its own. Ignored signals, as under
 * nohup, stay ignored. Exceeding the file size limit becomes an error like a full disk. */
void atomic_file_watch_signals(void);

/* From now on the first SIGINT or SIGTERM only sets *stopped to its number, which must be 0 before; a
 * second one ends the process as before. NULL: the first one ends it. */
void atomic_file_stop_first(atomic_int *stopped);

/* Looks for files of ended processes also in folders in which this process has done so before. */
void atomic_file_look_again(void);

/* Creates the temporary file `.posemill-*.part` beside `target`, which need not exist, with `rights`
 * and the umask, and removes those of ended processes in the same folder. *file is a descriptor for
 * writing, which the caller closes after atomic_file_rename or atomic_file_remove. Returns 0 or an
 * errno. */
int atomic_file_create(const char *target, unsigned rights, atomic_file **temporary, int *file);

/* Renames the file, of which `file` is still open, to `target`. Returns 0, or an errno; then the file
 * stays temporary. A target that exists is replaced or, with `must_be_new`, EEXIST: that holds at
 * the moment of the renaming, whatever other processes do. */
int atomic_file_rename(atomic_file **temporary, int file, const char *target, bool must_be_new);

/* Removes the file. *temporary may be NULL. */
void atomic_file_remove(atomic_file **temporary);
