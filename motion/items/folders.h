/* SPDX-License-Identifier: MIT
 *
 * The search for motion files in folders.
 */
#ifndef POSEMILL_MOTION_FOLDERS_H
#define POSEMILL_MOTION_FOLDERS_H

#include "motion/items/items.h"

/* Adds the files below a folder whose names match. Real folders are entered before those that links
 * lead to, so that files have the names of the folders that they lie in. Reads one folder at a time,
 * so depth is limited by the length of paths alone; a longer one is a fault. Fails only where memory
 * is exhausted. */
pm_status folders_search(const char *path, const pm_motion_batch_sources *sources,
                         batch_items *items, pm_error *error);

#endif
