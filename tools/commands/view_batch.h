/* SPDX-License-Identifier: MIT
 *
 * What posemill view does with one file, and with many.
 */
#pragma once

#include "files/open_clip.h"

/* Writes the page or the picture of a motion. *joints, which may be NULL: those that a page shows. */
pm_status view_write(const command_options *options, const open_clip *clip, const char *out,
                     size_t *joints, pm_error *error);

/* Writes a page of each file into the folder of --out-dir, and an index. Prints failures as they occur.
 * Returns CLI_PARTIAL if some files failed. */
cli_exit view_batch(const command_options *options, char **operands, size_t operand_count);
