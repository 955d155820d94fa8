/* SPDX-License-Identifier: MIT
 *
 * Options about batches, shared by resample and convert: their table, and conflicts between them.
 */
#ifndef POSEMILL_TOOLS_BATCH_OPTIONS_H
#define POSEMILL_TOOLS_BATCH_OPTIONS_H

#include "options.h"

#include <posemill/posemill_motion.h>

typedef struct batch_options {
    pm_motion_batch_options run;
    const char *files_from, *match; /* of the sources */
    const char *shard;              /* see shard_find. NULL: all */
    bool has_report_pages;
    bool ends_at_once; /* the first signal ends the process. Not an option; for bench */
} batch_options;

/* The table, which fills `options`. They must be zeroed. */
option_group batch_options_group(batch_options *options);

/* The options of the report, in a group that continues the one above. Sets their defaults. */
option_group batch_report_options_group(batch_options *options);

/* Prints and returns CLI_USAGE for options that require others. `is_batch`: --out-dir is given. */
cli_exit batch_options_check(const command_help *help, const batch_options *options, bool is_batch);

#endif
