/* SPDX-License-Identifier: MIT
 *
 * What the verbs that read one motion and write one do with their operands: one file, or a batch.
 */
#pragma once

#include "motion/task/task.h"
#include "options/device_options.h"
#include "options/motion_options.h"

/* Finds out where the result goes: -o, --out-dir, or the second of two operands, which is taken from
 * them. Prints and returns CLI_USAGE if that is not clear. */
cli_exit resample_find_output(command_options *options, int *count, char **operands);

/* What a file of the verb reduce has lost. */
void reduce_print(const command_options *options, const task_work *work);

/* Runs it. On failure prints and returns the code. */
cli_exit resample_run(command_options *options, char **inputs, size_t count);

/* Resamples files and folders into a folder. Prints failures as they occur, and a summary, or with --json
 * the records. The first SIGINT or SIGTERM ends it when the files in work are finished. Returns CLI_PARTIAL
 * if some files failed or are left. */
cli_exit batch_resample(const command_options *options, char **operands, size_t operand_count);
