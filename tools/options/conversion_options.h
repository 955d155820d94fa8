/* SPDX-License-Identifier: MIT
 *
 * Options about how a motion is written, shared by resample and convert: lengths, the axis that is
 * up, the numbers of BVH, and a root that moves.
 */
#ifndef POSEMILL_TOOLS_CONVERSION_OPTIONS_H
#define POSEMILL_TOOLS_CONVERSION_OPTIONS_H

#include "options.h"

#include <posemill/posemill_motion.h>

/* The table, which fills a zeroed task. */
option_group conversion_options_group(pm_motion_batch_task *task);

/* Prints and returns CLI_USAGE for options that require or exclude others. */
cli_exit conversion_options_check(const command_help *help, const pm_motion_batch_task *task);

#endif
