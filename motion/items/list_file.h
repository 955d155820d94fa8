/* SPDX-License-Identifier: MIT
 *
 * Lists of files.
 */
#ifndef POSEMILL_MOTION_LIST_FILE_H
#define POSEMILL_MOTION_LIST_FILE_H

#include "motion/items/items.h"

/* Adds the files of a list, or of standard input for "-". Sizes are those of the list; only where it
 * has none are files looked at, and those that cannot be used get a fault. */
pm_status list_file_read(const char *path, batch_items *items, pm_error *error);

/* The same of a list in memory. */
pm_status list_text_read(const char *label, const char *text, size_t size, batch_items *items,
                         pm_error *error);

#endif
