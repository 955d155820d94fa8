/* SPDX-License-Identifier: MIT
 *
 * What resample and convert do with their operands: one file, or a batch.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_RUN_H
#define POSEMILL_TOOLS_RESAMPLE_RUN_H

#include "batch/batch.h"
#include "options/options.h"

/* Finds out where the result goes: -o, --out-dir, or the second of two operands, which is taken from
 * them. Prints and returns CLI_USAGE if that is not clear. */
cli_exit resample_find_output(const command_help *help, resample_options *options,
                              const batch_options *batch, int *argc, char **argv);

/* Runs it. On failure prints and returns the code. */
cli_exit resample_run(resample_options *options, const batch_options *batch, char **inputs,
                      size_t count);

#endif
