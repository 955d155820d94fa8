/* SPDX-License-Identifier: MIT
 *
 * Writes lists of files, which list_file.h reads.
 */
#ifndef POSEMILL_TOOLS_BATCH_LIST_WRITE_H
#define POSEMILL_TOOLS_BATCH_LIST_WRITE_H

#include "items.h"

/* Writes the items without a fault as one JSON object a line, sorted by path: "path", "member" of an
 * archive, "bytes", "out" where the name does not follow from the path, "rate" and "layout" where the
 * item has them. Texts that are not UTF-8 are there once more as bytes, with the key "path_bytes" and
 * the like. "-" is standard output; a file appears when it is complete. On failure prints and returns
 * the code. */
cli_exit list_write(const char *path, const batch_items *items);

/* The same in malloc'ed memory, `whole`: of all items, with "out" of all, so that their paths may be
 * replaced. Items with a fault have no "bytes": the reader of the list finds the fault again. False:
 * memory is exhausted. */
bool list_write_text(const batch_items *items, bool whole, char **text, size_t *size);

#endif
