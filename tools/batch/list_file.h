/* SPDX-License-Identifier: MIT
 *
 * Lists of files.
 */
#ifndef POSEMILL_TOOLS_BATCH_LIST_FILE_H
#define POSEMILL_TOOLS_BATCH_LIST_FILE_H

#include "items.h"

/* Adds the files of a list, or of standard input for "-". Sizes are those of the list; only where it
 * has none are files looked at, and those that cannot be used get a fault. On failure prints and
 * returns the code. */
cli_exit list_file_read(const char *path, batch_items *items);

#endif
