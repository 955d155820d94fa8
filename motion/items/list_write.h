/* SPDX-License-Identifier: MIT
 *
 * Writes lists of files, which list_file.h reads.
 */
#ifndef POSEMILL_MOTION_LIST_WRITE_H
#define POSEMILL_MOTION_LIST_WRITE_H

#include "motion/items/items.h"

/* The items without a fault, or the `whole` of them, as one JSON object a line in malloc'ed memory, sorted by
 * path: "path", "member" of an archive, "bytes", "out" where the name does not follow from the path, "rate"
 * and "layout" where the item has them. Texts that are not UTF-8 are there once more as bytes, with the
 * key "path_bytes" and the like. A whole list has "out" of all, so that their paths may be replaced, and
 * no "bytes" of items with a fault: the reader of the list finds the fault again. False: memory is
 * exhausted. */
bool list_write_text(const batch_items *items, bool whole, char **text, size_t *size);

/* Writes the items without a fault to a file, or to standard output for "-", whole or not at all. */
pm_status list_write(const char *path, const batch_items *items, pm_error *error);

#endif
