/* SPDX-License-Identifier: MIT
 *
 * The digest of all options that can change a byte of an output.
 */
#ifndef POSEMILL_MOTION_OPTIONS_DIGEST_H
#define POSEMILL_MOTION_OPTIONS_DIGEST_H

#include "motion/files/digest.h"
#include "motion/items/items.h"
#include "motion/options/options.h"

/* Digests of the files that options name, by the rows of the table, which are read once. */
typedef struct options_files {
    digest of[OPTION_ROWS_MAX]; /* "": no such file */
} options_files;

/* A file that cannot be read has no digest; using it fails later, with its name. */
void options_files_read(const pm_motion_batch_task *task, options_files *files);

/* Of an item with what its list gives it; of NULL, what all items share. "": memory is exhausted.
 * Thread-safe. */
digest options_digest(const pm_motion_batch_task *task, const options_files *files,
                      const batch_item *item);

#endif
