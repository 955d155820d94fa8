/* SPDX-License-Identifier: MIT
 *
 * Options about batches, shared by resample and convert: their table, and conflicts between them.
 */
#ifndef POSEMILL_TOOLS_BATCH_OPTIONS_H
#define POSEMILL_TOOLS_BATCH_OPTIONS_H

#include "batch/batch.h"
#include "options.h"

/* The table, which fills `options`. They must be zeroed. */
option_group batch_options_group(batch_options *options);

/* The options of the report, in a group that continues the one above. Sets their defaults. */
option_group batch_report_options_group(batch_options *options);

/* Prints and returns CLI_USAGE for options that require others. `is_batch`: --out-dir is given. */
cli_exit batch_options_check(const command_help *help, const batch_options *options, bool is_batch);

#endif
